/** An item's id says where it comes from, and rises with the order of arrival. */
const ITEMS_PER_DELIVERY = 1_048_576

export function itemId(seq: number, idx: number): number {
  return seq * ITEMS_PER_DELIVERY + idx
}

/** The items of a delivery, as SQL over a column of their ids. `seq` stands twice, so a parameter is given twice. */
export function ofDelivery(column: string, seq: string): string {
  return `(${column} >= ${seq} * ${ITEMS_PER_DELIVERY} AND ${column} < (${seq} + 1) * ${ITEMS_PER_DELIVERY})`
}
