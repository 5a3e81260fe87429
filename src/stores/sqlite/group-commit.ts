import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'
import type { Work } from '../port/index.ts'
import { BUSY_MS, type Connection, type Sql } from './connection.ts'

/** What an operation sees of the transaction that it is part of. */
export interface Tx {
  sql: Sql
  /** Says that this operation made work for a dispatcher or an outbox; told after the commit. */
  wake(work: Work): void
}

type Operation<T> = (tx: Tx) => T

interface Queued {
  readonly run: Operation<unknown>
  readonly kept: boolean
  resolve(result: unknown): void
  reject(error: unknown): void
}

export interface GroupCommit {
  /**
   * Runs an operation in the transaction that all operations of this turn share, and resolves once that is
   * on disk. An operation may run again from its start, so it must have no effect but on the database.
   */
  run<T>(operation: Operation<T>): Promise<T>
  /** The same for what must land: where a commit fails it rides the next one. */
  keep<T>(operation: Operation<T>): Promise<T>
  /** Commits what is queued, once and at once; what cannot be stored now is rejected, kept or not. */
  close(): void
}

export const BATCH = 128
const RETRY_KEPT_MS = 250
/** Who has waited in vain for another process waits so long the next time: the wait blocks the event loop. */
const STILL_BUSY_MS = 25
/** What is wrong with one row and not with the store. */
const ROW_FAULTS = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/**
 * One commit for everything of a turn of the event loop: an fsync costs the same for one row and for a hundred.
 * A row that fails alone is found by committing one by one. After a failed commit the connection is opened
 * anew, since what the failed one still believes is not to be trusted.
 */
export function createGroupCommit(o: {
  connection: () => Connection
  reopen: () => void
  timers: Timers
  onWake: (work: Work) => void
}): GroupCommit {
  let queue: Queued[] = []
  let scheduled = false
  let closed = false
  let busy = false

  const enqueue = (run: Operation<unknown>, kept: boolean) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      queue.push({ run, kept, resolve, reject })
      schedule()
    })

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    // Nothing is left where a close was faster: a commit would open the file again.
    if (queue.length === 0) return
    const batch = queue.length <= BATCH ? queue : queue.slice(0, BATCH)
    queue = queue.length <= BATCH ? [] : queue.slice(BATCH)
    queue.unshift(...commit(batch))
    if (queue.length > 0) schedule()
  }

  /** Gives back, in their order, those that must land and did not. */
  function commit(batch: readonly Queued[]): readonly Queued[] {
    const woken = new Set<Work>()
    try {
      const results = transact(batch, woken)
      batch.forEach((operation, index) => operation.resolve(results[index]))
    } catch (error) {
      if (!(error instanceof RowFault)) return failed(batch, error)
      if (batch.length > 1) return oneByOne(batch)
      batch[0]?.reject(error.cause)
      return []
    }
    for (const work of woken) o.onWake(work)
    return []
  }

  /** Behind one that must land and did not, none of its kind goes first: a settlement may need what is kept before it. */
  function oneByOne(batch: readonly Queued[]): readonly Queued[] {
    const kept: Queued[] = []
    for (const operation of batch) kept.push(...(kept.length > 0 && operation.kept ? [operation] : commit([operation])))
    return kept
  }

  function transact(batch: readonly Queued[], woken: Set<Work>): unknown[] {
    const connection = o.connection()
    begin(connection)
    let operating = true
    try {
      const tx: Tx = { sql: connection.sql, wake: (work) => woken.add(work) }
      const results = batch.map((operation) => operation.run(tx))
      operating = false
      connection.sql('COMMIT').run()
      return results
    } catch (error) {
      if (connection.raw.inTransaction) connection.sql('ROLLBACK').run()
      throw operating && isRowFault(error) ? new RowFault(error) : error
    }
  }

  function begin({ raw, sql }: Connection): void {
    if (!busy) return void sql('BEGIN IMMEDIATE').run()
    raw.pragma(`busy_timeout = ${STILL_BUSY_MS}`)
    try {
      sql('BEGIN IMMEDIATE').run()
      busy = false
    } finally {
      raw.pragma(`busy_timeout = ${BUSY_MS}`)
    }
  }

  function failed(batch: readonly Queued[], error: unknown): readonly Queued[] {
    busy = codeOf(error) === 'SQLITE_BUSY'
    if (!busy) tryReopen()
    const kept = closed ? [] : batch.filter((operation) => operation.kept)
    for (const operation of batch) if (!kept.includes(operation)) operation.reject(notStored(error))
    if (kept.length > 0 && !scheduled) {
      scheduled = true
      o.timers.after(RETRY_KEPT_MS, flush)
    }
    return kept
  }

  function tryReopen(): void {
    try {
      o.reopen()
    } catch {
      // The next batch fails on the closed connection and tries again: nothing is claimed as stored meanwhile.
    }
  }

  return {
    run: <T>(operation: Operation<T>) => enqueue(operation, false) as Promise<T>,
    keep: <T>(operation: Operation<T>) => enqueue(operation, true) as Promise<T>,
    close() {
      closed = true
      while (queue.length > 0) flush()
    },
  }
}

/** One operation cannot be stored; the others of its batch can. */
class RowFault extends Error {
  constructor(fault: unknown) {
    super('one operation of the batch failed', { cause: fault })
  }
}

function isRowFault(error: unknown): boolean {
  const code = codeOf(error)
  // What is no database error is a fault of one operation's own.
  return code === undefined || ROW_FAULTS.test(code)
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined
}

function notStored(error: unknown): SwitchhookError {
  return new SwitchhookError(
    'store_unavailable',
    `the database did not take a write: ${codeOf(error) ?? reasonOf(error)}`,
    { cause: error },
  )
}
