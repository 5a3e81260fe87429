import { type ClosedThrottle, PROBE_EVERY_MS, type NumberThrottle, type ThrottleChange } from '../port/index.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'

interface Row {
  readonly stopped: number
  readonly closed_until: number
  readonly in_a_row: number
  readonly code: string | null
  readonly reason: string
}

const QUEUE = 'SELECT stopped, closed_until, in_a_row, code, reason FROM queues WHERE number = ?'

/** A number's queue, where the answers of the service left a mark on it. */
export function queueOf(sql: Sql, number: string): NumberThrottle | undefined {
  const row = sql(QUEUE).get(number) as Row | undefined
  return row && asQueue(row)
}

function asQueue(row: Row): NumberThrottle {
  return {
    stopped: row.stopped === 1,
    closedUntil: row.closed_until,
    inARow: row.in_a_row,
    code: row.code ?? undefined,
    reason: row.reason,
  }
}

const CLOSED = `
  SELECT number, since, stopped, closed_until, in_a_row, code, reason FROM queues
  WHERE stopped = 1 OR closed_until > ? ORDER BY number`

/** See `Store.closedQueues`. */
export function closedQueues(sql: Sql, now: number): ClosedThrottle[] {
  const rows = sql(CLOSED).all(now) as (Row & { number: string; since: number })[]
  return rows.map((row) => ({ number: row.number, since: row.since, ...asQueue(row) }))
}

// A send that was under way when the queue was stopped asks for a pause at most, and does not end the stop.
const CLOSE = `
  INSERT INTO queues (number, stopped, since, closed_until, in_a_row, code, reason) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    since = CASE WHEN stopped = excluded.stopped AND closed_until > 0 THEN since ELSE excluded.since END,
    stopped = excluded.stopped, closed_until = excluded.closed_until, in_a_row = excluded.in_a_row, code = excluded.code,
    reason = excluded.reason
  WHERE excluded.stopped >= stopped`
const OPEN = 'DELETE FROM queues WHERE number = ?'
const LET_GO = `
  UPDATE sends SET state = 'ready', code = NULL, reason = NULL, next_at = 0
  WHERE settled_at IS NULL AND number = ? AND state = 'held' AND held_from IS NULL`
// Not one-time codes, which never wait.
const HOLD_ALL = `
  UPDATE sends SET state = 'held', code = ?, reason = ?
  WHERE settled_at IS NULL AND number = ? AND state = 'ready' AND withheld = 0`

/** What an answer means for the number's queue. */
export function moveQueue(tx: Tx, number: string, move: ThrottleChange, now: number): void {
  if (move !== 'resumed') {
    const { stopped, closedUntil, inARow, code, reason } = move
    tx.sql(CLOSE).run(number, stopped ? 1 : 0, now, closedUntil, inARow, code ?? null, reason)
    if (stopped) tx.sql(HOLD_ALL).run(code ?? null, reason, number)
    return
  }
  if (tx.sql(OPEN).run(number).changes === 0) return
  // Their lanes are there, and were passed over while the queue was closed.
  tx.sql(LET_GO).run(number)
  tx.wake('sends')
}

const PROBE = 'UPDATE queues SET closed_until = ? WHERE number = ?'

/**
 * Whether a send of this number may begin: any where its queue is open, one where it was closed long enough, and then
 * no other until that one's answer, or until a minute has passed.
 */
export function mayBegin(tx: Tx, number: string, now: number): boolean {
  const queue = queueOf(tx.sql, number)
  if (!queue || queue.closedUntil === 0) return true
  if (queue.closedUntil > now) return false
  tx.sql(PROBE).run(now + PROBE_EVERY_MS, number)
  return true
}

const TRY_AT_ONCE = `
  UPDATE queues SET closed_until = 1 WHERE closed_until > 0 AND (? IS NULL OR number = ?) RETURNING number`

/** Closed queues send their probe at once: see `Store.tryQueues`. The answer names them. */
export function tryQueues(tx: Tx, number: string | undefined): string[] {
  const tried = tx.sql(TRY_AT_ONCE).all(number ?? null, number ?? null) as { number: string }[]
  if (tried.length > 0) tx.wake('sends')
  return tried.map((queue) => queue.number).sort()
}
