import { onTestFinished } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import type { Answer, Body, BodyLimits } from '../../../src/bot/inbox/http.ts'
import { createKeySource, type KeysOfNumbers, type SecretSource } from '../../../src/bot/inbox/signature.ts'
import { createReceiver, type ReceiverDeps } from '../../../src/bot/inbox/receiver.ts'
import { createObservers } from '../../../src/bot/report/observers.ts'
import { createReports } from '../../../src/bot/report/reports.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { recordedLog } from './log.ts'
import { NOW, SECRET, type SentHeaders } from './signing.ts'
import { manualTimers } from './time.ts'

/** The receiver over the real store in memory, with a clock that a test turns. */
export function receiverOn(
  o: {
    secrets?: Record<string, SecretSource['secrets']>
    keys?: KeysOfNumbers
    accept?: ReceiverDeps['store']['accept']
    local?: boolean
    /** How far the clock of the API is ahead, which is an emulator then. */
    emulatorOffset?: number
    /** The store's clock is so far ahead of the machine's. */
    storeAhead?: number
  } = {},
) {
  const time = { now: NOW, elapsed: 0 }
  const recorded = recordedLog()
  const clock = {
    ...createClock(
      () => new Date(time.now),
      () => time.elapsed,
    ),
    wall: () => time.now + (o.storeAhead ?? 0),
  }
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  const { timers } = manualTimers()
  let storeCalls = 0
  let cancelled = 0
  const receiver = createReceiver({
    store: {
      async accept(delivery, how) {
        storeCalls++
        return o.accept ? o.accept(delivery, how) : store.accept(delivery)
      },
    },
    ingest: { numbersOf: (name) => [{ name, phoneNumberId: undefined }], listens: () => true },
    lanes: { reserve: async () => ({ begin: undefined, run() {}, cancel: () => void cancelled++ }) },
    reportItems: { ingested() {} },
    clock,
    timers,
    log: recorded.log,
    report: createReports(recorded.log, clock, createObservers(recorded.log)).receiving,
    keys:
      o.keys ??
      createKeySource(
        Object.entries(o.secrets ?? { default: SECRET }).map(([number, secrets]) => ({ number, secrets })),
        clock.machine,
        timers,
      ),
    headerPrefix: 'X-Service-',
    bodyLimit: 1_048_576,
    keepStale: false,
    dispatchIdentical: false,
    local: o.local ?? false,
    explains: true,
    emulatorOffset: async () => o.emulatorOffset,
  })

  return {
    ...recorded,
    clock,
    time,
    store,
    /** How many deliveries the receiver gave to the store. */
    storeCalls: () => storeCalls,
    /** How often reserved room was given back because a commit failed. */
    cancelled: () => cancelled,
    async ready(): Promise<boolean> {
      return (await receiver).ready()
    },
    async beginStop(): Promise<void> {
      ;(await receiver).beginStop()
    },
    /** One request, with its body at hand. */
    post(body: Uint8Array, headers: SentHeaders | Headers, method = 'POST'): Promise<Answer> {
      return this.take({ headers, method, readBody: async () => ({ bytes: body }) })
    },
    async take(incoming: {
      headers: SentHeaders | Headers
      method?: string
      readBody: (limits: BodyLimits) => Promise<Body>
      number?: () => Promise<string | undefined>
    }): Promise<Answer> {
      return (await receiver).receive({ method: 'POST', ...incoming })
    },
    async states(): Promise<Readonly<Record<string, number>>> {
      return (await store.counts()).deliveries
    },
  }
}

export const REFUSED = { status: 401, body: '{"error":"unauthorized"}' }
export const ACCEPTED = { status: 200, body: '{"status":"accepted"}' }
export const DUPLICATE = { status: 200, body: '{"status":"duplicate"}' }
