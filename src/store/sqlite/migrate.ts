import { SwitchhookError } from '../../base/errors.ts'
import { MIGRATIONS } from '../schema.ts'
import { APPLICATION_ID, type Connection, type Sql } from './connection.ts'

/**
 * Brings the file to this library's schema, in one transaction; refuses a newer one. If there is nothing to do, nothing
 * is locked: another process may be writing. Steps only add, so they are done beside other processes.
 *
 * @throws SwitchhookError `store_newer`
 */
export function migrate(connection: Connection, file: string, steps: readonly string[] = MIGRATIONS): void {
  const { raw } = connection
  if (versionOf(connection, file, steps) === steps.length) return
  const bring = raw.transaction(() => {
    // Read again: another process may have been faster.
    for (const step of steps.slice(versionOf(connection, file, steps))) raw.exec(step)
    raw.pragma(`application_id = ${APPLICATION_ID}`)
    raw.pragma(`user_version = ${steps.length}`)
  })
  bring.immediate()
}

function versionOf({ raw }: Connection, file: string, steps: readonly string[]): number {
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
