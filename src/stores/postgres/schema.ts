/** The schema of PostgreSQL in which our tables lie, apart from the app's own. */
export const SCHEMA = 'switchhook'

/**
 * Puts PostgreSQL's types into a migration. Texts are compared by their bytes: a language's order costs more, and an index
 * over it is broken by an upgrade of the system's library.
 */
export function spellMigration(sql: string): string {
  return sql
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?;/g, ');')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
}
