import type { ItemKind, StartedItem } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { DELIVERY_COLUMNS, deliveryOf, type DeliveryRow } from './unsorted.ts'

interface ItemRow extends DeliveryRow {
  id: number
  idx: number
  kind: ItemKind
  number: string
  customer: string | null
  at: number
  facts: string
  cause: string
  attempts: number
  finished: string
  created_at: number
}

const OLDEST = `
  SELECT i.id, i.idx, i.kind, i.number, i.customer, i.at, i.facts, i.cause, i.attempts, i.finished, i.created_at,
    ${DELIVERY_COLUMNS}
  FROM items i JOIN deliveries d ON d.seq = i.seq
  WHERE i.lane = ? AND i.settled_at IS NULL AND i.ready_at <= ?
  ORDER BY i.at, i.seq LIMIT 1`
const BEGIN = "UPDATE items SET state = 'running', attempts = attempts + 1 WHERE id = ?"

/**
 * Begins the lane's next item: of what is ready the oldest payload time, then the order of arrival. An item
 * found running belonged to a process that is gone: it begins again, with one attempt more on its count.
 */
export function beginItem(tx: Tx, lane: string, now: number): StartedItem | undefined {
  const row = tx.sql(OLDEST).get(lane, now) as ItemRow | undefined
  if (!row) return undefined
  tx.sql(BEGIN).run(row.id)
  return {
    id: row.id,
    idx: row.idx,
    kind: row.kind,
    number: row.number,
    customer: row.customer ?? undefined,
    at: row.at,
    facts: row.facts,
    cause: row.cause,
    attempt: row.attempts + 1,
    createdAt: row.created_at,
    finished: row.finished === '[]' ? [] : (JSON.parse(row.finished) as string[]),
    delivery: deliveryOf(row),
  }
}

const NEXT_AT = 'SELECT min(ready_at) AS at FROM items WHERE lane = ? AND settled_at IS NULL'

/** When the lane's next item is ready; undefined where none waits. */
export function nextItemAt(tx: Tx, lane: string): number | undefined {
  return (tx.sql(NEXT_AT).get(lane) as { at: number | null }).at ?? undefined
}
