import { randomBytes } from 'node:crypto'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'

const SECRET_BYTES = 32
const MAKE = 'INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING'
const SECRET = 'SELECT value FROM secrets WHERE name = ?'

/** See `Store.secret`. */
export function secret(tx: Tx, name: string): Uint8Array {
  tx.sql(MAKE).run(name, randomBytes(SECRET_BYTES))
  return (tx.sql(SECRET).get(name) as { value: Buffer }).value
}

/** The same without writing: undefined if the secret was never asked for. */
export function knownSecret(sql: Sql, name: string): Uint8Array | undefined {
  return (sql(SECRET).get(name) as { value: Buffer } | undefined)?.value
}
