import Database from 'better-sqlite3'
import { SwitchhookError } from '../../base/errors.ts'
import { MIGRATIONS } from '../schema.ts'

/** A prepared statement whose rows have the columns of `Row`. */
export interface Statement<Row> {
  get(...values: unknown[]): Row | undefined
  all(...values: unknown[]): Row[]
  run(...values: unknown[]): { readonly changes: number }
}

export type Prepare = <Row = unknown>(text: string) => Statement<Row>

const OPENING_BUSY_MS = 5_000

/**
 * Opens a file and brings its schema up to date.
 *
 * @throws SwitchhookError `store_newer` if a newer release wrote the schema.
 */
export function openFile(file: string, migrations: readonly string[] = MIGRATIONS): Database.Database {
  const raw = new Database(file, { timeout: OPENING_BUSY_MS })
  try {
    raw.pragma('journal_mode = WAL')
    // The driver is built with NORMAL, which would lose acknowledged deliveries in a power cut.
    raw.pragma('synchronous = FULL')
    raw.pragma('journal_size_limit = 67108864')
    raw.pragma('secure_delete = ON')
    raw.transaction(() => migrate(raw, migrations)).immediate()
    // From here on a wait would block the event loop. The group commit waits for other processes instead.
    raw.pragma('busy_timeout = 0')
    return raw
  } catch (error) {
    raw.close()
    throw error
  }
}

function migrate(raw: Database.Database, migrations: readonly string[]): void {
  const version = raw.pragma('user_version', { simple: true }) as number
  if (version > migrations.length)
    throw new SwitchhookError(
      'store_newer',
      `the database has schema ${version}, this release knows ${migrations.length}`,
    )
  for (const step of migrations.slice(version)) raw.exec(step)
  raw.pragma(`user_version = ${migrations.length}`)
}

/** `+?` keeps the values out of the planner, so a plan never depends on the first value that was bound. */
export function preparing(raw: Database.Database): Prepare {
  return <Row>(text: string) => raw.prepare(text.replaceAll('?', '+?')) as unknown as Statement<Row>
}
