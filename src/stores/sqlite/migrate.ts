import { SwitchhookError } from '../../base/errors.ts'
import type { Connection } from './connection.ts'
import { MIGRATIONS } from './schema.ts'

/**
 * Brings the file to this library's schema, in one transaction; refuses a newer one. If there is nothing to do, nothing
 * is locked: another process may be writing.
 */
export function migrate(connection: Connection, file: string): void {
  const { raw } = connection
  if (versionOf(connection, file) === MIGRATIONS.length) return
  raw
    .transaction(() => {
      // Read again: another process may have been faster.
      for (const step of MIGRATIONS.slice(versionOf(connection, file))) raw.exec(step)
      raw.pragma(`user_version = ${MIGRATIONS.length}`)
    })
    .immediate()
}

function versionOf({ raw }: Connection, file: string): number {
  const version = raw.pragma('user_version', { simple: true }) as number
  if (version > MIGRATIONS.length)
    throw new SwitchhookError(
      'store_newer',
      `the database ${file} has schema ${version}, this library knows ${MIGRATIONS.length}: start the newer release that wrote it`,
    )
  return version
}
