import type Database from 'better-sqlite3'

/** Marks a file as ours: 'SwHk'. */
export const APPLICATION_ID = 0x5377486b

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name LIMIT 4"

/** A table of the schema before the first release, which no migration leads on from. */
const BEFORE_RELEASE = "SELECT 1 FROM sqlite_schema WHERE name = 'unsorted'"

/** Says whose database a file is if this library cannot work with it; nothing is written to such a file. */
export function foreignDatabase(raw: Database.Database): string | undefined {
  const id = raw.pragma('application_id', { simple: true }) as number
  if (id === APPLICATION_ID)
    return raw.prepare(BEFORE_RELEASE).get()
      ? 'it was written by this library before its first release: move it away and start with a new one'
      : undefined
  const tables = raw.prepare<[], string>(TABLES).pluck().all()
  if (id === 0 && tables.length === 0) return undefined
  const shown = tables.length > 3 ? [...tables.slice(0, 3), '…'] : tables
  return `it is another application's database (application_id ${id}, tables: ${shown.join(', ') || 'none'})`
}
