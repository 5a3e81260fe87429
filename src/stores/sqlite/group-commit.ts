import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'
import type { Tx as OperationTx } from '../operations/steps.ts'
import type { Work } from '../port/index.ts'
import { BUSY_MS, type Connection, type Sql } from './connection.ts'

/** The transaction that an operation is part of. */
export interface Tx extends OperationTx {
  sql: Sql
  /** Drives an operation within this transaction. */
  drive: Connection['drive']
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
   * Runs an operation in the transaction that all operations of this turn share, and resolves once the transaction is
   * on disk. An operation may run again from its start, so it must have no effect but on the database.
   */
  run<T>(operation: Operation<T>): Promise<T>
  /** The same for an operation that must land: if a commit fails, it runs again in the next one. */
  keep<T>(operation: Operation<T>): Promise<T>
  /** Commits all that is queued, once and at once; an operation that cannot be stored now is rejected, kept or not. */
  close(): void
}

export const BATCH = 128
const RETRY_KEPT_MS = 250
/** `busy_timeout` after a wait in vain for another process: shorter, since the wait blocks the event loop. */
const STILL_BUSY_MS = 25
/** Errors of one row, and not of the store. */
const ROW_FAULTS = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/**
 * Puts all operations of a turn of the event loop into one commit: an fsync costs the same for one row and for a
 * hundred. A row that fails alone is found by committing one by one. After a failed commit the connection is opened
 * anew, since the state of the failed one is not to be trusted.
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
    // A close was faster, and nothing is left: a commit would open the file again.
    if (queue.length === 0) return
    const batch = queue.length <= BATCH ? queue : queue.slice(0, BATCH)
    queue = queue.length <= BATCH ? [] : queue.slice(BATCH)
    queue.unshift(...commit(batch))
    if (queue.length > 0) schedule()
  }

  /** Answers with the operations that must land and did not, in their order. */
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

  /**
   * Must-land operations keep their order: if one fails, later ones stay queued, since a settlement may depend on an
   * earlier `once` result.
   */
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
      const tx: Tx = { sql: connection.sql, drive: connection.drive, wake: (work) => woken.add(work) }
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
  // An error that is not the database's is a fault of that operation alone.
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
