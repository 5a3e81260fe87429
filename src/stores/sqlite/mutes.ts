import type { Fence, TakeoverState, Mute } from '../port/index.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { holdsLane } from './lanes.ts'

const SILENCE = `
  INSERT INTO silences (number, customer, why, since, until) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET why = excluded.why, since = excluded.since,
    until = CASE WHEN why <> excluded.why AND excluded.until > excluded.since THEN max(until, excluded.until)
      ELSE excluded.until END
    WHERE excluded.since >= since OR excluded.why = 'handed_over'`

/**
 * The bot falls silent for a customer: see `Store.silence`. A `BOT` that came late does not undo what was said since, and
 * of two reasons to be silent the longer one stands.
 */
export function silence(tx: Tx, { number, customer, why, since, until }: Mute, fence?: Fence): boolean {
  if (fence && !holdsLane(tx, fence)) return false
  tx.sql(SILENCE).run(number, customer, why, since, until)
  return true
}

const SPEAKS = `
  INSERT INTO silences (number, customer, why, since, until) VALUES (?, ?, 'agent', ?, ?)
  ON CONFLICT DO UPDATE SET why = excluded.why, since = excluded.since, until = excluded.until`

/**
 * The bot speaks again: kept as a silence that has ended, so that an older `BOT` that comes late changes nothing. It counts
 * also where the clock went back since, as an emulator's does that begins anew over a database that was kept.
 */
export function unsilence(tx: Tx, who: { number: string; customer: string }, at: number, fence?: Fence): boolean {
  if (fence && !holdsLane(tx, fence)) return false
  tx.sql(SPEAKS).run(who.number, who.customer, at, at)
  return true
}

const LAST = 'SELECT why, since, until FROM silences WHERE number = ? AND customer = ?'

/** The last silence of a customer, which may be over. */
export function lastSilence(sql: Sql, number: string, customer: string): Mute | undefined {
  const row = sql(LAST).get(number, customer) as Pick<Mute, 'why' | 'since' | 'until'> | undefined
  return row && { number, customer, why: row.why, since: row.since, until: row.until }
}

export function silenceOf(sql: Sql, number: string, customer: string, now: number): Mute | undefined {
  const last = lastSilence(sql, number, customer)
  return last && last.until > now ? last : undefined
}

const SENT = 'SELECT sent_at FROM windows WHERE number = ? AND customer = ?'
const MARK_SENT = `
  UPDATE windows SET sent_at = max(coalesce(sent_at, 0), ?) WHERE number = ? AND customer = ?`

/** See `Store.floorOf`. */
export function floorOf(sql: Sql, number: string, customer: string, now: number): TakeoverState {
  const sent = sql(SENT).get(number, customer) as { sent_at: number | null } | undefined
  return { mute: silenceOf(sql, number, customer, now), lastSentAt: sent?.sent_at ?? undefined }
}

export function markSent(tx: Tx, number: string, customer: string, at: number): void {
  tx.sql(MARK_SENT).run(at, number, customer)
}
