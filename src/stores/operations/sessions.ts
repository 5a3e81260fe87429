import type { SessionWrite } from '../port/index.ts'
import { one, run, sql, type Steps } from './steps.ts'

/** Stores the session of an item's customer as its handlers left it. */
export function* writeSession(item: number, { value, version, expiresAt }: SessionWrite): Steps<void> {
  const who = yield* one<{ number: string; customer: string }>(sql`
    SELECT number, customer FROM items WHERE id = ${item} AND customer IS NOT NULL`)
  if (!who) return
  const { number, customer } = who
  if (value === undefined) yield* run(sql`DELETE FROM sessions WHERE number = ${number} AND customer = ${customer}`)
  else
    yield* run(sql`
      INSERT INTO sessions (number, customer, value, version, expires_at)
      VALUES (${number}, ${customer}, ${value}, ${version}, ${expiresAt})
      ON CONFLICT (number, customer)
      DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`)
}
