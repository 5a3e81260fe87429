import { type Columns, nullable, type RowOf, rowsOf } from './rows.ts'
import { type BegunItemRow, itemInLane } from './started.ts'

/** The end of an item that comes to rest, with the fence of its lane. */
export const ENDING = {
  lane: 'text',
  owner: 'text',
  token: 'bigint',
  item: 'bigint',
  state: 'text',
  /** Wall time. */
  now: 'bigint',
  /** The lane's next item begins, if one is ready. */
  goes_on: 'boolean',
} as const

/** The members that only some ends have: each list costs a group as much as several rows. */
export const ENDING_MORE = {
  ...ENDING,
  reason: nullable('text'),
  completed: nullable('text'),
  failure: nullable('text'),
  writes_session: 'boolean',
  /** NULL: the session ends. */
  session: nullable('text'),
  /** See `SessionWrite`. */
  session_before: nullable('text'),
  session_read_at: nullable('bigint'),
  session_version: nullable('bigint'),
  session_expires: nullable('bigint'),
} as const

export type EndingMore = RowOf<typeof ENDING_MORE>

/**
 * The end of one settlement of a group; `n` counts from 1. There is none if the lane was lost. Without `planned` the
 * settlement is odd, and nothing was changed.
 */
export interface EndedRow extends BegunItemRow {
  readonly n: number
  /** All that waits in the lane was seen. */
  readonly seen: boolean
  readonly planned: boolean
  /** The row has the next item. */
  readonly begins: boolean
  /** Something waits in the lane, which was released. */
  readonly leaves: boolean
  /** The item's own `burst`. */
  readonly of_burst: number | null
}

/** The parts behind `found` need no more of what was given: each column of its rows is written and read once more. */
const GIVEN = 'g.n, g.lane, g.state, g.now'
const GIVEN_MORE = `${GIVEN}, g.reason, g.completed, g.failure, g.writes_session, g.session, g.session_version,
    g.session_expires, i.number, i.customer`

const CHANGE = 'state = p.state, settled_at = p.now, reason = NULL, failure = NULL'
const CHANGE_MORE = `state = p.state, settled_at = p.now, reason = p.reason,
    failure = CASE WHEN p.reason IS NULL THEN NULL ELSE coalesce(p.failure, i.failure) END,
    completed_handlers = coalesce(p.completed, i.completed_handlers)`

const SESSIONS = `
written AS (
  INSERT INTO sessions AS s (number, customer, value, version, expires_at)
  SELECT DISTINCT ON (number, customer) number, customer, session, session_version, session_expires FROM found
  WHERE seen AND planned AND writes_session AND session IS NOT NULL AND customer IS NOT NULL
  ORDER BY number, customer, n DESC
  ON CONFLICT (number, customer)
  DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at),
ended AS (
  DELETE FROM sessions s USING found p
  WHERE p.seen AND p.planned AND p.writes_session AND p.session IS NULL
    AND s.number = p.number AND s.customer = p.customer),`

/** Whoever writes a session from outside an item writes alone, so that the snapshot is the latest. */
const SESSION_AS_READ = `AND (NOT g.writes_session OR (
      SELECT s.value FROM sessions s WHERE s.number = i.number AND s.customer = i.customer
        AND (s.expires_at IS NULL OR s.expires_at > g.session_read_at) LIMIT 1) IS NOT DISTINCT FROM g.session_before)`

export const SETTLE = settling(ENDING, GIVEN, CHANGE, '')
export const SETTLE_MORE = settling(ENDING_MORE, GIVEN_MORE, CHANGE_MORE, SESSIONS, SESSION_AS_READ)

/** Settles the other parts of bursts, as their last parts were. */
export const SETTLE_PARTS = `
UPDATE items i SET ${CHANGE_MORE} FROM (SELECT * FROM ${rowsOf(ENDING_MORE)}) p WHERE i.burst = p.item AND i.id <> p.item`

