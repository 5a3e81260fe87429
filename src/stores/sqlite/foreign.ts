import type Database from 'better-sqlite3'
import { APPLICATION_ID } from './schema.ts'

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name LIMIT 4"

/** Says whose database a file is if it is another application's; nothing is written to such a file. */
export function foreignDatabase(raw: Database.Database): string | undefined {
  const id = raw.pragma('application_id', { simple: true }) as number
  if (id === APPLICATION_ID) return undefined
  const tables = raw.prepare<[], string>(TABLES).pluck().all()
  if (id === 0 && tables.length === 0) return undefined
  const shown = tables.length > 3 ? [...tables.slice(0, 3), '…'] : tables
  return `it is another application's database (application_id ${id}, tables: ${shown.join(', ') || 'none'})`
}
