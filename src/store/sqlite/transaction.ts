import { readError } from '../../base/errors.ts'
import { monotonic } from '../../base/clock.ts'
import { UNREAD } from '../database/inbox-tables.ts'
import type * as steps from '../database/steps.ts'
import { type Connection, newerSchema, type Sql } from './connection.ts'
import { forSqlite } from '../database/sql.ts'
import type { WorkKind } from '../database/steps.ts'

export interface Tx extends steps.Tx {
  sql: Sql
  drive: Connection['drive']
}

export type Operation<T> = (tx: Tx) => T

/** A portion ends after this time. Its commit takes about as long, and several times as long on a slow machine. */
const LONG_MS = 10

const ROW_FAULTS = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/**
 * Runs operations in one transaction. The results are on disk when it returns. @throws RowFault if an operation cannot
 * be stored, otherwise SQLite's error; then nothing was changed.
 */
export function transact(
  connection: Connection,
  operations: readonly Operation<unknown>[],
  wake: (work: WorkKind) => void,
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

function txOver({ sql, drive }: Connection, wake: (work: WorkKind) => void): Tx {
  // The state is read at most once in a commit: no other process writes meanwhile.
  let databaseState: steps.DatabaseState | undefined
  let last: number | undefined
  const begunAt = monotonic()
  return {
    sql,
    drive,
    wake,
    get databaseState() {
      return (databaseState ??= databaseStateOf(sql))
    },
    nextId: () => (last = (last ?? (sql(LAST_ID).get() as { id: number }).id) + 1),
    isLong: () => monotonic() - begunAt >= LONG_MS,
    // A lease gets no more time for a wait, because a renewal waits only for a small part of the lease.
    waitedMs: 0,
    alone() {},
  }
}

const DATABASE_STATE = `
  SELECT (SELECT json_group_array(value) FROM (${forSqlite(UNREAD).text})) AS unread,
    (SELECT value FROM meta WHERE name = 'restored_upto') AS restored`

export function databaseStateOf(sql: Sql): steps.DatabaseState {
  const { unread, restored } = sql(DATABASE_STATE).get() as { unread: string; restored: string | null }
  return {
    unread: new Set(JSON.parse(unread) as string[]),
    newerSchema: newerSchema(sql),
    restoredUpto: restored === null ? undefined : Number(restored),
  }
}

/** The last id that was given. No id is given twice, even if the row of the last one was deleted. */
const LAST_ID = `
  SELECT max((SELECT coalesce(max(id), 0) FROM inbox),
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_id'), 0)) AS id`

/** One operation of a batch cannot be stored. The others can. */
export class RowFault extends Error {
  constructor(fault: unknown) {
    super('one operation of the batch failed', { cause: fault })
  }
}

function isRowFault(error: unknown): boolean {
  const code = codeOf(error)
  // An error that is not the database's is the fault of this operation.
  return code === undefined || ROW_FAULTS.test(code)
}

/** Returns SQLite's code of an error; undefined if the error is not the database's. */
export function codeOf(error: unknown): string | undefined {
  const { code } = readError(error)
  return code.startsWith('SQLITE_') ? code : undefined
}
