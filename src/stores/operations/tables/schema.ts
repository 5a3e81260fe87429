import { CONVERSATION_TABLES } from './conversation-tables.ts'
import { FIRST_SCHEMA } from './first-schema.ts'
import { PAYLOAD_TABLES } from './payload-tables.ts'
import { WATCH_TABLES } from './watch-tables.ts'

/** A step from one schema to the next: its SQL if it only adds; one that rewrites or copies a table's rows names it. */
export type Migration = string | { readonly sql: string; readonly rewrites: string }

/**
 * Migrations, oldest first, append-only; within a major version they only add. They are written as SQLite reads them, and
 * any other engine puts its own words for the types in. Times are milliseconds of wall time unless a column says
 * otherwise; `at`, `last_at` are service time.
 */
export const MIGRATIONS: readonly Migration[] = [
  [FIRST_SCHEMA, CONVERSATION_TABLES, PAYLOAD_TABLES].join('\n'),
  WATCH_TABLES,
]
