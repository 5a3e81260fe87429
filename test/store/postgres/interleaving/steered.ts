import { Pool, type PoolClient } from 'pg'
import type { PostgresClient, PostgresPool } from '../../../../src/store/postgres/pool.ts'
import { openPostgres } from '../../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../../src/store/store.ts'

/**
 * `held`: its next statement waits to be let go. `waits`: the server has its statement, and another transaction's lock in
 * front of it. `ended`: it has nothing more to do.
 */
export type At = 'held' | 'waits' | 'ended'

/** A process of the bot whose statements run one by one, each when the test lets it. */
export interface Steered {
  readonly store: Store
  /** The states of PostgreSQL that its statements failed with. */
  readonly faults: unknown[]
  /** Begins this work, each of whose statements waits for a step. */
  steer(work: () => Promise<unknown>): void
  /** Has the next statement run; true if that ends a transaction. */
  step(): boolean
  /** How many statements it has had since it was asked last, and which of them ended a transaction. */
  count(): { readonly steps: number; readonly ends: readonly number[] }
  /** Where it is once it stops. `unlessWaits`: a lock is not where it stops. */
  stops(o?: { readonly unlessWaits?: boolean }): Promise<At>
  /** What the work has come to. Its statements wait no more. */
  result(): Promise<unknown>
  /** Waits for what is not steered, and has its time pass. */
  passing<T>(work: Promise<T>): Promise<T>
  /** Another store of the same process. */
  start(o?: { readonly restored?: boolean }): Promise<Store>
  close(): Promise<void>
}

/** So many turns of the event loop without a statement: then it waits for time to pass. */
const QUIET_TURNS = 8
const SOON_TURNS = 4
/** What only prepares its transaction is no step. */
const SETS = /^SELECT\s+set_config/
const ENDS = /^(COMMIT|ROLLBACK)/
const LOCKED = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pid = ANY ($1) LIMIT 1'
/** Of a connection that listens, or looks at the clock: beside the operations. */
const BESIDE = /^(UN)?LISTEN |^NOTIFY |clock_timestamp/

/** @param looks asks the server beside it. */
export async function openSteered(url: string, looks: Pool): Promise<Steered> {
  const pool = new Pool({ connectionString: url })
  const time = createTime()
  const faults: unknown[] = []
  const pids = new Set<number>()
  let held: { readonly text: string; readonly run: () => void }[] = []
  let asked = 0
  let ends: number[] = []
  let asking = 0
  let steers = false
  let result: Promise<unknown> | undefined
  let ended = true
  let changed = Promise.withResolvers<void>()

  function change(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  async function beside<T>(work: Promise<T>): Promise<T> {
    asking++
    try {
      return await work
    } finally {
      asking--
      change()
    }
  }

  const steered: PostgresPool = {
    async connect() {
      const client = (await beside(pool.connect())) as PoolClient & { processID: number }
      pids.add(client.processID)
      return {
        on: (event, listener) => client.on(event as 'error', listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
        async query(query: { readonly text: string }) {
          const isBeside = BESIDE.test(query.text.trimStart())
          const isStep = !isBeside && !SETS.test(query.text.trimStart())
          if (isStep) asked++
          if (ENDS.test(query.text)) ends.push(asked)
          if (steers && isStep)
            await new Promise<void>((run) => {
              held.push({ text: query.text, run })
              change()
            })
          const answer = client.query(query as never) as unknown as Promise<unknown>
          answer.catch((error: { code?: unknown }) => faults.push(error.code))
          return isBeside ? answer : beside(answer)
        },
      } satisfies PostgresClient
    },
  }
  const store = await passing(openPostgres(steered, time))

  /** Waits for this, also for its timers. */
  async function passing<T>(work: Promise<T>): Promise<T> {
    const isOver = work.then(
      () => true,
      () => true,
    )
    for (let quiet = 0; ; ) {
      const { promise } = changed
      if (await Promise.race([isOver, asking > 0 ? promise.then(() => false) : nextTurn()])) break
      quiet = asking > 0 ? 0 : quiet + 1
      if (quiet % QUIET_TURNS === QUIET_TURNS - 1) time.pass()
    }
    return work
  }

  async function isLocked(): Promise<boolean> {
    const { rows } = await looks.query(LOCKED, [[...pids]])
    return rows.length > 0
  }

  // The start proves that a lock excludes.
  faults.length = 0
  return {
    store,
    faults,
    steer(work) {
      steers = true
      ended = false
      result = work().catch(refusedAs)
      void result.then(() => {
        ended = true
        change()
      })
    },
    step() {
      const next = held.shift()
      next?.run()
      return next !== undefined && ENDS.test(next.text)
    },
    count() {
      const counted = { steps: asked, ends }
      asked = 0
      ends = []
      return counted
    },
    async stops({ unlessWaits = false } = {}) {
      for (let quiet = 0; ; ) {
        if (ended) return 'ended'
        if (held.length > 0) return 'held'
        const { promise } = changed
        if (asking > 0) {
          quiet = 0
          if (unlessWaits) await promise
          else if (!(await isAnsweredSoon(promise)) && (await isLocked())) return 'waits'
        } else {
          await new Promise((resolve) => setImmediate(resolve))
          if (++quiet % QUIET_TURNS === 0) time.pass()
        }
      }
    },
    async result() {
      steers = false
      for (const { run } of held.splice(0)) run()
      return result
    },
    passing,
    start: (o = {}) => openPostgres(steered, { ...time, ...o }),
    async close() {
      await passing(store.close())
      await pool.end()
    },
  }
}

/** Most statements are: the question about its locks costs as much as two of them. */
async function isAnsweredSoon(answer: Promise<void>): Promise<boolean> {
  const answered = answer.then(() => true)
  for (let turns = 0; turns < SOON_TURNS; turns++) if (await Promise.race([answered, nextTurn()])) return true
  return false
}

function nextTurn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)))
}

export function refusedAs(error: unknown): { readonly refused: unknown } {
  const { code, message } = error as { code?: unknown; message: string }
  return { refused: code ?? message }
}

/** Passes only while a process waits for nothing else: the pause behind a lost turn takes no time of the test's. */
function createTime() {
  let now = 0
  let timers: { readonly at: number; readonly run: () => void }[] = []
  return {
    monotonic: () => now,
    timers: {
      after(ms: number, run: () => void) {
        const timer = { at: now + ms, run }
        timers.push(timer)
        return () => void (timers = timers.filter((one) => one !== timer))
      },
    },
    pass(): void {
      const next = timers.toSorted((a, b) => a.at - b.at)[0]
      if (!next) return
      timers = timers.filter((one) => one !== next)
      now = Math.max(now, next.at)
      next.run()
    },
  }
}
