import { escapeLiteral } from 'pg'
import { MIGRATIONS } from '../../src/stores/operations/tables/schema.ts'
import { AFTER_FIRST, BEFORE_FIRST, SCHEMA, spellMigration, TABLES } from '../../src/stores/postgres/schema.ts'
import type { Row } from './read-postgres.ts'

const SEQUENCES = ['sends_seq', 'places']

/** Statements that make the database again: the tables as an opening makes them, each row, and where the sequences stand. */
export async function dumpPostgres(read: (query: string) => Promise<Row[]>): Promise<string> {
  const migrations = MIGRATIONS.map((step) => spellMigration(typeof step === 'string' ? step : step.sql))
  const statements = [`${BEFORE_FIRST};`, `SET search_path = ${SCHEMA}, public;`, ...migrations, `${AFTER_FIRST};`]
  for (const table of TABLES) {
    const rows = await read(`SELECT * FROM ${SCHEMA}.${table} AS t ORDER BY t.*::text`)
    statements.push(...rows.map((row) => `INSERT INTO ${table} ${listOf(row)};`))
  }
  for (const name of SEQUENCES) {
    const [at] = await read(`SELECT last_value, is_called FROM ${SCHEMA}.${name}`)
    statements.push(`SELECT setval('${name}', ${String(at?.['last_value'])}, ${String(at?.['is_called'])});`)
  }
  // A bot holds the sends of a database that comes from another server; this one is to go on as if it were the same.
  statements.push("UPDATE meta SET value = (SELECT system_identifier FROM pg_control_system()) WHERE name = 'cluster';")
  return `${statements.join('\n')}\n`
}

function listOf(row: Row): string {
  return `(${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literalOf).join(', ')})`
}

function literalOf(value: unknown): string {
  if (value === null) return 'NULL'
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString('hex')}`)
  if (typeof value === 'string') return escapeLiteral(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`a column has a value of type ${typeof value}, for which this has no literal`)
}
