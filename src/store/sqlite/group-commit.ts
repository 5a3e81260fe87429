import { reasonOf, SwitchhookError } from '../../base/errors.ts'

export type Operation<Tx, T> = (tx: Tx) => T

interface Queued<Tx> {
  readonly run: Operation<Tx, unknown>
  /** For an arrival: its payload time. */
  readonly at: number | undefined
  /** Nobody waits for it, so it shares a commit that others need. */
  readonly rides: boolean
  /** Until then it waits for another process, by the monotonic clock. */
  readonly until: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

export interface Transactions<Tx> {
  begin(): Tx
  /** Runs what was to happen after the commit. */
  commit(tx: Tx): void
  rollback(): void
}

/** A commit waits for company for at most so many times the duration of the last one. */
const GATHER_FACTOR = 3
/** How long an operation that nobody waits for waits for company, milliseconds. */
const RIDE_MS = 5
const LOOK_AGAIN_MS = 2
/** How long a caller waits while another process writes, milliseconds. */
const WAIT_MS = 4_000
const { setTimeout, clearTimeout, setImmediate } = globalThis

/**
 * Runs operations that are asked for at about the same time in one transaction, because one sync costs as much as the
 * rest of the commit. An operation may run again from its start, so it must write nothing but the database.
 */
export class GroupCommit<Tx> {
  #queue: Queued<Tx>[] = []
  /** Operations in the queue that somebody waits for, and those of the last commit. */
  #urgent = 0
  #expected = 1
  #lastMs = 0
  #timer: NodeJS.Timeout | undefined
  #scheduled = false
  #closed = false
  readonly #transactions: Transactions<Tx>

  constructor(transactions: Transactions<Tx>) {
    this.#transactions = transactions
  }

  run<T>(run: Operation<Tx, T>, o: { readonly at?: number; readonly rides?: boolean } = {}): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      const { at, rides = false } = o
      this.#queue.push({ run, at, rides, until: performance.now() + WAIT_MS, resolve, reject })
      if (!rides) this.#urgent++
      this.#schedule()
    }) as Promise<T>
  }

  /** Commits what is queued, at once. */
  close(): void {
    this.#closed = true
    this.#flush()
    for (const { reject } of this.#queue.splice(0))
      reject(new SwitchhookError('store_unavailable', 'the store is closed'))
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#scheduled) return
    if (this.#urgent >= this.#expected || this.#expected === 1) {
      clearTimeout(this.#timer)
      this.#scheduled = true
      setImmediate(() => this.#flush())
    } else this.#timer ??= setTimeout(() => this.#flush(), this.#urgent > 0 ? GATHER_FACTOR * this.#lastMs : RIDE_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#scheduled = false
    if (this.#queue.length === 0) return
    const batch = this.#queue
    this.#queue = []
    this.#expected = Math.max(1, this.#urgent)
    this.#urgent = 0
    this.#commit(inOrder(batch))
  }

  #commit(batch: readonly Queued<Tx>[]): void {
    const began = performance.now()
    let tx: Tx
    try {
      tx = this.#transactions.begin()
    } catch (error) {
      return this.#wait(batch, error)
    }
    let results: unknown[]
    try {
      results = batch.map(({ run }) => run(tx))
    } catch (error) {
      this.#transactions.rollback()
      // A row that fails alone must fail alone.
      if (batch.length > 1) for (const one of batch) this.#commit([one])
      else batch[0]?.reject(error)
      return
    }
    try {
      this.#transactions.commit(tx)
    } catch (error) {
      this.#transactions.rollback()
      for (const { reject } of batch) reject(notStored(error))
      return
    }
    this.#lastMs = performance.now() - began
    batch.forEach(({ resolve }, index) => resolve(results[index]))
  }

  /** Another process writes: keeps the order, and lets the event loop run. */
  #wait(batch: readonly Queued<Tx>[], error: unknown): void {
    const now = performance.now()
    const stay = isBusy(error) ? batch.filter(({ until }) => until > now) : []
    for (const one of batch) if (!stay.includes(one)) one.reject(notStored(error))
    this.#queue.unshift(...stay)
    this.#urgent = this.#queue.filter(({ rides }) => !rides).length
    if (this.#queue.length === 0 || this.#closed) return
    this.#scheduled = true
    setTimeout(() => this.#flush(), LOOK_AGAIN_MS)
  }
}

/** Arrivals of one commit go in the order of their payload times. Everything else keeps its place. */
function inOrder<Tx>(batch: readonly Queued<Tx>[]): readonly Queued<Tx>[] {
  const arrivals = batch.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return batch.map((one) => (one.at === undefined ? one : (arrivals[next++] ?? one)))
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')
}

function notStored(error: unknown): SwitchhookError {
  return new SwitchhookError('store_unavailable', `the database rejected a write: ${reasonOf(error)}`, { cause: error })
}
