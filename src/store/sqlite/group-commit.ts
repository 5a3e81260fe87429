import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'
import { byPayloadTime, unharmed, Unstorable, type Commit } from '../database/engine.ts'
import { isBusy } from './connection.ts'
import type { OpenFile } from './open-file.ts'
import { codeOf, type Operation, RowFault, transact } from './transaction.ts'
import type { WorkKind } from '../database/steps.ts'

interface Queued {
  readonly run: Operation<unknown>
  readonly persists: boolean
  /** True if the operation may wait until other operations cause a commit. */
  readonly mayWait: boolean
  /** The payload time of a delivery that is stored; undefined for other operations. */
  readonly at: number | undefined
  /**
   * Monotonic time until which the operation waits for other processes and for disk space. An operation that persists
   * waits longer.
   */
  readonly until: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

export const BATCH = 256
/**
 * The longest wait of a commit for more operations. The wait ends when as many are queued as in the last commit. After
 * a commit that took less time than this, there is no wait: enough operations arrive while the next one runs.
 */
const GATHER_MS = 1
/** How long an operation that may wait is delayed, so that it joins the commit of the next delivery. */
const RIDE_MS = 2
const BUSY_RETRY_MS = 2
const RETRY_MS = 250
/** The longest wait for another process: half a lease, because the operation may give the process its lease. */
const WAIT_MS = 5_000
const CLOSING_BUSY_MS = 1_000
/** These globals are captured, because an app's tests may replace them. */
const { setTimeout, clearTimeout, setImmediate } = globalThis

interface GroupCommitDeps {
  readonly file: Pick<OpenFile, 'connection' | 'check' | 'failed' | 'tidy'>
  readonly timers: Timers
  readonly monotonic: () => number
  readonly gathers: boolean
  readonly onWake: (work: WorkKind) => void
  readonly onCommit?: ((commit: Commit) => void) | undefined
}

/**
 * Commits all operations that arrive together, because an fsync costs the same for one row as for a hundred. If an
 * operation cannot be stored, all are committed one by one, and only that one fails. If another process writes, or the
 * disk is full, all operations stay queued. After any other failure the file is opened again, and operations that
 * persist run first.
 */
export class GroupCommit {
  readonly #o: GroupCommitDeps
  readonly #onCommit: (commit: Commit) => void
  #queue: Queued[] = []
  /** How many operations of the queue may not wait. */
  #urgent = 0
  #last = { urgent: 0, deliveries: 0, tookMs: 0 }
  /** The planned commit: at once, soon so that others join, with the next delivery, or again after a failure. */
  #next: { readonly comes: 'at once' | 'soon' | 'by ride' | 'again'; readonly timer?: NodeJS.Timeout } | undefined
  #isClosed = false
  /** Why the last commit failed; undefined if only one operation was at fault. */
  #failure: unknown

  constructor(o: GroupCommitDeps) {
    this.#o = o
    this.#onCommit = unharmed(o.onCommit)
  }

  /** Runs an operation. It may run again from its start, so it must have no effect outside the database. */
  run<T>(run: Operation<T>): Promise<T> {
    return this.#enqueue({ run, persists: false })
  }

  accept<T>(
    run: Operation<T>,
    { at = 0, waitMs }: { readonly at: number | undefined; readonly waitMs?: number },
  ): Promise<T> {
    return this.#enqueue({ run, persists: false, at, waitMs })
  }

  persist<T>(run: Operation<T>, { mayWait }: { readonly mayWait: boolean } = { mayWait: false }): Promise<T> {
    return this.#enqueue({ run, persists: true, mayWait })
  }

