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

/**
 * An fsync costs the same for one row and for a hundred. A row that fails alone is found by committing one by one. If
 * another process writes, or there is no room, all stay queued. After any other failure the file is started again, and kept
 * operations run first.
 */
export function createGroupCommit(o: {
  file: Pick<OpenFile, 'connection' | 'check' | 'failed' | 'tidy'>
  timers: Timers
  monotonic: () => number
  gathers: boolean
  onWake: (work: Work) => void
  onCommit?: ((commit: Commit) => void) | undefined
}) {
  const onCommit = unharmed(o.onCommit)
  let queue: Queued[] = []
  let urgent = 0
  let last = { urgent: 0, deliveries: 0 }
  let lastCommitMs = 0
  let flushing = false
  let timer: NodeJS.Timeout | undefined
  let gathering = false
  let waitsForRetry = false
  let closed = false
  let failure: unknown

  const enqueue = (operation: Pick<Queued, 'run' | 'kept'> & Partial<Queued> & { waitMs?: number | undefined }) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      const { run, kept, mayWait = false, at, waitMs = WAIT_MS } = operation
      queue.push({ run, kept, mayWait, at, until: o.monotonic() + waitMs, resolve, reject })
      if (!mayWait) urgent++
      schedule()
    })

  function schedule(): void {
    if (flushing || waitsForRetry) return
    const atOnce = urgent > 0 ? urgent >= last.urgent || lastCommitMs < GATHER_MS : last.deliveries === 0
    if (atOnce || !o.gathers) {
      // Both would commit, and a timer that is due keeps the event loop among its timers.
      clearTimeout(timer)
      flushing = true
      setImmediate(flush)
    } else if (urgent > 0 && !gathering) {
      clearTimeout(timer)
      gathering = true
      timer = setTimeout(flush, GATHER_MS)
    } else timer ??= setTimeout(flush, RIDE_MS)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    gathering = false
    flushing = false
    waitsForRetry = false
    failure = undefined
    const batch = queue.splice(0, BATCH)
    last = { urgent: count(batch), deliveries: batch.filter(({ at }) => at !== undefined).length }
    queue.unshift(...commit(byPayloadTime(batch)))
    // Behind what must land and does not, all else would wait as long as that.
    if (failure !== undefined) rejectImpatient(failure)
    urgent = count(queue)
    if (queue.length === 0) return
    if (failure === undefined) return schedule()
    waitsForRetry = true
    o.timers.after(isBusy(failure) ? BUSY_RETRY_MS : RETRY_MS, flush)
  }

  function commit(batch: readonly Queued[]): readonly Queued[] {
    // Nothing is left if a close was faster.
    if (batch.length === 0) return []
    const woken = new Set<Work>()
    const beganAt = o.monotonic()
    try {
      // Nothing begins in a file that is gone, sends neither: their keys would be gone with it.
      o.file.check()
      const connection = o.file.connection()
      if (closed) connection.raw.pragma(`busy_timeout = ${CLOSING_BUSY_MS}`)
      const operations = batch.map(({ run }) => run)
      const results = transact(connection, operations, (work) => woken.add(work))
      batch.forEach(({ resolve }, index) => resolve(results[index]))
    } catch (error) {
      if (!(error instanceof RowFault)) return failed(batch, error)
      // Later operations stay in their order if one fails for another reason than its row.
      if (batch.length > 1) return batch.flatMap((one) => (failure === undefined ? commit([one]) : [one]))
      const { cause } = error
      batch[0]?.reject(codeOf(cause) === undefined ? cause : new Unstorable(notStored(cause).message, cause))
      return []
    }
    lastCommitMs = o.monotonic() - beganAt
    onCommit({ operations: batch.length, durationMs: lastCommitMs })
    for (const work of woken) o.onWake(work)
    setImmediate(o.file.tidy, batch.length)
    return []
  }

  function failed(batch: readonly Queued[], error: unknown): readonly Queued[] {
    failure = error
    if (isBusy(error) || o.file.failed(error)) return batch
    for (const operation of batch) if (!operation.kept) operation.reject(notStored(error))
    return batch.filter(({ kept }) => kept)
  }

  /** Of all that is queued, refuses what has waited long enough; at the close that is all. */
  function rejectImpatient(error: unknown): void {
    const now = o.monotonic()
    const waits = ({ kept, until }: Queued) => !closed && (kept || until > now)
    for (const operation of queue) if (!waits(operation)) operation.reject(notStored(error))
    queue = queue.filter(waits)
  }

  return {
    /** An operation may run again from its start, so it must have no effect but on the database. */
    run: <T>(run: Operation<T>) => enqueue({ run, kept: false }) as Promise<T>,
    accept: <T>(run: Operation<T>, { at = 0, waitMs }: { readonly at: number | undefined; readonly waitMs?: number }) =>
      enqueue({ run, kept: false, at, waitMs }) as Promise<T>,
    keep: <T>(run: Operation<T>, { mayWait }: { readonly mayWait: boolean } = { mayWait: false }) =>
      enqueue({ run, kept: true, mayWait }) as Promise<T>,
    /** Commits everything that is queued, at once; an operation that cannot be stored now is rejected, kept or not. */
    close(): void {
      closed = true
      while (queue.length > 0) flush()
    },
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
