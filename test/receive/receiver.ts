import { onTestFinished } from 'vitest'
import { createClock } from '../../src/base/clock.ts'
import type { Answer } from '../../src/receive/answers.ts'
import type { Body } from '../../src/receive/body.ts'
import { createKeyring } from '../../src/receive/keyring.ts'
import { receive, type Receiver } from '../../src/receive/receive.ts'
import { createObservers, createReports } from '../../src/report/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { recordedLog } from './log.ts'
import { NOW, SECRET, type SentHeaders } from './signing.ts'
import { manualTimers } from './time.ts'

/** The receiver over the real store in memory, with a clock that a test turns. */
export function receiverOn(
  o: { secrets?: Record<string, string | readonly string[]>; accept?: Receiver['accept']; explains?: boolean } = {},
) {
  const time = { now: NOW }
  const recorded = recordedLog()
  const clock = createClock(() => new Date(time.now))
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  const keyring = createKeyring(o.secrets ?? { default: SECRET })
  let stored = 0
  let stopping = false
  const receiver: Receiver = {
    clock,
    keys: { live: async () => keyring, renewed: async () => undefined, complete: () => true },
    keepStale: false,
    explains: o.explains ?? false,
    report: createReports(recorded.log, clock, createObservers(recorded.log)).receiving,
    names: {
      signature: 'x-service-signature',
      timestamp: 'x-service-timestamp',
      event: 'x-service-event',
      delivery: 'x-service-delivery',
      clockOffset: 'x-emulator-clock-offset',
    },
    limits: { maxBytes: 1_048_576, deadlineMs: 10_000, timers: manualTimers().timers },
    accept(delivery) {
      stored++
      return o.accept ? o.accept(delivery) : store.accept(delivery)
    },
    stopping: () => stopping,
  }

  return {
    ...recorded,
    time,
    store,
    /** How often the store was asked. */
    asked: () => stored,
    beginStop() {
      stopping = true
    },
    /** One request, with its body at hand. */
    post(body: Uint8Array, headers: SentHeaders | Headers, method = 'POST'): Promise<Answer> {
      return this.take({ headers, method, readBody: async () => ({ bytes: body }) })
    },
    take(incoming: {
      headers: SentHeaders | Headers
      method?: string
      readBody: () => Promise<Body>
    }): Promise<Answer> {
      return receive({ method: 'POST', ...incoming }, receiver)
    },
    async states(): Promise<Readonly<Record<string, number>>> {
      return (await store.counts()).deliveries
    },
  }
}

export const REFUSED = { status: 401, body: '{"error":"unauthorized"}' }
export const ACCEPTED = { status: 200, body: '{"status":"accepted"}' }
export const DUPLICATE = { status: 200, body: '{"status":"duplicate"}' }
