import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import type { Commit, Work } from '../port/index.ts'
import { kindOf, unavailable } from './faults.ts'
import type { PostgresPool } from './pool.ts'
import { type Done, type Operation, transact, UnknownOutcome, wasCommitted } from './transaction.ts'

interface Queued {
  readonly run: Operation<unknown>
  readonly kept: boolean
  /** For an acceptance: the payload time of what it stores. */
  readonly at: number | undefined
  /** It waits so long for a database that does not answer, by the monotonic clock; a kept one waits on. */
  readonly until: number
  settled: boolean
  resolve(result: unknown): void
  reject(error: unknown): void
}

export interface GroupCommit {
  /**
   * Runs an operation in a transaction that it may share with others, and resolves once that is committed. An operation
   * may run again from its start, so it must have no effect but on the database.
   */
  run<T>(operation: Operation<T>): Promise<T>
  /** The same for an acceptance: those of one transaction go in the order of their payload times. */
  accept<T>(operation: Operation<T>, o: { readonly at: number | undefined; readonly waitMs?: number }): Promise<T>
  /** The same for an operation that must land: it is repeated until it does. */
  keep<T>(operation: Operation<T>): Promise<T>
  /** Resolves once all that is queued is committed, or refused. */
  close(): Promise<void>
}

/** Others wait for the lock meanwhile. */
const BATCH = 64
export const WAIT_MS = 5_000
const RETRY_MS = 100
/** Whoever has waited too long is looked for this often. */
const SWEEP_MS = 250
/** Captured, since an app's tests may put a false one in its place. */
const { setImmediate } = globalThis

/**
 * Writes of a process go one transaction at a time: those that come while one is under way share the next. An operation
 * that cannot be stored is found by committing one by one. While the database does not answer, all stay queued in their
 * order; if the answer to a commit was lost, the database is asked what became of it.
 */
export function createGroupCommit(o: {
  pool: PostgresPool
  timers: Timers
  monotonic: () => number
  onWake: (work: Work) => void
  onCommit?: ((commit: Commit) => void) | undefined
}): GroupCommit {
  let queue: Queued[] = []
  let batch: readonly Queued[] = []
  let working: Promise<void> | undefined
  let closed = false
  /** Of the last attempt to commit. */
  let failure: unknown

  const enqueue = (run: Operation<unknown>, { kept = false, waitMs = WAIT_MS, at = undefined as number | undefined }) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(storeClosed())
      queue.push({ run, kept, at, until: o.monotonic() + waitMs, settled: false, resolve, reject })
      working ??= work()
    })

  async function work(): Promise<void> {
    let cancel = o.timers.after(SWEEP_MS, function sweep() {
      refuseImpatient()
      cancel = o.timers.after(SWEEP_MS, sweep)
    })
    while (queue.length > 0) {
      // All operations of one turn of the event loop share a transaction.
      await new Promise((resolve) => setImmediate(resolve))
      batch = queue.slice(0, BATCH)
      queue = queue.slice(BATCH)
      failure = undefined
      const left = await commit(inOrder(batch))
      batch = []
      queue = [...left, ...queue].filter(({ settled }) => !settled)
      if (failure === undefined || queue.length === 0) continue
      refuseImpatient()
      if (queue.length > 0) await pause()
    }
    cancel()
    working = undefined
  }

  /** Answers with the operations that are to be tried again, in their order. */
  async function commit(operations: readonly Queued[]): Promise<readonly Queued[]> {
    const beganAt = o.monotonic()
    try {
      const runs = operations.map(({ run }) => run)
      const done = await transact(o.pool, runs)
      o.onCommit?.({ operations: runs.length, durationMs: o.monotonic() - beganAt })
      return settle(operations, done)
    } catch (error) {
      if (error instanceof UnknownOutcome) return await afterUnknown(operations, error)
      const kind = kindOf(error)
      if (kind === 'row' && operations.length > 1) return await oneByOne(operations)
      if (kind === 'row') refuse(operations, error)
      else failure = error
      if (kind === 'lasting')
        refuse(
          operations.filter(({ kept }) => !kept),
          notStored(error),
        )
      return operations.filter(({ settled }) => !settled)
    }
  }

  function settle(operations: readonly Queued[], { results, woken }: Done): readonly Queued[] {
    operations.forEach((operation, index) => {
      operation.settled = true
      operation.resolve(results[index])
    })
    for (const work of woken) o.onWake(work)
    return []
  }

  /**
   * The database knows what became of a transaction. Repeated without asking, a delivery that was stored would be taken
   * for a repeat of itself, and nobody would handle it before its lease ends.
   */
  async function afterUnknown(operations: readonly Queued[], lost: UnknownOutcome): Promise<readonly Queued[]> {
    for (;;) {
      const committed = await wasCommitted(o.pool, lost.transaction).catch((error: unknown) => {
        failure = error
        refuseImpatient()
      })
      if (committed === true) return settle(operations, lost.done)
      if (committed === false) return operations.filter(({ settled }) => !settled)
      if (operations.every(({ settled }) => settled)) return []
      await pause()
    }
  }

  /** Operations that must land keep their order: a settlement may depend on an earlier result of `once`. */
  async function oneByOne(operations: readonly Queued[]): Promise<readonly Queued[]> {
    const left: Queued[] = []
    for (const operation of operations) {
      const stays = failure !== undefined || (left.length > 0 && operation.kept)
      left.push(...(stays ? [operation] : await commit([operation])))
    }
    return left
  }

  function refuse(operations: readonly Queued[], error: unknown): void {
    for (const operation of operations) {
      operation.settled = true
      operation.reject(error)
    }
  }

  /** Of all that waits, refuses what has waited long enough; at the close that is all, once something failed. */
  function refuseImpatient(): void {
    const now = o.monotonic()
    const waits = ({ kept, until }: Queued) => (closed ? failure === undefined : kept) || until > now
    refuse(
      [...batch, ...queue].filter((operation) => !operation.settled && !waits(operation)),
      notStored(failure),
    )
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => void o.timers.after(RETRY_MS, resolve))
  }

  return {
    run: <T>(run: Operation<T>) => enqueue(run, {}) as Promise<T>,
    accept: <T>(run: Operation<T>, { at = 0, ...wait }: Parameters<GroupCommit['accept']>[1]) =>
      enqueue(run, { at, ...wait }) as Promise<T>,
    keep: <T>(run: Operation<T>) => enqueue(run, { kept: true }) as Promise<T>,
    async close() {
      closed = true
      await working
    },
  }
}

/** Of acceptances in one transaction the oldest payload time goes first; all else keeps its place. */
function inOrder(batch: readonly Queued[]): readonly Queued[] {
  const accepting = batch.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return batch.map((operation) => (operation.at === undefined ? operation : (accepting[next++] ?? operation)))
}

export function storeClosed(): SwitchhookError {
  return new SwitchhookError('store_unavailable', 'the store is closed')
}

function notStored(error: unknown): SwitchhookError {
  return unavailable('the database did not take a write', error)
}
