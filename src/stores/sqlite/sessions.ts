import type { SessionWrite } from '../port/index.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'

const SESSION = `
  SELECT value, version FROM sessions
  WHERE number = ? AND customer = ? AND (expires_at IS NULL OR expires_at > ?)`

/** See `Store.sessionOf`. */
export function sessionOf(sql: Sql, number: string, customer: string, at: number) {
  return sql(SESSION).get(number, customer, at) as { value: string; version: number } | undefined
}

const OF_ITEM = 'SELECT number, customer FROM items WHERE id = ? AND customer IS NOT NULL'
const WRITE = `
  INSERT INTO sessions (number, customer, value, version, expires_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`
const REMOVE = 'DELETE FROM sessions WHERE number = ? AND customer = ?'

/** Stores the session of an item's customer as its handlers left it. */
export function writeSession(tx: Tx, item: number, { value, version, expiresAt }: SessionWrite): void {
  const who = tx.sql(OF_ITEM).get(item) as { number: string; customer: string } | undefined
  if (!who) return
  if (value === undefined) tx.sql(REMOVE).run(who.number, who.customer)
  else tx.sql(WRITE).run(who.number, who.customer, value, version, expiresAt ?? null)
}

const EXPIRED = `
  DELETE FROM sessions WHERE (number, customer) IN (
    SELECT number, customer FROM sessions WHERE expires_at < ? LIMIT ?)`

/** Removes sessions that expired before a time; the answer counts them. */
export function pruneSessions(tx: Tx, before: number, limit: number): number {
  return tx.sql(EXPIRED).run(before, limit).changes
}
