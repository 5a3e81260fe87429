import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { historyOf } from '../dispatch/history.ts'
import type { Takeover } from '../outbox/index.ts'
import type { Desk } from '../receive/desk.ts'
import type { Store } from '../stores/port/index.ts'
import { isSourceSettings } from './numbers.ts'
import type { Settings } from './options.ts'

interface DeskDeps {
  readonly store: Store
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly takeover: Takeover
  readonly acted: Desk['acted']
}

/** Makes the desk that the running bot lends to the admin page. */
export function deskOf({ numbers }: Pick<Settings, 'numbers'>, deps: DeskDeps): Desk {
  const { store, clock, timers, log, takeover, acted } = deps
  return {
    store,
    clock,
    timers,
    log,
    numbers: isSourceSettings(numbers) ? [] : numbers.map(({ name }) => name),
    historyOf: (who, last) => historyOf(who, last, { store }),
    handOver: (who, forMs) => takeover.handOver(who, forMs),
    handBack: (who) => takeover.resume(who),
    acted,
  }
}
