import type { DeliveryRow, Store } from '../../stores/port/index.ts'
import { isFromMatrix } from '../../verify/index.ts'
import { pages } from './select.ts'

/** Deliveries of `switchhook verify`: those that go, and those that are not at rest. */
export interface PrunedOfVerify {
  removed: number
  left: number
}

/** Removes what `switchhook verify` left, also what waits for a person; a dry run counts alone. */
export async function pruneOfVerify(store: Store, dryRun: boolean): Promise<PrunedOfVerify> {
  const pruned = { removed: 0, left: 0 }
  // The newest first: a delivery stays while a later one that resembles it does.
  for await (const page of pages(store, {})) {
    const seqs: number[] = []
    for (const delivery of page) if (await isOfVerify(store, delivery)) seqs.push(delivery.seq)
    const { length } = dryRun ? seqs : await store.discard(seqs)
    pruned.removed += length
    pruned.left += seqs.length - length
  }
  return pruned
}

async function isOfVerify(store: Store, { seq, deliveryId, items }: DeliveryRow): Promise<boolean> {
  const customers = items.map(({ customer }) => customer).filter((customer) => customer !== undefined)
  const needsBytes = deliveryId === undefined && customers.length === 0
  const body = needsBytes ? (await store.deliveryDetail(seq))?.body : undefined
  return isFromMatrix({ deliveryId, customers, body })
}
