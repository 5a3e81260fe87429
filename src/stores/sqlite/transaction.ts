import { monotonic } from '../../base/clock.ts'
import type * as operations from '../operations/steps.ts'
import type { Work } from '../port/index.ts'
import type { Connection, Sql } from './connection.ts'
import { newerSchema } from './migrate.ts'

export interface Tx extends operations.Tx {
  sql: Sql
  drive: Connection['drive']
}

export type Operation<T> = (tx: Tx) => T

/**
 * A portion ends after so many milliseconds. Its commit takes as long again, and on a slow machine several times as
 * long.
 */
const LONG_MS = 10

const ROW_FAULTS = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/**
 * Runs operations in one transaction, whose results are on disk when it returns.
 *
 * @throws RowFault if one of them cannot be stored, and else as SQLite does; then nothing was changed.
 */
export function transact(
  connection: Connection,
  operations: readonly Operation<unknown>[],
  wake: (work: Work) => void,
): unknown[] {
  const { raw, sql } = connection
  sql('BEGIN IMMEDIATE').run()
  let operating = true
  try {
    const tx = txOver(connection, wake)
    const results = operations.map((run) => run(tx))
    operating = false
    sql('COMMIT').run()
    return results
  } catch (error) {
    if (raw.inTransaction) sql('ROLLBACK').run()
    throw operating && isRowFault(error) ? new RowFault(error) : error
  }
}

function txOver({ sql, drive }: Connection, wake: (work: Work) => void): Tx {
  let newer: number | undefined | null = null
  let place: number | undefined
  const begunAt = monotonic()
  const tx: Tx = {
    sql,
    drive,
    wake,
    // Read once for a commit: no other process writes meanwhile.
    nextPlace: () => (place ??= lastPlace(sql) + 1),
    takePlace: () => void (place = tx.nextPlace() + 1),
    newerSchema: () => (newer === null ? (newer = newerSchema(sql)) : newer),
    isLong: () => monotonic() - begunAt >= LONG_MS,
    together: 1,
    // An operation that may give a lease waits for a part of one.
    waitedMs: 0,
  }
  return tx
}

const LAST_PLACE = 'SELECT max(place) AS place FROM contents'

function lastPlace(sql: Sql): number {
  return (sql(LAST_PLACE).get() as { place: number | null }).place ?? 0
}

/** One operation cannot be stored; the others of its batch can. */
export class RowFault extends Error {
  constructor(fault: unknown) {
    super('one operation of the batch failed', { cause: fault })
  }
}

function isRowFault(error: unknown): boolean {
  const code = codeOf(error)
  // An error that is not the database's is a fault of that operation alone.
  return code === undefined || ROW_FAULTS.test(code)
}

/** SQLite's name for an error; undefined if the error is not the database's. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined
}
