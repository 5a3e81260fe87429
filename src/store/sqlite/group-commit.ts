import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'
import type { Commit, Work } from '../types/index.ts'
import { isBusy } from './connection.ts'
import type { OpenFile } from './open-file.ts'
import { codeOf, type Operation, RowFault, transact } from './transaction.ts'

interface Queued {
  readonly run: Operation<unknown>
  readonly kept: boolean
  /** Nobody waits for the operation, so it rides on a commit that others need. */
  readonly mayWait: boolean
  /** For an acceptance: the payload time of what it stores. */
  readonly at: number | undefined
  /** Until then it waits for another process or another operation, by the monotonic clock; a kept one waits on. */
  readonly until: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

export interface GroupCommit {
  /**
   * Runs an operation in the transaction that all operations of this moment share, and resolves once the transaction is
   * on disk. An operation may run again from its start, so it must have no effect but on the database.
   */
  run<T>(operation: Operation<T>): Promise<T>
  /**
   * The same for an acceptance: those of one commit go in the order of their payload times.
   *
   * @param o.waitMs milliseconds for which it waits if another process writes; the default is `WAIT_MS`.
   */
  accept<T>(operation: Operation<T>, o: { readonly at: number | undefined; readonly waitMs?: number }): Promise<T>
  /** The same for an operation that must land: if a commit fails, it runs again in the next one. */
  keep<T>(operation: Operation<T>, o?: { readonly mayWait: boolean }): Promise<T>
  /** Commits all that is queued, once and at once; an operation that cannot be stored now is rejected, kept or not. */
  close(): void
}

export const BATCH = 256
/** A commit waits no longer until as many operations have come as the last one had. */
const LONGEST_GATHER_MS = 2
/** Nor longer than so many times what the last commit took: on a fast disk, company saves less than the wait costs. */
const GATHER_COMMITS = 3
/** How long an operation that may wait waits for a commit that others need. */
const RIDE_MS = 5
const RETRY_KEPT_MS = 250
/** The time between two looks whether another process has ended its write. */
const LOOK_AGAIN_MS = 2
/**
 * An operation that somebody waits for waits so long for another process: half a lease, since it may be the one by
 * which a lease begins.
 */
const WAIT_MS = 5_000
/** `busy_timeout` at the close, which blocks the event loop when nothing else is to be done. */
const CLOSING_BUSY_MS = 1_000
/** Captured, since an app's tests may put false ones in their place. */
const { setTimeout, clearTimeout, setImmediate } = globalThis

/**
 * Puts operations that come at about the same time into one commit: an fsync costs the same for one row and for a
 * hundred. A row that fails alone is found by committing one by one. While another process writes, all stay queued in
 * their order and the event loop runs. After a failed commit the connection is opened anew, since the state of the
 * failed one is not to be trusted.
 */
export function createGroupCommit(o: {
  file: Pick<OpenFile, 'writing' | 'check' | 'confirm' | 'failed' | 'tidy'>
  timers: Timers
  monotonic: () => number
  /** False for a database in memory, to which a commit costs nothing: none waits for company. */
  gathers: boolean
  onWake: (work: Work) => void
  onCommit?: ((commit: Commit) => void) | undefined
}): GroupCommit {
  let queue: Queued[] = []
  /** Operations in the queue that somebody waits for, and those in the last commit. */
  let urgent = 0
  let expected = 1
  let lastCommitMs = LONGEST_GATHER_MS
  let flushing = false
  let timer: NodeJS.Timeout | undefined
  let waitsForRetry = false
  let closed = false
  /** The error of the last commit, and if that is another process which was writing. */
  let failure: unknown
  let busy = false

  const enqueue = (operation: Pick<Queued, 'run' | 'kept'> & Partial<Queued> & { readonly waitMs?: number }) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      const { run, kept, mayWait = false, at, waitMs = WAIT_MS } = operation
      queue.push({ run, kept, mayWait, at, until: o.monotonic() + waitMs, resolve, reject })
      if (!mayWait) urgent++
      schedule()
    })

  function schedule(): void {
    if (flushing || waitsForRetry) return
    // While little happens, nothing waits for company.
    if (urgent >= expected || expected === 1 || !o.gathers) {
      // Both would commit, and a timer that is due keeps the event loop among its timers.
      clearTimeout(timer)
      flushing = true
      setImmediate(flush)
    } else
      timer ??= setTimeout(flush, urgent > 0 ? Math.min(LONGEST_GATHER_MS, GATHER_COMMITS * lastCommitMs) : RIDE_MS)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    flushing = false
    waitsForRetry = false
    // A close was faster, and nothing is left: a commit would open the file again.
    if (queue.length === 0) return
    const batch = queue.length <= BATCH ? queue : queue.slice(0, BATCH)
    queue = queue.length <= BATCH ? [] : queue.slice(BATCH)
    expected = Math.max(1, count(batch))
    failure = undefined
    busy = false
    queue.unshift(...commit(inOrder(withTrustedFile(batch))))
    // Behind what must land and does not, all else would wait as long as that.
    if (failure !== undefined && (busy || !closed)) rejectImpatient(failure)
    urgent = count(queue)
    if (queue.length > 0) schedule()
  }

  /** Refuses acceptances if what is committed now would not be found. */
  function withTrustedFile(batch: readonly Queued[]): readonly Queued[] {
    if (!batch.some(isAcceptance)) return batch
    const distrusted = errorOf(o.file.check)
    if (distrusted === undefined) return batch
    for (const operation of batch) if (isAcceptance(operation)) operation.reject(distrusted)
    return batch.filter((operation) => !isAcceptance(operation))
  }

  /** Answers with the operations that must land and did not, in their order. */
  function commit(batch: readonly Queued[]): readonly Queued[] {
    const woken = new Set<Work>()
    const beganAt = o.monotonic()
    try {
      const connection = o.file.writing()
      if (closed) connection.raw.pragma(`busy_timeout = ${CLOSING_BUSY_MS}`)
      const operations = batch.map(({ run }) => run)
      const results = transact(connection, operations, (work) => woken.add(work))
      // Files may be taken away during the commit too.
      const lost = errorOf(o.file.confirm)
      batch.forEach((operation, index) => {
        if (lost !== undefined && isAcceptance(operation)) operation.reject(lost)
        else operation.resolve(results[index])
      })
    } catch (error) {
      if (!(error instanceof RowFault)) return failed(batch, error)
      if (batch.length > 1) return oneByOne(batch)
      batch[0]?.reject(error.cause)
      return []
    }
    lastCommitMs = o.monotonic() - beganAt
    o.onCommit?.({ operations: batch.length, durationMs: lastCommitMs })
    for (const work of woken) o.onWake(work)
    setImmediate(o.file.tidy)
    return []
  }

  /**
   * Must-land operations keep their order: if one fails, later ones stay queued, since a settlement may depend on an
   * earlier `once` result.
   */
  function oneByOne(batch: readonly Queued[]): readonly Queued[] {
    const left: Queued[] = []
    for (const operation of batch) {
      const stays = busy || (left.length > 0 && operation.kept)
      left.push(...(stays ? [operation] : commit([operation])))
    }
    return left
  }

  function failed(batch: readonly Queued[], error: unknown): readonly Queued[] {
    failure = error
    if (isBusy(error)) {
      busy = true
      retryAfter(LOOK_AGAIN_MS)
      return batch
    }
    o.file.failed(error)
    const kept = closed ? [] : batch.filter((operation) => operation.kept)
    for (const operation of batch) if (!kept.includes(operation)) operation.reject(notStored(error))
    if (kept.length > 0) retryAfter(RETRY_KEPT_MS)
    return kept
  }

  function retryAfter(ms: number): void {
    if (waitsForRetry || closed) return
    waitsForRetry = true
    o.timers.after(ms, flush)
  }

  /** Of all that is queued, refuses what has waited long enough; at the close that is all. */
  function rejectImpatient(error: unknown): void {
    const now = o.monotonic()
    const waits = ({ kept, until }: Queued) => !closed && (kept || until > now)
    for (const operation of queue) if (!waits(operation)) operation.reject(notStored(error))
    queue = queue.filter(waits)
  }

  return {
    run: <T>(run: Operation<T>) => enqueue({ run, kept: false }) as Promise<T>,
    accept: <T>(run: Operation<T>, { at = 0, ...wait }: Parameters<GroupCommit['accept']>[1]) =>
      enqueue({ run, kept: false, at, ...wait }) as Promise<T>,
    keep: <T>(run: Operation<T>, { mayWait } = { mayWait: false }) =>
      enqueue({ run, kept: true, mayWait }) as Promise<T>,
    close() {
      closed = true
      while (queue.length > 0) flush()
    },
  }
}

function isAcceptance({ at }: Queued): boolean {
  return at !== undefined
}

function errorOf(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}

function count(queue: readonly Queued[]): number {
  return queue.reduce((sum, { mayWait }) => (mayWait ? sum : sum + 1), 0)
}

/** Of acceptances in one commit the oldest payload time goes first; all else keeps its place. */
function inOrder(batch: readonly Queued[]): readonly Queued[] {
  const accepting = batch.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return batch.map((operation) => (operation.at === undefined ? operation : (accepting[next++] ?? operation)))
}

function notStored(error: unknown): SwitchhookError {
  return new SwitchhookError(
    'store_unavailable',
    `the database did not take a write: ${codeOf(error) ?? reasonOf(error)}`,
    { cause: error },
  )
}
