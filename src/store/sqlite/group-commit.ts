import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'
import { byPayloadTime, unharmed, Unstorable, type Commit } from '../engine.ts'
import { isBusy } from './connection.ts'
import type { OpenFile } from './open-file.ts'
import { codeOf, type Operation, RowFault, transact } from './transaction.ts'
import type { Work } from '../steps.ts'

interface Queued {
  readonly run: Operation<unknown>
  readonly kept: boolean
  /** It may ride on a commit that others need. */
  readonly mayWait: boolean
  /** For an acceptance: the payload time of what it stores. */
  readonly at: number | undefined
  /** Until then, by the monotonic clock, it waits for other processes and for room; a kept one waits longer. */
  readonly until: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

export const BATCH = 256
/**
 * A commit waits no longer for company than this, until as many operations are queued as the last one had, and not at all if
 * that one took less: then what comes while it runs is company enough.
 */
const GATHER_MS = 1
/** While deliveries come, what nobody waits for rides on the commit of the next one. After this time it gets its own. */
const RIDE_MS = 2
const BUSY_RETRY_MS = 2
const RETRY_MS = 250
/** Half a lease, since an operation may be the one by which a lease begins. */
const WAIT_MS = 5_000
const CLOSING_BUSY_MS = 1_000
/** Captured, since an app's tests may put false ones in their place. */
const { setTimeout, clearTimeout, setImmediate } = globalThis

interface GroupCommitDeps {
  readonly file: Pick<OpenFile, 'connection' | 'check' | 'failed' | 'tidy'>
  readonly timers: Timers
  readonly monotonic: () => number
  readonly gathers: boolean
  readonly onWake: (work: Work) => void
  readonly onCommit?: ((commit: Commit) => void) | undefined
}

/**
 * An fsync costs the same for one row and for a hundred. A row that fails alone is found by committing one by one. If
 * another process writes, or there is no room, all stay queued. After any other failure the file is started again, and kept
 * operations run first.
 */
export class GroupCommit {
  readonly #o: GroupCommitDeps
  readonly #onCommit: (commit: Commit) => void
  #queue: Queued[] = []
  /** How many of the queue do not ride. */
  #urgent = 0
  #last = { urgent: 0, deliveries: 0, tookMs: 0 }
  /** Which commit is planned: at once, a moment later for company, with the next delivery, or again after a failure. */
  #next: { readonly comes: 'at once' | 'soon' | 'by ride' | 'again'; readonly timer?: NodeJS.Timeout } | undefined
  #isClosed = false
  /** Why the last commit failed, if it was not for a row. */
  #failure: unknown

  constructor(o: GroupCommitDeps) {
    this.#o = o
    this.#onCommit = unharmed(o.onCommit)
  }

  /** An operation may run again from its start, so it must have no effect but on the database. */
  run<T>(run: Operation<T>): Promise<T> {
    return this.#enqueue({ run, kept: false })
  }

  accept<T>(
    run: Operation<T>,
    { at = 0, waitMs }: { readonly at: number | undefined; readonly waitMs?: number },
  ): Promise<T> {
    return this.#enqueue({ run, kept: false, at, waitMs })
  }

  keep<T>(run: Operation<T>, { mayWait }: { readonly mayWait: boolean } = { mayWait: false }): Promise<T> {
    return this.#enqueue({ run, kept: true, mayWait })
  }

  /** Commits everything that is queued, at once; an operation that cannot be stored now is rejected, kept or not. */
  close(): void {
    this.#isClosed = true
    while (this.#queue.length > 0) this.#flush()
  }

  #enqueue<T>(operation: Pick<Queued, 'run' | 'kept'> & Partial<Queued> & { waitMs?: number | undefined }): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      const { run, kept, mayWait = false, at, waitMs = WAIT_MS } = operation
      const until = this.#o.monotonic() + waitMs
      this.#queue.push({ run, kept, mayWait, at, until, resolve, reject })
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
      // Both would commit, and a timer that is due keeps the event loop among its timers.
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
    // Behind what must land and does not, all else would wait as long as that.
    if (this.#failure !== undefined) this.#rejectImpatient(this.#failure)
    this.#urgent = count(this.#queue)
    if (this.#queue.length === 0) return
    if (this.#failure === undefined) return this.#schedule()
    this.#next = { comes: 'again' }
    this.#o.timers.after(isBusy(this.#failure) ? BUSY_RETRY_MS : RETRY_MS, this.#flush)
  }

  #commit(batch: readonly Queued[]): readonly Queued[] {
    // Nothing is left if a close was faster.
    if (batch.length === 0) return []
    const { file, monotonic, onWake } = this.#o
    const woken = new Set<Work>()
    const beganAt = monotonic()
    try {
      // Nothing begins in a file that is gone, sends neither: their keys would be gone with it.
      file.check()
      const connection = file.connection()
      if (this.#isClosed) connection.raw.pragma(`busy_timeout = ${CLOSING_BUSY_MS}`)
      const operations = batch.map(({ run }) => run)
      const results = transact(connection, operations, (work) => woken.add(work))
      batch.forEach(({ resolve }, index) => resolve(results[index]))
    } catch (error) {
      if (!(error instanceof RowFault)) return this.#failed(batch, error)
      // Later operations stay in their order if one fails for another reason than its row.
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
    for (const operation of batch) if (!operation.kept) operation.reject(notStored(error))
    return batch.filter(({ kept }) => kept)
  }

  /** Of all that is queued, refuses what has waited long enough; at the close that is all. */
  #rejectImpatient(error: unknown): void {
    const now = this.#o.monotonic()
    const waits = ({ kept, until }: Queued) => !this.#isClosed && (kept || until > now)
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
