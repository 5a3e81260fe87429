import Database from 'better-sqlite3'
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SwitchhookError, readError, reasonOf, textIn } from '../../base/errors.ts'
import { type Migration, MIGRATIONS } from '../database/schema.ts'
import { digestOf, refuseOtherBuild, SCHEMA_DIGEST } from '../database/schema.ts'
import { forSqlite, type Query, type Value } from '../database/sql.ts'
import { type Rows, SideBySide, type Steps } from '../database/steps.ts'
import { GroupedQuery } from '../database/statements.ts'

export interface Connection {
  readonly raw: Database.Database
  sql(text: string): Database.Statement<unknown[], unknown>
  drive<T>(steps: Steps<T>): T
  close(): void
}

export type Sql = Connection['sql']

/** `busy_timeout` while opening: no request waits yet, and a deploy must survive a slow disk. */
export const OPENING_BUSY_MS = 5_000
/** `busy_timeout` of an open file. A wait would block the event loop, so the group commit waits instead. */
export const BUSY_MS = 0
const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * Opens a file that is empty or Switchhook's. Another application's file is not changed. @throws SwitchhookError
 * `store_unavailable`
 */
export function openConnection(file: string, busyMs = OPENING_BUSY_MS): Connection {
  const raw = open(file, busyMs)
  try {
    const foreign = foreignDatabase(raw)
    if (foreign !== undefined) throw new Error(foreign)
    if (file !== ':memory:') keepPrivate(file)
    raw.pragma('journal_mode = WAL')
    // The driver is built to use NORMAL in WAL mode whenever a file is opened again. After a power cut acknowledged
    // deliveries would then be lost. So FULL is set at every opening, and read back.
    raw.pragma('synchronous = FULL')
    if (raw.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous=FULL was not taken')
    raw.pragma('journal_size_limit = 67108864')
    // SQLite's automatic checkpoint would not report its failures, so the store makes checkpoints itself.
    raw.pragma('wal_autocheckpoint = 0')
    // Deleted content is overwritten always, not only by pruning: an update that makes a row longer deletes the shorter
    // row.
    raw.pragma('secure_delete = ON')
    // With this check SQLite notices a page that something else has overwritten.
    raw.pragma('cell_size_check = ON')
    raw.pragma(`busy_timeout = ${BUSY_MS}`)
  } catch (error) {
    raw.close()
    throw unavailable(file, error)
  }
  return connectionOf(raw)
}

export function connectionOf(raw: Database.Database): Connection {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>()
  function sql(text: string): Database.Statement<unknown[], unknown> {
    let statement = statements.get(text)
    if (!statement) {
      statement = raw.prepare<unknown[], unknown>(text)
      statements.set(text, statement)
    }
    return statement
  }
  const groupedStatements: Database.Statement<unknown[], unknown>[] = []
  function answer(query: Query): Rows {
    if (query instanceof GroupedQuery)
      return run((groupedStatements[query.grouped.id] ??= sql(query.grouped.sqlite)), query.values)
    const { text, values } = forSqlite(query)
    return run(sql(text), values)
  }
  function run(statement: Database.Statement<unknown[], unknown>, values: readonly Value[]): Rows {
    // Values are passed as arguments: the driver reads an array value by value, each with a call into V8.
    if (!statement.reader) return { rows: NO_ROWS, changes: statement.run(...values).changes }
    const rows = statement.all(...values)
    return { rows, changes: rows.length }
  }
  function drive<T>(steps: Steps<T>): T {
    let step = steps.next()
    while (!step.done) step = steps.next(step.value instanceof SideBySide ? oneByOne(step.value) : answer(step.value))
    return step.value
  }
  function oneByOne({ branches }: SideBySide): Rows {
    for (const { begin } of branches) drive(begin())
    return NOTHING
  }
  return {
    raw,
    sql,
    drive,
    close: () => raw.close(),
  }
}

const NO_ROWS: readonly unknown[] = []
const NOTHING: Rows = { rows: NO_ROWS, changes: 0 }

function open(file: string, busyMs: number): Database.Database {
  try {
    // The file is created with its mode, so that other users can never read it. -wal and -shm get the same mode.
    if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY))
    return new Database(file, { timeout: busyMs })
  } catch (error) {
    throw unavailable(file, error)
  }
}

function keepPrivate(file: string): void {
  const { mode } = statSync(file)
  if ((mode & OTHERS) !== 0) chmodSync(file, mode & OWNER_ONLY)
}

