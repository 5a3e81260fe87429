/**
 * Fills a file with deliveries that were handled long ago: what the file has of its few is copied by SQL, since millions
 * over HTTP would take hours. The columns are read from the schema, so that a change of it does not break this.
 */
import Database from 'better-sqlite3'

const A_PART = 100_000

export function fillWithKnown(file: string, known: number): void {
  const raw = new Database(file)
  raw.pragma('synchronous = OFF')
  raw.pragma('cache_size = -200000')
  const seeds = rowsIn(raw, 'inbox')
  const copies = Math.ceil(known / seeds)
  for (const table of tablesOf(raw)) {
    if (rowsIn(raw, table) === seeds) copy(raw, table, seeds, copies)
    else moveEnd(raw, table, seeds * copies)
  }
  raw.pragma('wal_checkpoint(TRUNCATE)')
  raw.close()
}

/** Copies a table that has one row for each delivery. */
function copy(raw: Database.Database, table: string, seeds: number, copies: number): void {
  const columns = columnsOf(raw, table)
  const values = columns.map(({ name }) => valueOf(raw, table, name, seeds))
  raw.exec(`CREATE TEMP TABLE seed AS SELECT * FROM ${table}`)
  const into = `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})`
  const numbers = 'WITH RECURSIVE n (k) AS (SELECT ? UNION ALL SELECT k + 1 FROM n WHERE k < ?)'
  const insert = raw.prepare(`${numbers} ${into} SELECT ${values.join(', ')} FROM n, seed WHERE true`)
  const step = Math.ceil(A_PART / seeds)
  for (let from = 1; from <= copies; from += step) insert.run(from, Math.min(copies, from + step - 1))
  raw.exec('DROP TABLE seed')
}

/** Values that differ from delivery to delivery differ in the copies, in the same way in all tables. */
function valueOf(raw: Database.Database, table: string, column: string, seeds: number): string {
  const { kinds, type, least, most, length } = raw
    .prepare(
      `SELECT count(DISTINCT ${column}) AS kinds, typeof(${column}) AS type, min(${column}) AS least, max(${column}) AS most, min(length(${column})) AS length FROM ${table}`,
    )
    .get() as { kinds: number; type: string; least: number; most: number; length: number }
  if (kinds !== seeds) return column
  if (type === 'blob') return `randomblob(length(${column}))`
  // Ids and the like, in even steps: row numbers, and the numbers of items.
  if (type === 'integer')
    return (most - least) % (seeds - 1) === 0 ? `${column} + k * ${((most - least) / (seeds - 1)) * seeds}` : column
  // Ids of messages differ at their end, and are in the order of time.
  if (type === 'text' && length >= 20)
    return `substr(${column}, 1, length(${column}) - 16) || printf('%08d', k) || substr(${column}, -8)`
  return column
}

/** If the end of a table gives the next number, that number stands behind all copies. */
function moveEnd(raw: Database.Database, table: string, deliveries: number): void {
  const [key, ...more] = columnsOf(raw, table).filter(({ pk }) => pk > 0)
  if (!key || more.length > 0 || key.type !== 'INTEGER') return
  raw.exec(
    `UPDATE ${table} SET ${key.name} = ${key.name} + ${4 * deliveries} WHERE ${key.name} = (SELECT max(${key.name}) FROM ${table})`,
  )
}

function tablesOf(raw: Database.Database): string[] {
  return raw
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[]
}

function columnsOf(raw: Database.Database, table: string): { name: string; type: string; pk: number }[] {
  return raw.pragma(`table_info(${table})`) as { name: string; type: string; pk: number }[]
}

function rowsIn(raw: Database.Database, table: string): number {
  return Number(raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
}
