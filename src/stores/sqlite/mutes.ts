import type { Fence, Mute, TakeoverState } from '../port/index.ts'
import { isInForce, muteAfter, unmuted } from '../rules/mutes.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { holdsLane } from './lanes.ts'

const WRITE = `
  INSERT INTO mutes (number, customer, why, since, until) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET why = excluded.why, since = excluded.since, until = excluded.until`

/** Mutes the bot for a customer: see `Store.mute`. */
export function mute(tx: Tx, asked: Mute, fence?: Fence): boolean {
  if (fence && !holdsLane(tx, fence)) return false
  const after = muteAfter(lastMute(tx.sql, asked.number, asked.customer), asked)
  if (after) write(tx, after)
  return true
}

/** Ends the mute of a customer: see `Store.unmute`. */
export function unmute(tx: Tx, who: { number: string; customer: string }, at: number, fence?: Fence): boolean {
  if (fence && !holdsLane(tx, fence)) return false
  write(tx, unmuted(who, at))
  return true
}

function write(tx: Tx, { number, customer, why, since, until }: Mute): void {
  tx.sql(WRITE).run(number, customer, why, since, until)
}

const LAST = 'SELECT why, since, until FROM mutes WHERE number = ? AND customer = ?'

/** A customer's last mute, which may be over. */
export function lastMute(sql: Sql, number: string, customer: string): Mute | undefined {
  const row = sql(LAST).get(number, customer) as Pick<Mute, 'why' | 'since' | 'until'> | undefined
  return row && { number, customer, why: row.why, since: row.since, until: row.until }
}

const SENT = 'SELECT sent_at FROM windows WHERE number = ? AND customer = ?'
const MARK_SENT = `
  UPDATE windows SET sent_at = max(coalesce(sent_at, 0), ?) WHERE number = ? AND customer = ?`

/** See `Store.takeoverOf`. */
export function takeoverOf(sql: Sql, number: string, customer: string, now: number): TakeoverState {
  const sent = sql(SENT).get(number, customer) as { sent_at: number | null } | undefined
  const last = lastMute(sql, number, customer)
  return { mute: isInForce(last, now) ? last : undefined, lastSentAt: sent?.sent_at ?? undefined }
}

/** Keeps the service time of the last send to a customer that the service took. */
export function markSent(tx: Tx, number: string, customer: string, at: number): void {
  tx.sql(MARK_SENT).run(at, number, customer)
}