export function unavailable(file: string, error: unknown): SwitchhookError {
  if (isWithoutNativePart(error))
    return new SwitchhookError('store_unavailable', `${WITHOUT_NATIVE_PART}: ${reasonOf(error)}`, { cause: error })
  const remedy = remedyOf(file, error)
  return new SwitchhookError(
    'store_unavailable',
    `the database ${file} cannot be opened: ${reasonOf(error)}; ${remedy}`,
    { cause: error },
  )
}

function remedyOf(file: string, error: unknown): string {
  if (isDamage(error)) return `check that the file is a Switchhook database; if it is, it is damaged: ${REPAIR}`
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) return `create the folder ${folder} first`
  if (isBusy(error)) return 'another process keeps it locked: end that, or try again'
  return 'check that the file is a Switchhook database on a local disk and that this user may write it and its folder'
}

/** Returns true if the driver could not be loaded. Then nothing is known about the file. */
function isWithoutNativePart(error: unknown): boolean {
  const { code, message } = readError(error)
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') return true
  return !code.startsWith('SQLITE_') && /\.node\b|NODE_MODULE_VERSION/.test(message)
}

const WITHOUT_NATIVE_PART = `the driver better-sqlite3 has no native part that works on this machine (${process.platform}-${process.arch}, Node ${process.versions.node}). Run npm ci where the bot runs, for instance in the image: a copied node_modules is another machine's. A bundler must leave better-sqlite3 out (external)`

/**
 * Returns true if another process uses the file. SQLite has several codes for that, such as one for a checkpoint of the
 * WAL.
 */
export function isBusy(error: unknown): boolean {
  return readError(error).code.startsWith('SQLITE_BUSY')
}

/**
 * Returns true if something else wrote into the file, or its disk lost data. A restart does not fix that, unlike a full
 * disk.
 */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(textIn(error, 'code'))
}

export const REPAIR = 'stop the bot, and see switchhook/docs/operations.md#a-damaged-database'

/** Reads the whole file, including its indexes. @throws the error that SQLite throws for a damaged file. */
export function refuseDamage(raw: Database.Database): void {
  const fault = String(raw.pragma('integrity_check(1)', { simple: true }))
  if (fault !== 'ok') throw Object.assign(new Error(fault.replaceAll(/\s+/g, ' ')), { code: 'SQLITE_CORRUPT' })
}

const APPLICATION_ID = 0x5377486b

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name LIMIT 4"

export function foreignDatabase(raw: Database.Database): string | undefined {
  const id = raw.pragma('application_id', { simple: true }) as number
  if (id === APPLICATION_ID) return undefined
  const tables = raw.prepare<[], string>(TABLES).pluck().all()
  if (id === 0 && tables.length === 0) return undefined
  const shown = tables.length > 3 ? [...tables.slice(0, 3), '…'] : tables
  return `it is another application's database (application_id ${id}, tables: ${shown.join(', ') || 'none'})`
}

/**
 * Migrates in one transaction. Locks nothing if there is nothing to do. @throws SwitchhookError `store_newer`,
 * `store_unavailable`
 */
export function migrate(connection: Connection, file: string, steps: readonly Migration[] = MIGRATIONS): void {
  const { raw } = connection
  if (versionOf(connection, file, steps) === steps.length) return
  const bring = raw.transaction(() => {
    // The version is read again, because another process may have migrated meanwhile.
    for (const step of steps.slice(versionOf(connection, file, steps)))
      for (const text of textsOf([step])) raw.exec(text)
    raw.pragma(`application_id = ${APPLICATION_ID}`)
    raw.pragma(`user_version = ${steps.length}`)
    raw.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)').run(SCHEMA_DIGEST, digestOf(textsOf(steps)))
  })
  bring.immediate()
}

function versionOf({ raw }: Connection, file: string, steps: readonly Migration[]): number {
  const version = raw.pragma('user_version', { simple: true }) as number
  if (version > steps.length)
    throw new SwitchhookError(
      'store_newer',
      `the database ${file} has schema ${version}, this library knows ${steps.length}: start the newer release that wrote it`,
    )
  if (version > 0) refuseOtherBuild(file, digestIn(raw), textsOf(steps.slice(0, version)))
  return version
}

export function textsOf(steps: readonly Migration[]): readonly string[] {
  return steps.flat().map((statement) => forSqlite(statement).text)
}

export function digestIn(raw: Database.Database): string | undefined {
  return raw.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck().get(SCHEMA_DIGEST)
}

const VERSION = 'PRAGMA user_version'

/**
 * Returns the version of the schema if a newer release has migrated the file since it was opened. Deliveries are still
 * stored, but no new work begins.
 */
export function newerSchema(sql: Sql): number | undefined {
  const { user_version: version } = sql(VERSION).get() as { user_version: number }
  return version > MIGRATIONS.length ? version : undefined
}
