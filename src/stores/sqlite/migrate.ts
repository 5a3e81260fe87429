import { SwitchhookError } from '../../base/errors.ts'
import { type Migration, MIGRATIONS } from '../operations/tables/schema.ts'
import { APPLICATION_ID, type Connection, isBusy, type Sql } from './connection.ts'

/** An assumption: a slow disk rewrites so many rows in a second. */
const ROWS_PER_SECOND = 20_000

/**
 * Brings the file to this library's schema, in one transaction; refuses a newer one. If there is nothing to do, nothing
 * is locked: another process may be writing. Steps that only add are done beside other processes. If rows are to be
 * rewritten, that cannot be cut, so nobody else may use the file meanwhile, and `say` is told how long it will take.
 *
 * @throws SwitchhookError `store_newer`; `store_unavailable` if rows are to be rewritten while another process uses the
 * file.
 */
export function migrate(
  connection: Connection,
  file: string,
  { steps = MIGRATIONS, say }: { steps?: readonly Migration[]; say?: ((line: string) => void) | undefined } = {},
): void {
  const { raw } = connection
  const version = versionOf(connection, file, steps)
  if (version === steps.length) return
  const rows = rowsRewritten(connection, steps.slice(version))
  const bring = raw.transaction(() => {
    if (rows > 0) say?.(`${about(file, rows)}; let it come to its end`)
    // Read again: another process may have been faster.
    for (const step of steps.slice(versionOf(connection, file, steps)))
      raw.exec(typeof step === 'string' ? step : step.sql)
    raw.pragma(`application_id = ${APPLICATION_ID}`)
    raw.pragma(`user_version = ${steps.length}`)
  })
  if (rows === 0) bring.immediate()
  else alone(connection, bring.immediate, about(file, rows))
}

/** In WAL mode SQLite gives an exclusive lock only if no other connection is open, one that reads included. */
function alone({ raw }: Connection, work: () => void, what: string): void {
  raw.pragma('locking_mode = EXCLUSIVE')
  try {
    work()
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new SwitchhookError(
      'store_unavailable',
      `${what}; another process uses it: stop the app that serves it and end all commands on it, then start again`,
      { cause: error },
    )
  } finally {
    raw.pragma('locking_mode = NORMAL')
    // The lock goes with the next read.
    raw.pragma('user_version')
  }
}

function about(file: string, rows: number): string {
  const seconds = Math.ceil(rows / ROWS_PER_SECOND)
  const span = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
  return `the database ${file} is of an older release, and ${rows} of its rows are to be written anew, which takes about ${span}`
}

function rowsRewritten({ raw }: Connection, steps: readonly Migration[]): number {
  const exists = raw.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return steps
    .flatMap((step) => (typeof step !== 'string' && exists.get(step.rewrites) ? [step.rewrites] : []))
    .reduce((sum, table) => sum + (raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number), 0)
}

function versionOf({ raw }: Connection, file: string, steps: readonly Migration[]): number {
  const version = raw.pragma('user_version', { simple: true }) as number
  if (version > steps.length)
    throw new SwitchhookError(
      'store_newer',
      `the database ${file} has schema ${version}, this library knows ${steps.length}: start the newer release that wrote it`,
    )
  return version
}

const VERSION = 'PRAGMA user_version'

/**
 * The file's schema if it is newer than this library's: a newer release has migrated the file since it was opened.
 * Migrations only add, so deliveries are stored and running work is settled as before; no new work is taken up.
 */
export function newerSchema(sql: Sql): number | undefined {
  const { user_version: version } = sql(VERSION).get() as { user_version: number }
  return version > MIGRATIONS.length ? version : undefined
}
