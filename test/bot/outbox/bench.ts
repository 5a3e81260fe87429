/** An outbox over a real store in memory, beside a service in memory, on virtual time. */
import { afterEach, beforeEach } from 'vitest'
import { createClock, type Timers } from '../../../src/base/clock.ts'
import { silent } from '../../../src/base/log.ts'
import { createClient } from '../../../src/client/client.ts'
import { ProcessLease } from '../../../src/bot/lanes/lease.ts'
import type { SendIntent } from '../../../src/bot/outbox/record-send.ts'
import type { SendResult } from '../../../src/bot/outbox/send.ts'
import { createTapSigner } from '../../../src/bot/outbox/tap-signature.ts'
import { WITHOUT_RULE } from '../../../src/bot/same-customer.ts'
import { createOutbox, type Outbox } from '../../../src/bot/outbox/record-send.ts'
import type { SendDeps } from '../../../src/bot/outbox/send-worker.ts'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { createService, type Service } from './service.ts'

export const T0 = Date.UTC(2026, 2, 4, 9)
export const ASHA = '255712000101'
export const TOKEN = 'EAAGtokenOfTheConnectedNumber0123456789'

export interface Bench extends AsyncDisposable {
  readonly store: Store
  readonly service: Service
  readonly now: () => number
  /** Starts a process over the store. */
  boot(o?: Partial<SendDeps>): Process
  /** Lets time pass, and runs everything that comes due in it. */
  pass(ms: number): Promise<void>
  /** Sets the clock to another time without running anything between: a machine that slept, or whose clock was set. */
  jump(ms: number): void
  /** Steps the wall clock of all processes, and lets no time pass. */
  step(ms: number): void
  timersLeft(): number
}

export interface Process {
  readonly outbox: Outbox
  /** Records a message of the app to Asha, in a slot named after it. */
  record(content: SendIntent['content'], change?: Partial<SendIntent>): Promise<SendResult>
  /** From now on the process has no effect and gets no answer. */
  kill(): void
  dead(): boolean
}

export function openBench(): Bench {
  const store = openSqlite(':memory:')
  const service = createService()
  const waiting = new Set<{ at: number; run: () => void }>()
  let now = T0
  /** How far the wall clock is from true time. */
  let off = 0
  let busy = 0
  const count = <A extends unknown[], R>(run: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      busy++
      try {
        return await run(...args)
      } finally {
        busy--
      }
    }
  }

  function boot(o: Partial<SendDeps> = {}): Process {
    let dead = false
    const never = new Promise<never>(() => {})
    const alive = <A extends unknown[], R>(run: (...args: A) => Promise<R>) => {
      const counted = count(run)
      return async (...args: A): Promise<R> => {
        if (dead) return never
        const result = await counted(...args)
        return dead ? never : result
      }
    }
    const own = Object.fromEntries(
      Object.entries(store).map(([name, it]) => [name, typeof it === 'function' && name !== 'onWork' ? alive(it) : it]),
    ) as unknown as Store
    const timers: Timers = {
      after(ms, run) {
        const one = { at: now + Math.max(0, ms), run: () => void (dead || run()) }
        waiting.add(one)
        return () => waiting.delete(one)
      },
    }
    const clock =
      o.clock ??
      createClock(
        () => new Date(now + off),
        () => now,
      )
    // Not counted as busy: an answer that never comes keeps only the client waiting.
    const fetch = (...call: Parameters<typeof globalThis.fetch>) => (dead ? never : service.fetch(...call))
    const nothing = () => {}
    const time = { store: own, clock, timers, log: silent }
    const lease = new ProcessLease({ ...time, name: `process ${++booted}` })
    const given = { ...time, lease, random: () => 0.5 }
    const client = createClient({ baseUrl: 'https://service.test', accessToken: TOKEN, fetch, ...given })
    const outbox = createOutbox({
      ...given,
      begins: true,
      numbers: 1,
      oneBusiness: true,
      sameCustomer: WITHOUT_RULE,
      onUnknown: 'repeat',
      reportsFailures: false,
      keysRememberedFor: service.remembers ? '24h' : 'until_settled',
      report: {
        settled: nothing,
        diverged: nothing,
        unexpectedError: nothing,
        throttled: nothing,
        templateUnsendable: nothing,
        lost: nothing,
      },
      long: 'refuse',
      templateParameters: 'refuse',
      strict: true,
      tapSigner: createTapSigner(Buffer.alloc(32, 1)),
      allowedRecipients: undefined,
      client: () => client,
      ...o,
    })
    store.onWork(() => void (dead || outbox.lanes.wake()))
    lease.keep()
    outbox.lanes.wake()
    return {
      outbox,
      record(content, change = {}) {
        const slot = typeof content === 'string' ? content : content.kind
        return outbox.recordSend({ number: 'default', to: ASHA, content, cause: 'app', slot, ...change })
      },
      kill() {
        dead = true
      },
      dead: () => dead,
    }
  }
  let booted = 0

  /** Resolves when the store and everything that waits for it have come to rest. */
  async function rest(): Promise<void> {
    for (let still = 0; still < 4; still = busy === 0 ? still + 1 : 0) await new Promise(setImmediate)
  }

  async function pass(ms: number): Promise<void> {
    const end = now + ms
    for (;;) {
      await rest()
      const next = [...waiting].toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      waiting.delete(next)
      now = Math.max(now, next.at)
      next.run()
    }
    now = Math.max(now, end)
    await rest()
  }

  return {
    store,
    service,
    now: () => now + off,
    boot,
    pass,
    jump(ms) {
      now += ms
    },
    step(ms) {
      off += ms
    },
    timersLeft: () => waiting.size,
    async [Symbol.asyncDispose]() {
      await store.close()
    },
  }
}

/** Gives each test of a suite its own bench. */
export function eachWithBench(use: (bench: Bench) => void): void {
  let bench: Bench
  beforeEach(() => use((bench = openBench())))
  afterEach(() => bench[Symbol.asyncDispose]())
}

export const STORED = { options: { wait: 'stored' } } as const

/** The error that a promise rejects with; undefined if it resolves. */
export function caught(sending: Promise<unknown>): Promise<unknown> {
  return sending.then(
    () => undefined,
    (error: unknown) => error,
  )
}
