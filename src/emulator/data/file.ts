import { closeSync, openSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'

/** "SWEM": by this the file is known as an emulator's, and no bot's database is written over. */
const APPLICATION_ID = 0x5357454d
const OWNER_ONLY = 0o600

/** Opens the file of `data`, or makes it: for its owner's eyes alone, since it holds tokens and secrets. */
export function openFile(file: string): Database.Database {
  let raw: Database.Database | undefined
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', OWNER_ONLY))
    raw = new Database(file, { timeout: 0 })
    // No other process can read or write while this one runs: two emulators on one file would undo each other.
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('journal_mode = WAL')
    raw.pragma('synchronous = NORMAL')
    raw.pragma('secure_delete = ON')
    raw.transaction(prepare).immediate(raw)
    return raw
  } catch (error) {
    raw?.close()
    throw unavailable(file, error)
  }
}

const SCHEMA =
  'CREATE TABLE parts (room TEXT NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (room, id)) WITHOUT ROWID'

function prepare(raw: Database.Database): void {
  if (raw.pragma('application_id', { simple: true }) === APPLICATION_ID) return
  const { tables } = raw.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (tables > 0) throw new Error('it is a database of something else')
  raw.exec(SCHEMA)
  raw.pragma(`application_id = ${APPLICATION_ID}`)
}

function unavailable(file: string, error: unknown): SwitchhookError {
  const isBusy = (error as { code?: unknown }).code === 'SQLITE_BUSY'
  const reason = isBusy ? 'another emulator has it open' : reasonOf(error)
  return new SwitchhookError(
    'store_unavailable',
    `the emulator's data ${file} cannot be used: ${reason}; name another file, in a folder that exists`,
    { cause: error },
  )
}
