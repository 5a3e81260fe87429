/** An item's id holds its delivery's seq and its place there, so ids rise in the order of arrival. */
const ITEMS_PER_DELIVERY = 1_048_576

export function itemId(seq: number, idx: number): number {
  return seq * ITEMS_PER_DELIVERY + idx
}

/**
 * SQL condition for the items of a delivery, over a column of their ids. `seq` stands twice: bind a parameter twice.
 */
export function ofDelivery(column: string, seq: string): string {
  return `(${column} >= ${seq} * ${ITEMS_PER_DELIVERY} AND ${column} < (${seq} + 1) * ${ITEMS_PER_DELIVERY})`
}
