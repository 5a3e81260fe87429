import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { SwitchhookError } from '../../base/errors.ts'
import { type Reader, readerOver } from '../store.ts'
import { countHeldSends } from '../outbox/restored.ts'
import type { Steps, Tx, DatabaseState } from '../database/steps.ts'
import { MIGRATIONS } from '../database/schema.ts'
import { refuseOtherBuild, NotUpToDate } from '../database/schema.ts'
import {
  type Connection,
  connectionOf,
  digestIn,
  foreignDatabase,
  newerSchema,
  OPENING_BUSY_MS,
  textsOf,
  unavailable,
} from './connection.ts'
import { databaseStateOf } from './transaction.ts'
import { refuseBesideRemovedLog } from './write-ahead-log.ts'

/**
 * Opens a database to read. If no app runs, SQLite leaves an empty log, which the next app removes. @throws
 * SwitchhookError as `openToRead`.
 */
export function openReader(file: string): Reader {
  const connection = openToRead(file)
  const { raw, drive, close } = connection
  return readerOver(async (steps) => readOver(connection, steps), {
    held: drive(countHeldSends()),
    version: async () => raw.pragma('data_version', { simple: true }) as number,
    close: async () => close(),
  })
}

export function readOver<T>({ sql, drive }: Connection, operation: (tx: Pick<Tx, 'databaseState'>) => Steps<T>): T {
  let databaseState: DatabaseState | undefined
  return drive(
    operation({
      get databaseState() {
        return (databaseState ??= databaseStateOf(sql))
      },
    }),
  )
}

/** The error of a command that names a file which does not exist. Commands never create one. */
function noDatabase(file: string): SwitchhookError {
  return new SwitchhookError(
    'store_unavailable',
    `there is no database at ${file}: name the app's own, or run the command in the app's folder; beside \`switchhook dev\` it is --database .switchhook/dev.db`,
  )
}

/**
 * Opens a database without creating, migrating or writing it. @throws SwitchhookError `store_newer`, or
 * `store_unavailable` if it cannot be read (the cause is `NotUpToDate` if starting an app fixes that).
 */
export function openToRead(file: string): Connection {
  return opened(file, (connection) => {
    const newer = newerSchema(connection.sql)
    if (newer !== undefined)
      throw new SwitchhookError(
        'store_newer',
        `the database ${file} has schema ${newer}, this library knows ${MIGRATIONS.length}: use the newer release that wrote it`,
      )
    if (connection.raw.pragma('user_version', { simple: true }) !== MIGRATIONS.length) throw new NotUpToDate()
    refuseOtherBuild(file, digestIn(connection.raw), textsOf(MIGRATIONS))
  })
}

/** Opens a database of any release, because its tables are not read. */
export function openToCopy(file: string): Connection {
  return opened(file, () => {})
}

function opened(file: string, check: (connection: Connection) => void): Connection {
  if (!existsSync(file)) throw noDatabase(file)
  // Reading creates a log if there is none. A process that lost its log would then refuse everything.
  refuseBesideRemovedLog(file, OPENING_BUSY_MS)
  let raw: Database.Database | undefined
  try {
    raw = new Database(file, { readonly: true, fileMustExist: true, timeout: OPENING_BUSY_MS })
    const foreign = foreignDatabase(raw)
    if (foreign !== undefined) throw new Error(foreign)
    const connection = connectionOf(raw)
    check(connection)
    return connection
  } catch (error) {
    raw?.close()
    throw error instanceof SwitchhookError ? error : unavailable(file, error)
  }
}
