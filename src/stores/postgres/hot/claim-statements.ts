import { ITEM_COLUMNS, ITEM_JOINS, type ItemRow } from '../../operations/item-row.ts'

/** A lane that was locked for a claim, and what is said of all of them; without a key if there is none. */
export interface ChosenRow {
  readonly key: string | null
  readonly number: string
  /** Not for this claim to begin: what waits there has begun before, is a burst, or cannot be seen. */
  readonly odd: boolean
  /** Lanes or timers have come due, which have to be put in their places first. */
  readonly due: boolean
  /** Lanes that are ready, up to one more than was asked for. */
  readonly ready: number
  readonly next_at: number | null
}

const READY = `kind = 'item' AND ready_at = 0 AND blocked_until <= $2 AND key <> ALL ($4::text[])`
const ALLOWED = `${READY} AND number <> ALL ($5::text[])`

/**
 * Locks the lanes that a claim takes, as numbers have their turns; those that another process has locked are left to it.
 * $1 the limit, $2 wall time, $3 service time, $4 lanes in hand, $5 numbers that have their share, $6 the number whose turn
 * was last.
 */
export const CHOOSE = `
WITH RECURSIVE numbers(number, turn, wrapped) AS (
  SELECT number, 1, wrapped FROM (
    (SELECT number, false AS wrapped FROM lanes WHERE ${ALLOWED} AND number > $6 ORDER BY number LIMIT 1)
    UNION ALL
    (SELECT number, true FROM lanes WHERE ${ALLOWED} AND number <= $6 ORDER BY number LIMIT 1)
    ORDER BY wrapped LIMIT 1) AS first
  UNION ALL
  SELECT s.number, n.turn + 1, s.wrapped FROM numbers n CROSS JOIN LATERAL (
    (SELECT number, n.wrapped FROM lanes
      WHERE ${ALLOWED} AND number > n.number AND (NOT n.wrapped OR number <= $6) ORDER BY number LIMIT 1)
    UNION ALL
    (SELECT number, true FROM lanes WHERE ${ALLOWED} AND NOT n.wrapped AND number <= $6 ORDER BY number LIMIT 1)
    ORDER BY wrapped LIMIT 1) s
  WHERE n.turn <= $1),
due AS MATERIALIZED (
  SELECT EXISTS (SELECT 1 FROM lanes WHERE kind = 'item' AND ready_at > 0 AND ready_at <= $2 AND key <> ALL ($4))
    OR EXISTS (SELECT 1 FROM timers WHERE due_at <= $3) AS due),
ready AS MATERIALIZED (
  SELECT l.*, n.turn, row_number() OVER (PARTITION BY n.number ORDER BY l.since, l.key) AS nth
  FROM numbers n CROSS JOIN LATERAL (
    SELECT key, number, since, owner, blocked_until, xmin::text AS version FROM lanes
    WHERE ${READY} AND number = n.number ORDER BY since, key LIMIT ($1 + n.turn) / n.turn) l
  WHERE NOT (SELECT due FROM due)
  ORDER BY nth, turn LIMIT $1 + 1),
chosen AS MATERIALIZED (
  SELECT r.*, k.version AS latest FROM (SELECT * FROM ready ORDER BY nth, turn LIMIT $1) r CROSS JOIN LATERAL (
    SELECT l.xmin::text AS version FROM lanes l WHERE l.key = r.key AND l.ready_at = 0 FOR UPDATE SKIP LOCKED) k)
SELECT c.key, c.number, d.due, (SELECT count(*) FROM ready) AS ready,
  c.owner IS NOT NULL OR c.blocked_until > 0 OR n.id IS NULL OR n.burst IS NOT NULL OR n.state = 'running' AS odd,
  (SELECT min(ready_at) FROM lanes WHERE kind = 'item' AND ready_at > 0 AND key <> ALL ($4)) AS next_at
FROM due d LEFT JOIN chosen c ON c.version = c.latest
  LEFT JOIN LATERAL (
    SELECT i.id, i.burst, i.state FROM items i WHERE i.lane = c.key AND i.settled_at IS NULL AND i.ready_at <= $2
    ORDER BY i.at, i.id LIMIT 1) n ON true
ORDER BY c.nth, c.turn`

/**
 * Begins the next item of each lane that was chosen, in the same transaction. $1 the lanes, $2 wall time, $3 the end of
 * the lease, $4 the owner, $5 the token.
 */
export const BEGIN = `
WITH chosen AS MATERIALIZED (
  SELECT g.lane, g.n, i.id FROM unnest($1::text[]) WITH ORDINALITY AS g(lane, n) CROSS JOIN LATERAL (
    SELECT i.id FROM items i WHERE i.lane = g.lane AND i.settled_at IS NULL AND i.ready_at <= $2
    ORDER BY i.at, i.id LIMIT 1) i),
begun AS (
  UPDATE items i SET state = 'running', attempts = attempts + 1 FROM chosen c WHERE i.id = c.id),
taken AS (
  UPDATE lanes l SET owner = $4, token = $5, ready_at = $3 FROM chosen c WHERE l.key = c.lane)
SELECT chosen.lane, r.* FROM chosen CROSS JOIN LATERAL (
  SELECT ${ITEM_COLUMNS.text} FROM items i ${ITEM_JOINS.text} WHERE i.id = chosen.id LIMIT 1) r
ORDER BY chosen.n`

export interface BegunRow extends ItemRow {
  readonly lane: string
}
