import { bodyAt } from '../../operations/bodies.ts'
import { ITEM_COLUMNS, type ItemRow, started } from '../../operations/item-row.ts'
import type { StartedItem } from '../../port/index.ts'
import type { HotTx } from '../transaction.ts'

/**
 * An item with all that its attempt needs, in the lane of the row `e`, which has the lane's columns. The lane is that of
 * the item's customer as a rule, and the body stands beside the facts: then neither is looked up.
 */
export function itemInLane(condition: string): string {
  return `
  SELECT ${ITEM_COLUMNS.text} FROM items i
  JOIN deliveries d ON d.seq = i.seq
  LEFT JOIN contents f ON f.place = i.facts_place
  LEFT JOIN LATERAL (
    SELECT place, body FROM contents WHERE place = d.body_place AND f.place IS DISTINCT FROM d.body_place LIMIT 1) o ON true
  CROSS JOIN LATERAL (
    SELECT CASE WHEN f.place = d.body_place THEN f.place ELSE o.place END AS place,
      CASE WHEN f.place = d.body_place THEN f.body ELSE o.body END AS body) c
  CROSS JOIN LATERAL (SELECT i.number || '/' || i.customer AS key) own
  LEFT JOIN LATERAL (
    SELECT last_at, handled_at, sent_at FROM lanes WHERE lanes.key = own.key AND own.key <> e.lane LIMIT 1) other ON true
  CROSS JOIN LATERAL (
    SELECT CASE WHEN own.key = e.lane THEN e.last_at ELSE other.last_at END AS last_at,
      CASE WHEN own.key = e.lane THEN e.handled_at ELSE other.handled_at END AS handled_at,
      CASE WHEN own.key = e.lane THEN e.sent_at ELSE other.sent_at END AS sent_at) w
  LEFT JOIN mutes m ON m.number = i.number AND m.customer = i.customer
  LEFT JOIN conversations v ON v.number = i.number AND v.customer = i.customer AND v.state = 'open'
  WHERE ${condition} LIMIT 1`
}

/** An item that a statement has begun, which saw it as it was before. */
export async function startedFrom(tx: HotTx, row: ItemRow): Promise<StartedItem> {
  const body = row.long_body === null ? row.body : await tx.drive(bodyAt(tx, row.long_body))
  return started(row, body as Uint8Array, false, undefined)
}
