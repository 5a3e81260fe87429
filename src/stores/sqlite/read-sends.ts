import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { SwitchhookError } from '../../base/errors.ts'
import type { Store } from '../port/index.ts'
import { BUSY_MS, type Connection, connectionOf, unavailable } from './connection.ts'
import { foreign } from './foreign.ts'
import { heldSends } from './held-sends.ts'
import { listSends } from './list-sends.ts'
import { closedQueues } from './queues.ts'
import { MIGRATIONS } from './schema.ts'
import { newerSchema } from './schema-version.ts'
import { sendById } from './send-rows.ts'
import { statusesOfSend } from './statuses.ts'

/** What can be asked about sends without changing anything. */
export type SendReader = Pick<Store, 'restored' | 'listSends' | 'closedQueues' | 'send' | 'statusesOf' | 'close'>

/**
 * Opens a database that an app may be working on, to look at its sends: it is neither created nor migrated nor written.
 *
 * @throws SwitchhookError `store_unavailable` where there is no such file, or where it is no such database;
 * `store_newer`.
 */
export function readSends(file: string): SendReader {
  if (!existsSync(file)) throw noDatabase(file)
  const connection = openToRead(file)
  const { sql } = connection
  const held = heldSends(sql)
  return {
    restored: held === undefined ? undefined : { why: 'earlier', held },
    listSends: async (query) => listSends(sql, query),
    closedQueues: async (now) => closedQueues(sql, now),
    send: async (id) => sendById(sql, id),
    statusesOf: async (send) => statusesOfSend(sql, send),
    close: async () => connection.close(),
  }
}

/** Told to whoever names a file that is not there; a command does not make one. */
export function noDatabase(file: string): SwitchhookError {
  return new SwitchhookError(
    'store_unavailable',
    `there is no database at ${file}: name the app's own, or run the command in the app's folder`,
  )
}

function openToRead(file: string): Connection {
  let raw: Database.Database | undefined
  try {
    raw = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
    const whose = foreign(raw)
    if (whose !== undefined) throw new Error(whose)
    const connection = connectionOf(raw)
    const newer = newerSchema(connection.sql)
    if (newer !== undefined)
      throw new SwitchhookError(
        'store_newer',
        `the database ${file} has schema ${newer}, this library knows ${MIGRATIONS.length}: use the newer release that wrote it`,
      )
    if (raw.pragma('user_version', { simple: true }) !== MIGRATIONS.length)
      throw new Error('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
    return connection
  } catch (error) {
    raw?.close()
    throw error instanceof SwitchhookError ? error : unavailable(file, error)
  }
}
