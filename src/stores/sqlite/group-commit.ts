import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'
import type * as operations from '../operations/steps.ts'
import type { Work } from '../port/index.ts'
import { BUSY_MS, type Connection, type Sql } from './connection.ts'
import { newerSchema } from './schema-version.ts'

/** The transaction of a commit. */
export interface Tx extends operations.Tx {
  sql: Sql
  /** Drives an operation within this transaction. */
  drive: Connection['drive']
}

type Operation<T> = (tx: Tx) => T

interface Queued {
  readonly run: Operation<unknown>
  readonly kept: boolean
  /** Nobody waits for the operation, so it rides on a commit that others need. */
  readonly mayWait: boolean
  /** For an acceptance: the payload time of what it stores. */
  readonly at: number | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

export interface GroupCommit {
  /**
   * Runs an operation in the transaction that all operations of this moment share, and resolves once the transaction is
   * on disk. An operation may run again from its start, so it must have no effect but on the database.
   */
  run<T>(operation: Operation<T>): Promise<T>
  /** The same for an acceptance: those of one commit go in the order of their payload times. */
  accept<T>(operation: Operation<T>, at: number | undefined): Promise<T>
  /** The same for an operation that must land: if a commit fails, it runs again in the next one. */
  keep<T>(operation: Operation<T>, o?: { readonly mayWait: boolean }): Promise<T>
  /** Commits all that is queued, once and at once; an operation that cannot be stored now is rejected, kept or not. */
  close(): void
}

export const BATCH = 256
/** How long a commit waits until as many operations have come as the last one had. */
const GATHER_MS = 2
/** How long an operation that may wait waits for a commit that others need. */
const RIDE_MS = 5
const RETRY_KEPT_MS = 250
/** `busy_timeout` after a wait in vain for another process: shorter, since the wait blocks the event loop. */
const STILL_BUSY_MS = 25
/** Errors of one row, and not of the store. */
const ROW_FAULTS = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/** Captured, since an app's tests may put false ones in their place. */
const { setTimeout, clearTimeout, setImmediate } = globalThis

/**
 * Puts operations that come at about the same time into one commit: an fsync costs the same for one row and for a
 * hundred. A row that fails alone is found by committing one by one. After a failed commit the connection is opened
 * anew, since the state of the failed one is not to be trusted.
 */
export function createGroupCommit(o: {
  connection: () => Connection
  reopen: () => void
  /** Throws if the file is not the one that was opened: then nothing may be acknowledged. */
  checkFile?: () => void
  timers: Timers
  onWake: (work: Work) => void
}): GroupCommit {
  let queue: Queued[] = []
  /** Operations in the queue that somebody waits for, and those in the last commit. */
  let urgent = 0
  let expected = 1
  let flushing = false
  let timer: NodeJS.Timeout | undefined
  let waitsForRetry = false
  let closed = false
  let busy = false

  const enqueue = (operation: Pick<Queued, 'run' | 'kept'> & Partial<Queued>) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(new SwitchhookError('store_unavailable', 'the store is closed'))
      const { run, kept, mayWait = false, at } = operation
      queue.push({ run, kept, mayWait, at, resolve, reject })
      if (!mayWait) urgent++
      schedule()
    })

  function schedule(): void {
    if (flushing || waitsForRetry) return
    // While little happens, nothing waits for company.
    if (urgent >= expected || expected === 1) {
      // Both would commit, and a timer that is due keeps the event loop among its timers.
      clearTimeout(timer)
      flushing = true
      setImmediate(flush)
    } else timer ??= setTimeout(flush, urgent > 0 ? GATHER_MS : RIDE_MS)
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
    queue.unshift(...commit(inOrder(withTrustedFile(batch))))
    urgent = count(queue)
    if (queue.length > 0) schedule()
  }

  /** Refuses acceptances if the file is not the one that was opened. */
  function withTrustedFile(batch: readonly Queued[]): readonly Queued[] {
    const isAcceptance = ({ at }: Queued) => at !== undefined
    if (!o.checkFile || !batch.some(isAcceptance)) return batch
    try {
      o.checkFile()
      return batch
    } catch (error) {
      for (const operation of batch) if (isAcceptance(operation)) operation.reject(error)
      return batch.filter((operation) => !isAcceptance(operation))
    }
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
      const { sql, drive } = connection
      let newer: number | undefined | null = null
      let place: number | undefined
      const tx: Tx = {
        sql,
        drive,
        wake: (work) => woken.add(work),
        // Read once for a commit: no other process writes meanwhile.
        nextPlace: () => (place ??= lastPlace(sql) + 1),
        takePlace: () => void (place = tx.nextPlace() + 1),
        newerSchema: () => (newer === null ? (newer = newerSchema(sql)) : newer),
      }
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
    if (kept.length > 0 && !waitsForRetry) {
      waitsForRetry = true
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
    run: <T>(run: Operation<T>) => enqueue({ run, kept: false }) as Promise<T>,
    accept: <T>(run: Operation<T>, at = 0) => enqueue({ run, kept: false, at }) as Promise<T>,
    keep: <T>(run: Operation<T>, { mayWait } = { mayWait: false }) =>
      enqueue({ run, kept: true, mayWait }) as Promise<T>,
    close() {
      closed = true
      while (queue.length > 0) flush()
    },
  }
}

const LAST_PLACE = 'SELECT max(place) AS place FROM contents'

function lastPlace(sql: Sql): number {
  return (sql(LAST_PLACE).get() as { place: number | null }).place ?? 0
}

/** The operations that somebody waits for. */
function count(queue: readonly Queued[]): number {
  return queue.reduce((sum, { mayWait }) => (mayWait ? sum : sum + 1), 0)
}

/** Of acceptances in one commit the oldest payload time goes first; all else keeps its place. */
function inOrder(batch: readonly Queued[]): readonly Queued[] {
  const accepting = batch.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return batch.map((operation) => (operation.at === undefined ? operation : (accepting[next++] ?? operation)))
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
