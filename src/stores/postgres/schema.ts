import { MIGRATIONS } from '../operations/tables/schema.ts'

/** The schema of PostgreSQL in which our tables lie, apart from the app's own. */
export const SCHEMA = 'switchhook'

/** Makes, before the first migration, the schema and the sequences that SQLite does without. */
export const BEFORE_FIRST = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; CREATE SEQUENCE ${SCHEMA}.sends_seq; CREATE SEQUENCE ${SCHEMA}.places`

/**
 * Leaves room in the pages of rows that change state: a row whose next state finds room in its page enters no index anew,
 * which an item would do by three of them when it begins.
 */
export const AFTER_FIRST = 'ALTER TABLE items SET (fillfactor = 80); ALTER TABLE lanes SET (fillfactor = 80)'

/** The sequences, and the number above which each goes on. */
export const SEQUENCES = [
  {
    name: 'sends_seq',
    above: `SELECT greatest(
      (SELECT coalesce(max(seq), 0) FROM sends), (SELECT coalesce(max(upto), 0) FROM forgotten WHERE what = 'sends'))`,
  },
] as const

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

export const TABLES: readonly string[] = MIGRATIONS.flatMap((step) => [...step.matchAll(/\bCREATE TABLE (\w+)/g)]).map(
  ([, table = '']) => table,
)

const TABLE = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${TABLES.join('|')})\\b`, 'g')

/** Calls our tables by their schema, for a session in which other tables are meant by such names. */
export function qualified(statement: string): string {
  return statement.replaceAll(TABLE, `$1 ${SCHEMA}.$2`)
}

/**
 * The places of the log of contents come from a sequence: several processes that store at once take them without waiting
 * for each other. Whoever writes alone reads the sequence once, and sets it with the commit.
 */
export const PLACES = `${SCHEMA}.places`

/** The place that is taken next, over the sequence. */
export const NEXT_PLACE = 'last_value + CASE WHEN is_called THEN 1 ELSE 0 END'

/** Brings the sequence behind rows that came in by other ways, such as a copy. */
export const CATCH_UP = `
  SELECT setval('${PLACES}', taken) FROM ${PLACES}, (SELECT max(place) AS taken FROM ${SCHEMA}.contents) AS c
  WHERE taken >= ${NEXT_PLACE}`

/** Places up to this one are taken. A sequence keeps what it was set to, even if the transaction is not committed. */
export function takenUpTo(place: number): string {
  return `SELECT setval('${PLACES}', ${place}); `
}
