import { IN_LANE, type Row } from '../../operations/sends/sends.ts'
import { nullable, rowsOf } from './rows.ts'

/** A send that was accepted. Its names differ from those of the tables that it is joined to. */
export const ACCEPTED = {
  send_id: 'text',
  of_lane: 'text',
  message: 'text',
  upstream: nullable('text'),
  twice: 'bigint',
  ended_at: 'bigint',
  /** Service time of the answer. */
  answered_at: nullable('bigint'),
} as const

/**
 * The first send that waits in the lane of a settled one; all its members are null if none waits. `settled` is the
 * place of the settled one in its group, from 1.
 */
export type AcceptedRow = { readonly settled: number } & (Row | { readonly id: null })

/**
 * Writes the settlements, and ends the lanes in which nothing waits. Sends whose statuses came before their answers are
 * left out, and so are those of numbers with a throttle, which the answer may change.
 */
export const ACCEPT = `
WITH settled AS (
  UPDATE sends SET state = 'accepted', message_id = g.message, upstream_id = g.upstream, possibly_twice = g.twice,
    code = NULL, reason = NULL, settled_at = g.ended_at
  FROM ${rowsOf(ACCEPTED)}
  WHERE sends.id = g.send_id
    AND NOT EXISTS (SELECT 1 FROM stray_statuses WHERE stray_statuses.message IN (g.message, g.upstream))
    AND NOT EXISTS (SELECT 1 FROM throttles WHERE throttles.number = sends.number)
  RETURNING g.n, g.send_id, g.of_lane, g.answered_at, sends.number, sends.customer),
marked AS (
  UPDATE lanes SET sent_at = greatest(coalesce(lanes.sent_at, 0), m.at)
  FROM (
    SELECT number || '/' || customer AS key, max(answered_at) AS at FROM settled
    WHERE answered_at IS NOT NULL GROUP BY 1) AS m
  WHERE lanes.key = m.key AND lanes.last_at IS NOT NULL),
heads AS MATERIALIZED (
  SELECT settled.n AS behind, head.* FROM settled CROSS JOIN LATERAL (
    SELECT * FROM sends WHERE lane = settled.of_lane AND id <> settled.send_id AND ${IN_LANE.text}
    ORDER BY seq LIMIT 1) AS head),
ended AS (
  DELETE FROM lanes USING settled
  WHERE lanes.key = settled.of_lane AND settled.n NOT IN (SELECT behind FROM heads))
SELECT settled.n AS settled, heads.* FROM settled LEFT JOIN heads ON heads.behind = settled.n`

export const RELEASED = { lane: 'text', released_at: 'bigint', lane_ready_at: nullable('bigint') } as const

export const RELEASE = `
UPDATE lanes SET owner = NULL, token = NULL, ready_at = g.lane_ready_at, since = g.released_at, blocked_until = 0
FROM ${rowsOf(RELEASED)} WHERE lanes.key = g.lane`