/**
 * Settles items, and lets each lane go or begins its next item. The lanes are locked in the order of their keys, and the
 * row that is locked is the latest: all else in the statement is of a snapshot, which may be older. If the snapshot does
 * not see that row, something may wait in the lane that is not seen either, and the settlement is not written. Odd are
 * those after which something waits for a later time, or a burst begins, and those whose session was written meanwhile. Rows are written by their places in the tables,
 * where they were found: whoever changes an item has its lane, so no other version was put elsewhere meanwhile. The parts
 * of the statement are not joined with each other: that compares each row of a group with each.
 */
function settling(columns: Columns, given: string, change: string, sessions: string, asRead = ''): string {
  return `
WITH found AS MATERIALIZED (
  SELECT ${given}, l.place, l.last_at, l.sent_at, i.place AS of_item, i.burst,
    n.place AS next, g.goes_on AND n.id IS NOT NULL AS begins,
    CASE WHEN g.state = 'done' AND l.last_at IS NOT NULL AND i.kind = 'message' THEN greatest(l.handled_at, i.at)
      ELSE l.handled_at END AS handled_at,
    (SELECT true FROM lanes s WHERE s.ctid = l.place) IS TRUE AS seen,
    i.id IS NOT NULL AND CASE
      WHEN n.id IS NULL THEN NOT EXISTS (
        SELECT 1 FROM items o WHERE o.lane = g.lane AND o.settled_at IS NULL AND o.id <> g.item
          AND (o.burst IS NULL OR o.burst <> g.item))
      ELSE NOT g.goes_on OR (n.burst IS NULL AND n.state <> 'running') END ${asRead} AS planned
  FROM (SELECT * FROM ${rowsOf(columns)} ORDER BY lane) g
    CROSS JOIN LATERAL (
      SELECT l.ctid AS place, l.last_at, l.handled_at, l.sent_at FROM lanes l
      WHERE l.key = g.lane AND l.owner = g.owner AND l.token = g.token FOR UPDATE) l
    LEFT JOIN LATERAL (
      SELECT i.ctid AS place, i.id, i.number, i.customer, i.burst, i.kind, i.at FROM items i
      WHERE i.id = g.item LIMIT 1) i ON true
    LEFT JOIN LATERAL (
      SELECT n.ctid AS place, n.id, n.burst, n.state FROM items n
      WHERE n.lane = g.lane AND n.settled_at IS NULL AND n.ready_at <= g.now AND n.id <> g.item
        AND (n.burst IS NULL OR n.burst <> g.item)
      ORDER BY n.at, n.id LIMIT 1) n ON true),
settled AS (
  UPDATE items i SET ${change} FROM found p WHERE p.seen AND p.planned AND i.ctid = p.of_item),
begun AS (
  UPDATE items i SET state = 'running', attempts = attempts + 1 FROM found p
  WHERE p.seen AND p.planned AND p.begins AND i.ctid = p.next),${sessions}
kept AS (
  UPDATE lanes l SET handled_at = p.handled_at,
    owner = CASE WHEN p.begins THEN l.owner END, token = CASE WHEN p.begins THEN l.token END,
    ready_at = CASE WHEN p.begins THEN l.ready_at WHEN p.next IS NOT NULL THEN 0 END,
    since = CASE WHEN p.begins THEN l.since ELSE p.now END,
    blocked_until = CASE WHEN p.begins THEN l.blocked_until ELSE 0 END
  FROM found p WHERE p.seen AND p.planned AND l.ctid = p.place AND (p.last_at IS NOT NULL OR p.next IS NOT NULL)),
gone AS (
  DELETE FROM lanes l USING found p
  WHERE p.seen AND p.planned AND l.ctid = p.place AND p.last_at IS NULL AND p.next IS NULL)
SELECT e.n, e.seen, e.seen AND e.planned AS planned, e.seen AND e.planned AND e.begins AS begins,
  e.seen AND e.planned AND e.next IS NOT NULL AND NOT e.begins AS leaves, e.burst AS of_burst, r.*
FROM found e LEFT JOIN LATERAL (${itemInLane('e.seen AND e.planned AND e.begins AND i.ctid = e.next')}) r ON true`
}
