import { all, Query, sql, type Steps } from '../steps.ts'

/** An item's id holds its delivery's seq and its place there, so ids rise in the order of arrival. */
export const ITEMS_PER_DELIVERY = 1_048_576

export function itemId(seq: number, idx: number): number {
  return seq * ITEMS_PER_DELIVERY + idx
}

/** SQL condition for the items of a delivery, over a column of their ids. `seq`: a number, or a column of it. */
export function ofDelivery(column: string, seq: number | string): Query {
  const ids = new Query(column)
  if (typeof seq === 'number') return sql`(${ids} >= ${itemId(seq, 0)} AND ${ids} < ${itemId(seq + 1, 0)})`
  return new Query(`(${column} >= ${seq} * ${ITEMS_PER_DELIVERY} AND ${column} < (${seq} + 1) * ${ITEMS_PER_DELIVERY})`)
}

/**
 * The ids of the items of deliveries, whose seqs are a JSON list, as such a list. Each delivery's are looked up on their own:
 * an engine that joins both tables, and does not know how many items lie between two ids, may go through all items.
 */
export function* itemIdsOf(seqs: string): Steps<string> {
  const rows = yield* all<{ readonly ids: string | null }>(sql`
    SELECT (SELECT string_agg(CAST(i.id AS text), ',') FROM items i WHERE ${ofDelivery('i.id', 'd.seq')}) AS ids
    FROM deliveries d WHERE d.seq IN numbers(${seqs})`)
  return `[${rows.flatMap(({ ids }) => ids ?? []).join(',')}]`
}

/** The ids of the items of deliveries, and the places of their facts, each as a JSON list; `seqs` is one too. */
export function* itemsOfAll(seqs: string): Steps<{ readonly ids: string; readonly places: string }> {
  const items = yield* all<{ readonly id: number; readonly facts_place: number }>(sql`
    SELECT id, facts_place FROM items WHERE id IN numbers(${yield* itemIdsOf(seqs)}) ORDER BY id`)
  return {
    ids: JSON.stringify(items.map(({ id }) => id)),
    places: JSON.stringify(items.map((item) => item.facts_place)),
  }
}

export function seqOfItem(id: number): number {
  return Math.floor(id / ITEMS_PER_DELIVERY)
}
