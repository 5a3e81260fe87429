import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { foreign } from './foreign.ts'

/** An open database with its prepared statements. */
export interface Connection {
  readonly raw: Database.Database
  sql(text: string): Database.Statement<unknown[], unknown>
  close(): void
}

/** A connection's prepared statements. */
export type Sql = Connection['sql']

/**
 * How long a write may wait for another process's. Short, since the wait blocks the event loop; whoever
 * has waited in vain answers 503 or tries again.
 */
export const BUSY_MS = 250
/** The same for the opening, before which nothing is received that would have to wait: a deploy must not fail by a slow disk. */
export const OPENING_BUSY_MS = 5_000
const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * Opens a file that is ours or empty; another application's is left as it is.
 *
 * @throws SwitchhookError `store_unavailable`
 */
export function openConnection(file: string): Connection {
  const raw = open(file)
  try {
    const whose = foreign(raw)
    if (whose !== undefined) throw new Error(whose)
    if (file !== ':memory:') keepPrivate(file)
    raw.pragma('journal_mode = WAL')
    // The driver is built to drop to NORMAL in WAL mode whenever a file is opened anew; then a power cut
    // would lose what was acknowledged. So it is set at every opening, and read back.
    raw.pragma('synchronous = FULL')
    if (raw.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous=FULL was not taken')
    raw.pragma('journal_size_limit = 67108864')
    // Always, and not only while pruning: an update that makes a row longer leaves the shorter one behind.
    raw.pragma('secure_delete = ON')
  } catch (error) {
    raw.close()
    throw unavailable(file, error)
  }
  return connectionOf(raw)
}

/** Prepares each statement once. */
export function connectionOf(raw: Database.Database): Connection {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>()
  return {
    raw,
    sql(text) {
      let statement = statements.get(text)
      if (!statement) {
        statement = raw.prepare<unknown[], unknown>(withStablePlan(text))
        statements.set(text, statement)
      }
      return statement
    },
    close: () => raw.close(),
  }
}

/**
 * SQLite may plan a query anew for each bound value, and the driver makes it do so at each run, which costs many
 * times the query itself. A parameter behind a unary plus is the same value, and none to plan by.
 */
function withStablePlan(text: string): string {
  return text.replaceAll('?', '+?')
}

function open(file: string): Database.Database {
  try {
    if (file !== ':memory:' && !existsSync(file)) makePrivate(file)
    return new Database(file, { timeout: BUSY_MS })
  } catch (error) {
    throw unavailable(file, error)
  }
}

/** Made here with its mode, so that there is no moment in which others can read it; -wal and -shm follow it. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', OWNER_ONLY))
}

/** What was there already loses others' rights, and gains none of its own. */
function keepPrivate(file: string): void {
  const { mode } = statSync(file)
  if ((mode & OTHERS) !== 0) chmodSync(file, mode & OWNER_ONLY)
}

export function unavailable(file: string, error: unknown): SwitchhookError {
  const mend = mendOf(file, error)
  return new SwitchhookError(
    'store_unavailable',
    `the database ${file} cannot be opened: ${reasonOf(error)}; ${mend}`,
    { cause: error },
  )
}

function mendOf(file: string, error: unknown): string {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) return `create the folder ${folder} first`
  if (isBusy(error)) return 'another process keeps it locked: end that, or try again'
  return 'check that the file is a Switchhook database on a local disk and that this user may write it and its folder'
}

/** Another process has the file; SQLite has several codes for it, such as for one that brings a log into it. */
export function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY')
}
