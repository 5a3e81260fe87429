import { ITEM_COLUMNS, ITEM_JOINS, type ItemRow } from '../../operations/item-row.ts'
import { type Columns, rowsOf } from './rows.ts'

/** The end of an item that comes to rest, with the fence of its lane. */
export interface Ending {
  readonly lane: string
  readonly owner: string
  readonly token: number
  readonly item: number
  readonly state: string
  readonly reason: string | undefined
  readonly completed: string | undefined
  readonly failure: string | undefined
  /** Wall time. */
  readonly now: number
  readonly done: boolean
  /** The lane's next item begins, if one is ready. */
  readonly goes_on: boolean
  readonly writes_session: boolean
  /** Undefined: the session ends. */
  readonly session: string | undefined
  readonly session_version: number | undefined
  readonly session_expires: number | undefined
}

export const ENDING: Columns<Ending> = {
  lane: 'text',
  owner: 'text',
  token: 'bigint',
  item: 'bigint',
  state: 'text',
  reason: 'text',
  completed: 'text',
  failure: 'text',
  now: 'bigint',
  done: 'boolean',
  goes_on: 'boolean',
  writes_session: 'boolean',
  session: 'text',
  session_version: 'bigint',
  session_expires: 'bigint',
}

/**
 * The end of one settlement of a group; `n` counts from 1. There is none if the lane was lost. Without `planned` the
 * settlement is odd, and nothing was changed.
 */
export interface EndedRow extends ItemRow {
  readonly n: number
  /** All that waits in the lane was seen. */
  readonly seen: boolean
  readonly planned: boolean
  /** The row has the next item. */
  readonly begins: boolean
  /** Something waits in the lane, which was released. */
  readonly leaves: boolean
  /** The handled time of the lane's window. */
  readonly handled: number | null
}

/**
 * Settles items, and lets each lane go or begins its next item. The lanes are locked in the order of their keys, and the
 * row that is locked is the latest: all else in the statement is of a snapshot, which may be older. If the lane has
 * changed since, something may wait there that is not seen, and the settlement is not written. Odd are those after which
 * something waits for a later time, or a burst begins. The parts of the statement are not joined with each other: that
 * compares each row of a group with each.
 */
export const SETTLE = `
WITH given AS MATERIALIZED (SELECT * FROM ${rowsOf(ENDING, 1)} ORDER BY lane),
held AS MATERIALIZED (
  SELECT g.*, l.last_at, l.handled_at, l.version IS NOT DISTINCT FROM (
      SELECT s.xmin::text FROM lanes s WHERE s.key = g.lane) AS seen
  FROM given g CROSS JOIN LATERAL (
    SELECT l.last_at, l.handled_at, l.xmin::text AS version FROM lanes l
    WHERE l.key = g.lane AND l.owner = g.owner AND l.token = g.token FOR UPDATE) l),
found AS MATERIALIZED (
  SELECT h.*, i.number, i.customer, i.burst, n.id AS next, h.goes_on AND n.id IS NOT NULL AS begins,
    CASE WHEN h.done AND h.last_at IS NOT NULL AND i.kind = 'message' THEN greatest(h.handled_at, i.at)
      ELSE h.handled_at END AS handled,
    h.seen AND i.id IS NOT NULL AND CASE
      WHEN n.id IS NULL THEN NOT EXISTS (
        SELECT 1 FROM items o WHERE o.lane = h.lane AND o.settled_at IS NULL AND o.id <> h.item
          AND (o.burst IS NULL OR o.burst <> h.item))
      ELSE NOT h.goes_on OR (n.burst IS NULL AND n.state <> 'running') END AS planned
  FROM held h
    LEFT JOIN LATERAL (
      SELECT i.id, i.number, i.customer, i.burst, i.kind, i.at FROM items i WHERE i.id = h.item LIMIT 1) i ON true
    LEFT JOIN LATERAL (
      SELECT n.id, n.burst, n.state FROM items n
      WHERE n.lane = h.lane AND n.settled_at IS NULL AND n.ready_at <= h.now AND n.id <> h.item
        AND (n.burst IS NULL OR n.burst <> h.item)
      ORDER BY n.at, n.id LIMIT 1) n ON true),
plan AS NOT MATERIALIZED (SELECT * FROM found WHERE planned),
settled AS (
  UPDATE items i SET state = p.state, reason = p.reason, settled_at = p.now,
    completed_handlers = coalesce(p.completed, i.completed_handlers),
    failure = CASE WHEN p.reason IS NULL THEN NULL ELSE coalesce(p.failure, i.failure) END
  FROM (
    SELECT p.*, m.id FROM plan p CROSS JOIN LATERAL (
      SELECT p.item AS id
      UNION ALL
      SELECT b.id FROM items b WHERE p.burst IS NOT NULL AND b.burst = p.item AND b.id <> p.item) m) p
  WHERE i.id = p.id),
begun AS (
  UPDATE items i SET state = 'running', attempts = attempts + 1 FROM plan p WHERE p.begins AND i.id = p.next),
kept AS (
  UPDATE lanes l SET handled_at = p.handled,
    owner = CASE WHEN p.begins THEN l.owner END, token = CASE WHEN p.begins THEN l.token END,
    ready_at = CASE WHEN p.begins THEN l.ready_at WHEN p.next IS NOT NULL THEN 0 END,
    since = CASE WHEN p.begins THEN l.since ELSE p.now END,
    blocked_until = CASE WHEN p.begins THEN l.blocked_until ELSE 0 END
  FROM plan p WHERE l.key = p.lane AND (p.last_at IS NOT NULL OR p.next IS NOT NULL)),
gone AS (
  DELETE FROM lanes l USING plan p WHERE l.key = p.lane AND p.last_at IS NULL AND p.next IS NULL),
written AS (
  INSERT INTO sessions AS s (number, customer, value, version, expires_at)
  SELECT DISTINCT ON (number, customer) number, customer, session, session_version, session_expires FROM plan
  WHERE writes_session AND session IS NOT NULL AND customer IS NOT NULL ORDER BY number, customer, n DESC
  ON CONFLICT (number, customer)
  DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at),
ended AS (
  DELETE FROM sessions s USING plan p
  WHERE p.writes_session AND p.session IS NULL AND s.number = p.number AND s.customer = p.customer)
SELECT e.n, e.seen, e.planned, e.planned AND e.begins AS begins, e.planned AND e.next IS NOT NULL AND NOT e.begins AS leaves,
  e.handled, r.*
FROM found e LEFT JOIN LATERAL (
  SELECT ${ITEM_COLUMNS.text} FROM items i ${ITEM_JOINS.text} WHERE e.planned AND e.begins AND i.id = e.next LIMIT 1) r
  ON true`
