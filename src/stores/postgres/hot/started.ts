import { bodyAt } from '../../operations/bodies.ts'
import { type ItemRow, started } from '../../operations/item-row.ts'
import type { StartedItem } from '../../port/index.ts'
import type { HotTx } from '../transaction.ts'

/** An item that a statement has begun, which saw it as it was before. */
export async function startedFrom(tx: HotTx, row: ItemRow): Promise<StartedItem> {
  const body = row.long_body === null ? row.body : await tx.drive(bodyAt(tx, row.long_body))
  return started(row, body as Uint8Array, false, undefined)
}
