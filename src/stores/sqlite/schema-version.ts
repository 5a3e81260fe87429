import type { Sql } from './connection.ts'
import { MIGRATIONS } from '../operations/tables/schema.ts'

const VERSION = 'PRAGMA user_version'

/**
 * The file's schema if it is newer than this library's: a newer release has migrated the file since it was opened.
 * Migrations only add, so deliveries are stored and running work is settled as before; no new work is taken up.
 */
export function newerSchema(sql: Sql): number | undefined {
  const { user_version: version } = sql(VERSION).get() as { user_version: number }
  return version > MIGRATIONS.length ? version : undefined
}
