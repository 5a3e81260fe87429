import type { Random, Timers } from '../base/clock.ts'
import type { Assumptions } from './assumptions.ts'
import { createDeliverer, type Deliverer } from './deliver/deliverer.ts'
import { createSubscriptions, type Subscriptions } from './deliver/subscriptions.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { createIds, type Ids } from './ids.ts'
import { createPhones, type Phones } from './phone/thread.ts'
import { type Account, createAccount } from './service/account.ts'
import { createKeys, type Keys } from './service/keys.ts'
import { createTemplates, type AllTemplates } from './templates/templates.ts'
import { createEmulatorClock, type EmulatorClock } from './time/clock.ts'
import { createSchedule, type Schedule } from './time/schedule.ts'

/** Everything that the emulated service knows. A reset throws it away and makes a new one. */
export interface State {
  /** Switched while it runs: read anew each time. */
  readonly assumptions: Assumptions
  readonly account: Account
  readonly clock: EmulatorClock
  readonly schedule: Schedule
  readonly random: Random
  readonly ids: Ids
  readonly phones: Phones
  readonly templates: AllTemplates
  readonly keys: Keys
  readonly faults: Faults
  readonly subscriptions: Subscriptions
  readonly deliverer: Deliverer
  /** Counts what takes turns: payload shapes, the case of a status. */
  readonly turn: { received: number; status: number; case: number }
  close(): void
}

export interface StateParts {
  readonly assumptions: Assumptions
  readonly accessToken: string
  readonly headerPrefix: string
  readonly random: Random
  readonly timers: Timers
  readonly wall: () => Date
  readonly start: Date | undefined
}

export function createState(parts: StateParts): State {
  const { random, timers } = parts
  const assumptions = { ...parts.assumptions }
  const clock = createEmulatorClock(parts.wall, parts.start)
  const schedule = createSchedule(timers, () => clock.wall())
  const ids = createIds(random)
  const faults = createFaults()
  const subscriptions = createSubscriptions(ids)
  const deliverer = createDeliverer({ ...parts, assumptions, clock, schedule, ids, faults, subscriptions })
  const firstTurn = () => Math.floor(random() * 1_000)
  return {
    assumptions,
    account: createAccount(parts.accessToken),
    clock,
    schedule,
    random,
    ids,
    phones: createPhones(),
    templates: createTemplates(ids),
    keys: createKeys(() => clock.now(), assumptions),
    faults,
    subscriptions,
    deliverer,
    turn: { received: firstTurn(), status: firstTurn(), case: firstTurn() },
    close() {
      schedule.clear()
      deliverer.close()
    },
  }
}
