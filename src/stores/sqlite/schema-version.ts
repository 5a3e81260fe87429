import type { Sql } from './connection.ts'
import { MIGRATIONS } from './schema.ts'

const VERSION = 'PRAGMA user_version'

/**
 * The file's schema where it is newer than this library's: a newer release has migrated it since it was opened.
 * Migrations only add, so storing deliveries and settling what runs goes on; whatever takes work up does not.
 */
export function newerSchema(sql: Sql): number | undefined {
  const { user_version: version } = sql(VERSION).get() as { user_version: number }
  return version > MIGRATIONS.length ? version : undefined
}