  /**
   * Commits everything that is queued, without waiting. Operations that cannot be stored now are rejected, even those
   * that persist.
   */
  close(): void {
    this.#isClosed = true
    while (this.#queue.length > 0) this.#flush()
  }

  #enqueue<T>(
    operation: Pick<Queued, 'run' | 'persists'> & Partial<Queued> & { waitMs?: number | undefined },
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      const { run, persists, mayWait = false, at, waitMs = WAIT_MS } = operation
      const until = this.#o.monotonic() + waitMs
      this.#queue.push({ run, persists, mayWait, at, until, resolve, reject })
      if (!mayWait) this.#urgent++
      this.#schedule()
    })
  }

  #schedule(): void {
    const comes = this.#next?.comes
    if (comes === 'at once' || comes === 'again') return
    const { urgent, deliveries, tookMs } = this.#last
    const isDue = this.#urgent > 0 ? this.#urgent >= urgent || tookMs < GATHER_MS : deliveries === 0
    if (isDue || !this.#o.gathers) {
      // Otherwise the planned timer would commit a second time.
      clearTimeout(this.#next?.timer)
      this.#next = { comes: 'at once' }
      setImmediate(this.#flush)
    } else if (this.#urgent > 0 && comes !== 'soon') {
      clearTimeout(this.#next?.timer)
      this.#next = { comes: 'soon', timer: setTimeout(this.#flush, GATHER_MS) }
    } else this.#next ??= { comes: 'by ride', timer: setTimeout(this.#flush, RIDE_MS) }
  }

  readonly #flush = (): void => {
    clearTimeout(this.#next?.timer)
    this.#next = undefined
    this.#failure = undefined
    const batch = this.#queue.splice(0, BATCH)
    const deliveries = batch.filter(({ at }) => at !== undefined).length
    this.#last = { urgent: count(batch), deliveries, tookMs: this.#last.tookMs }
    this.#queue.unshift(...this.#commit(byPayloadTime(batch)))
    // The commit may fail for long. Operations that have waited long enough are refused.
    if (this.#failure !== undefined) this.#rejectImpatient(this.#failure)
    this.#urgent = count(this.#queue)
    if (this.#queue.length === 0) return
    if (this.#failure === undefined) return this.#schedule()
    this.#next = { comes: 'again' }
    this.#o.timers.after(isBusy(this.#failure) ? BUSY_RETRY_MS : RETRY_MS, this.#flush)
  }

  #commit(batch: readonly Queued[]): readonly Queued[] {
    // A close may have emptied the queue.
    if (batch.length === 0) return []
    const { file, monotonic, onWake } = this.#o
    const woken = new Set<WorkKind>()
    const beganAt = monotonic()
    try {
      // If the file was removed, no work begins and no send goes out: the send's key would be lost with the file.
      file.check()
      const connection = file.connection()
      if (this.#isClosed) connection.raw.pragma(`busy_timeout = ${CLOSING_BUSY_MS}`)
      const operations = batch.map(({ run }) => run)
      const results = transact(connection, operations, (work) => woken.add(work))
      batch.forEach(({ resolve }, index) => resolve(results[index]))
    } catch (error) {
      if (!(error instanceof RowFault)) return this.#failed(batch, error)
      // If an operation fails for another reason than its row, later ones stay queued in their order.
      if (batch.length > 1) return batch.flatMap((one) => (this.#failure === undefined ? this.#commit([one]) : [one]))
      const { cause } = error
      batch[0]?.reject(codeOf(cause) === undefined ? cause : new Unstorable(notStored(cause).message, cause))
      return []
    }
    const tookMs = (this.#last.tookMs = monotonic() - beganAt)
    this.#onCommit({ operations: batch.length, durationMs: tookMs })
    for (const work of woken) onWake(work)
    setImmediate(() => file.tidy(batch.length))
    return []
  }

  #failed(batch: readonly Queued[], error: unknown): readonly Queued[] {
    this.#failure = error
    if (isBusy(error) || this.#o.file.failed(error)) return batch
    for (const operation of batch) if (!operation.persists) operation.reject(notStored(error))
    return batch.filter(({ persists }) => persists)
  }

  /** Refuses queued operations that have waited long enough. At the close it refuses all. */
  #rejectImpatient(error: unknown): void {
    const now = this.#o.monotonic()
    const waits = ({ persists, until }: Queued) => !this.#isClosed && (persists || until > now)
    for (const operation of this.#queue) if (!waits(operation)) operation.reject(notStored(error))
    this.#queue = this.#queue.filter(waits)
  }
}

function count(queue: readonly Queued[]): number {
  return queue.reduce((sum, { mayWait }) => (mayWait ? sum : sum + 1), 0)
}

function notStored(error: unknown): SwitchhookError {
  if (error instanceof SwitchhookError) return error
  return new SwitchhookError(
    'store_unavailable',
    `the database did not take a write: ${codeOf(error) ?? reasonOf(error)}`,
    { cause: error },
  )
}
