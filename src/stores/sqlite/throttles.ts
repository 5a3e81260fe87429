import type { ClosedThrottle, NumberThrottle, ThrottleChange } from '../port/index.ts'
import { closeThrottle, mayBegin, nextProbeAt, OPEN, PROBE_NOW } from '../rules/throttles.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'

interface Row {
  readonly number: string
  readonly since: number
  readonly stopped: number
  readonly closed_until: number
  readonly in_a_row: number
  readonly code: string | null
  readonly reason: string
}

const COLUMNS = 'SELECT number, since, stopped, closed_until, in_a_row, code, reason FROM throttles'
const ONE = `${COLUMNS} WHERE number = ?`
const CLOSED = `${COLUMNS} WHERE stopped = 1 OR closed_until > ? ORDER BY number`

/** A number's throttle; undefined if no answer of the service left a mark on it. */
export function throttleOf(sql: Sql, number: string): NumberThrottle | undefined {
  const row = sql(ONE).get(number) as Row | undefined
  return row && asThrottle(row)
}

/** See `Store.closedThrottles`. */
export function closedThrottles(sql: Sql, now: number): ClosedThrottle[] {
  return (sql(CLOSED).all(now) as Row[]).map(asClosed)
}

function asClosed(row: Row): ClosedThrottle {
  return { number: row.number, since: row.since, ...asThrottle(row) }
}

function asThrottle(row: Row): NumberThrottle {
  return {
    stopped: row.stopped === 1,
    closedUntil: row.closed_until,
    inARow: row.in_a_row,
    code: row.code ?? undefined,
    reason: row.reason,
  }
}

const CLOSE = `
  INSERT INTO throttles (number, stopped, since, closed_until, in_a_row, code, reason) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET since = excluded.since, stopped = excluded.stopped, closed_until = excluded.closed_until,
    in_a_row = excluded.in_a_row, code = excluded.code, reason = excluded.reason`
const REMOVE = 'DELETE FROM throttles WHERE number = ?'
const RELEASE_HELD = `
  UPDATE sends SET state = 'ready', code = NULL, reason = NULL, next_at = 0
  WHERE settled_at IS NULL AND number = ? AND state = 'held' AND held_from IS NULL`
// One-time codes are left out: they never wait.
const HOLD_READY = `
  UPDATE sends SET state = 'held', code = ?, reason = ?
  WHERE settled_at IS NULL AND number = ? AND state = 'ready' AND withheld = 0`

/** Writes what an answer of the service means for its number's throttle. */
export function changeThrottle(tx: Tx, number: string, change: ThrottleChange, now: number): void {
  if (change === 'resumed') resume(tx, number)
  else close(tx, number, change, now)
}

function close(tx: Tx, number: string, closing: NumberThrottle, now: number): void {
  const row = tx.sql(ONE).get(number) as Row | undefined
  const closed = closeThrottle(row && asClosed(row), closing, now)
  if (closed) {
    const { since, stopped, closedUntil, inARow, code, reason } = closed
    tx.sql(CLOSE).run(number, stopped ? 1 : 0, since, closedUntil, inARow, code ?? null, reason)
  }
  if (closing.stopped) tx.sql(HOLD_READY).run(closing.code ?? null, closing.reason, number)
}

function resume(tx: Tx, number: string): void {
  if (tx.sql(REMOVE).run(number).changes === 0) return
  // The lanes of its sends are there, and were passed over while the throttle was closed.
  tx.sql(RELEASE_HELD).run(number)
  tx.wake('sends')
}

const PROBE = 'UPDATE throttles SET closed_until = ? WHERE number = ?'

/** Asks the rule `mayBegin` for a send of this number; if the send is the probe, it keeps the next ones waiting. */
export function beginProbe(tx: Tx, number: string, now: number): boolean {
  const may = mayBegin(throttleOf(tx.sql, number), now)
  if (may === 'probe') tx.sql(PROBE).run(nextProbeAt(now), number)
  return may !== 'no'
}

const PROBE_AT_ONCE = `
  UPDATE throttles SET closed_until = ${PROBE_NOW}
  WHERE closed_until > ${OPEN} AND (? IS NULL OR number = ?) RETURNING number`

/** Has closed throttles send their probe at once, and names them: see `Store.probeThrottles`. */
export function probeThrottles(tx: Tx, number: string | undefined): string[] {
  const probed = tx.sql(PROBE_AT_ONCE).all(number ?? null, number ?? null) as { number: string }[]
  if (probed.length > 0) tx.wake('sends')
  return probed.map((throttle) => throttle.number).sort()
}
