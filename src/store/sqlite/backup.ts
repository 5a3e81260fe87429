import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { isDamage, refuseDamage, REPAIR } from './connection.ts'
import { openToCopy } from './sqlite-reader.ts'
import { logOf, sizeOf, syncFolder } from './write-ahead-log.ts'
import type { OnDisk } from '../store.ts'

const OWNER_ONLY = 0o600
const PAGES_AT_ONCE = 2_500

/**
 * Also of another release's database, while a bot works on it. It has its name only once it is whole, verified and synced.
 * @throws SwitchhookError `options_invalid` if the file is there already, `store_unavailable`; as `openToCopy`.
 */
export async function backUp(database: string, file: string) {
  if (existsSync(file))
    throw new SwitchhookError(
      'options_invalid',
      `${file} is there already; no backup is written over: name another file`,
    )
  const { raw } = openToCopy(database)
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    closeSync(openSync(part, 'wx', OWNER_ONLY))
    // Without a snapshot the copying would begin again at each commit of the bot.
    raw.exec('BEGIN')
    const rows = countRows(raw)
    await raw.backup(part, { progress: () => PAGES_AT_ONCE })
    settle(part, rows)
    sync(part)
    renameSync(part, file)
    syncFolder(file)
    markBackedUp(database)
    return { rows: [...rows.values()].reduce((sum, count) => sum + count, 0), bytes: statSync(file).size }
  } catch (error) {
    const remedy = isDamage(error) ? `; the database or its copy is damaged: ${REPAIR}` : ''
    const message = `the backup cannot be written to ${file}: ${reasonOf(error)}${remedy}`
    throw new SwitchhookError('store_unavailable', message, { cause: error })
  } finally {
    raw.close()
    rmSync(part, { force: true })
  }
}

/** Its time of change is that of the last backup: the database itself is not written by a backup. */
const markOf = (database: string) => `${database}.backed-up`

/** Another account may have made the last one. A folder that cannot be written makes no backup fail. */
function markBackedUp(database: string): void {
  try {
    rmSync(markOf(database), { force: true })
    writeFileSync(markOf(database), '', { mode: 0o644 })
  } catch {
    // The age of the last backup rises, and its alert makes somebody look.
  }
}

export function filesOf(database: string): OnDisk {
  return {
    bytes: sizeOf(database),
    logBytes: sizeOf(logOf(database)),
    backedUpAt: statSync(markOf(database), { throwIfNoEntry: false })?.mtimeMs,
  }
}

/** Makes it one file, whose generation is behind, so that a start over it knows that it was restored. */
function settle(part: string, expected: ReadonlyMap<string, number>): void {
  const raw = new Database(part)
  try {
    raw.pragma('journal_mode = DELETE')
    raw.exec("UPDATE meta SET value = value - 1 WHERE name = 'generation'")
    refuseDamage(raw)
    for (const [table, count] of countRows(raw))
      if (count !== expected.get(table)) throw new Error(`it has not all rows of ${table}`)
  } finally {
    raw.close()
  }
}

function countRows(raw: Database.Database): Map<string, number> {
  const tables = raw.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  return new Map(
    tables.map((table) => [table, raw.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0]),
  )
}

function sync(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
