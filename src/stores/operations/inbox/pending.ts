import type { StoredDelivery } from '../../port/index.ts'
import { GATHERED } from '../items/bursts.ts'
import { ownBody } from '../items/contents.ts'
import { ofDelivery } from '../items/item-ids.ts'
import { all, allAs, one, run, sql, type Steps, type Tx } from '../steps.ts'

/** Each claim of items asks, and there is hardly ever one. */
export function* somePending(): Steps<boolean> {
  return (yield* one(sql`SELECT 1 FROM pending LIMIT 1`)) !== undefined
}

/**
 * Pending deliveries, oldest first.
 *
 * They are in the order of `pending`, since SQLite
 * would take the other table's order by reading all deliveries that it keeps.
 */
export function* pendingDeliveries(tx: Pick<Tx, 'newerSchema'>, limit: number): Steps<readonly StoredDelivery[]> {
  if (tx.newerSchema() !== undefined) return []
  return yield* allAs<StoredDelivery>(sql`
    SELECT d.seq, d.subscription, d.delivery_id AS "deliveryId", d.event, d.timestamp, d.digest, c.body,
      d.received_at AS "receivedAt", d.clock_offset AS "clockOffset", d.trace,
      CASE d.state WHEN 'conflict' THEN d.of_seq END AS "conflictsWith"
    FROM (SELECT seq FROM pending ORDER BY seq LIMIT ${limit}) p
      JOIN deliveries d ON d.seq = p.seq LEFT JOIN contents c ON c.place = d.body_place
    ORDER BY p.seq`)
}

export function* leavePending(tx: Tx, seq: number): Steps<void> {
  yield* run(sql`INSERT INTO pending (seq) VALUES (${seq})`)
  tx.wake('items')
}

/** Leaves a delivery pending that was ingested before; false if it is pending already. */
export function* leavePendingAgain(tx: Tx, seq: number): Steps<boolean> {
  tx.wake('items')
  return (yield* run(sql`INSERT INTO pending (seq, again) VALUES (${seq}, 1) ON CONFLICT DO NOTHING`)) > 0
}

/**
 * Has deliveries ingested once more: those held as `suspected_replay`, `conflict` or `quarantined`, and `ignored`
 * ones, which are then dispatched as if they were new; and those with parked items, which the new ingest replaces, by
 * the same identity claims. An item that ran before it was parked keeps its cause, and so its replies; the others of
 * its burst are ingested with it, and the burst stays one. The answer names the deliveries that are pending now; not those whose headers cannot be understood, whose bytes are gone, or
 * that have nothing at rest.
 */
export function* reingest(tx: Tx, seq: number): Steps<readonly number[]> {
  yield* ownBody(tx, seq)
  if (!(yield* mayBeIngested(seq))) return []
  const again: number[] = []
  for (const each of [seq, ...(yield* parkedWith(seq))]) if (yield* leavePendingAgain(tx, each)) again.push(each)
  return again
}

/** The other deliveries whose parked items belong to a burst with one of this delivery. */
function* parkedWith(seq: number): Steps<number[]> {
  const rows = yield* all<{ seq: number }>(sql`
    SELECT DISTINCT o.seq FROM items i JOIN items o ON o.burst = i.burst
    WHERE ${ofDelivery('i.id', seq)} AND i.burst > ${GATHERED} AND o.seq <> ${seq} AND o.state = 'parked' ORDER BY o.seq`)
  return rows.map((row) => row.seq)
}

function* mayBeIngested(seq: number): Steps<boolean> {
  // Conditional on purpose: two people may ask at the same time, and only one of them dispatches the delivery. From now
  // on it is known by its signed bytes, unless these are another delivery's.
  const dispatched = yield* run(sql`
    UPDATE deliveries SET state = 'stored', note = NULL, holds_signed = CASE WHEN EXISTS (
        SELECT 1 FROM deliveries o
        WHERE o.subscription = deliveries.subscription AND o.timestamp = deliveries.timestamp
          AND o.digest = deliveries.digest AND o.holds_signed = 1 AND o.seq <> deliveries.seq
      ) THEN 0 ELSE 1 END
    WHERE seq = ${seq} AND state IN ('suspected_replay', 'conflict', 'quarantined', 'ignored')
      AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.seq = deliveries.seq)
      AND delivery_id IS NOT NULL AND event IS NOT NULL AND body_place IS NOT NULL`)
  if (dispatched > 0) return true
  return (
    (yield* one(sql`SELECT 1 FROM items WHERE ${ofDelivery('items.id', seq)} AND state = 'parked' LIMIT 1`)) !==
    undefined
  )
}
