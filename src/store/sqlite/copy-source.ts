import type Database from 'better-sqlite3'
import { END_ALL_LEASES } from '../database/inbox-tables.ts'
import { SCHEMA_DIGEST, InUse } from '../database/schema.ts'
import { holdSendsNextTime } from './generation.ts'
import { openToRead } from './sqlite-reader.ts'
import { openAlone } from './write-ahead-log.ts'
import type { CopiedRow, CopiedTable } from '../database/schema.ts'

const ROWS_AT_ONCE = 1_000
const BYTES_AT_ONCE = 2_097_152

export function openCopySource(file: string) {
  openToRead(file).close()
  const raw = openAlone(file)
  if (!raw) throw new InUse(`another process has ${file} open: stop the bot, and end the commands that look into it`)
  raw.exec(END_ALL_LEASES)
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
  return {
    tables: raw
      .prepare<[], string>(tables)
      .pluck()
      .all()
      .map(
        (name): CopiedTable => ({
          name,
          columns: raw.pragma(`table_info(${name})`) as CopiedTable['columns'],
          portions: () => portionsOf(raw, name),
        }),
      ),
    /** The copy continues with the open sends. If an app starts with the old database, it holds the sends there. */
    retire: () => holdSendsNextTime(file),
    close: () => void raw.close(),
  }
}

/**
 * Reads a table in portions, which end earlier if rows are large. The generation and the digest are left out, because
 * they belong to the file and not to its content.
 */
function* portionsOf(raw: Database.Database, table: string): Generator<readonly CopiedRow[]> {
  const only = table === 'meta' ? `WHERE name NOT IN ('generation', '${SCHEMA_DIGEST}')` : ''
  let rows: CopiedRow[] = []
  let bytes = 0
  for (const row of raw.prepare<[], CopiedRow>(`SELECT * FROM ${table} ${only}`).raw().iterate()) {
    rows.push(row)
    for (const value of row) bytes += typeof value === 'number' ? 8 : (value?.length ?? 0)
    if (rows.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue
    yield rows
    rows = []
    bytes = 0
  }
  if (rows.length > 0) yield rows
}
