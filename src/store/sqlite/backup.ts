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
 * Makes a backup, while a bot may work on the database, which may be of another release. The file gets its name when it
 * is complete, verified and synced. @throws SwitchhookError `options_invalid` if the file exists, `store_unavailable`;
 * errors of `openToCopy`.
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
    // Without a snapshot, copying would begin again at each commit of the bot.
    raw.exec('BEGIN')
    const rows = countRows(raw)
    await raw.backup(part, { progress: () => PAGES_AT_ONCE })
    complete(part, rows)
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

/** A file whose modification time is the time of the last backup. A backup does not write to the database itself. */
const markOf = (database: string) => `${database}.backed-up`

/**
 * Marks the time of the backup. The old mark is replaced, because the file may belong to another account. If the folder
 * is not writable, the backup still succeeds.
 */
function markBackedUp(database: string): void {
  try {
    rmSync(markOf(database), { force: true })
    writeFileSync(markOf(database), '', { mode: 0o644 })
  } catch {
    // Without a new mark, the metric of the backup's age keeps rising, and its alert notifies the operator.
  }
}

export function filesOf(database: string): OnDisk {
  return {
    bytes: sizeOf(database),
    logBytes: sizeOf(logOf(database)),
    backedUpAt: statSync(markOf(database), { throwIfNoEntry: false })?.mtimeMs,
  }
}

/** Completes the copy as one file. Lowers its generation, so that a start with this file notices the restore. */
function complete(part: string, expected: ReadonlyMap<string, number>): void {
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
