import { reasonOf, SwitchhookError } from '../base/errors.ts'
import {
  type IngestedDelivery,
  ingestDelivery,
  type IngestRules,
  LARGEST_BATCH,
  withoutItems,
} from '../ingest/ingest.ts'
import type { StoredDelivery } from '../stores/port/index.ts'
import type { Store } from '../stores/operations/store.ts'

const MOST_DELIVERIES = 128

/** Reads what is pending, as much as one commit should take. The answer ingests it, before what is asked of the store behind it. */
export async function readPending(o: {
  store: Pick<Store, 'pending'>
  rules: IngestRules
  storeItems: (delivery: StoredDelivery, read: IngestedDelivery) => Promise<void>
  /** There is more to do. */
  wake: () => void
}): Promise<() => readonly Promise<void>[]> {
  const deliveries = await o.store.pending(MOST_DELIVERIES)
  await o.rules.learn?.(deliveries.map(({ subscription }) => subscription))
  const read: { readonly delivery: StoredDelivery; readonly as: IngestedDelivery }[] = []
  let items = 0
  for (const delivery of deliveries) {
    if (items >= LARGEST_BATCH) break
    const as = readOne(delivery, o.rules)
    read.push({ delivery, as })
    items += as.ingested.items.length
  }
  if (read.length < deliveries.length || deliveries.length === MOST_DELIVERIES) o.wake()
  return () => read.map(({ delivery, as }) => ingest(delivery, as, o.storeItems))
}

async function ingest(
  delivery: StoredDelivery,
  read: IngestedDelivery,
  storeItems: Parameters<typeof readPending>[0]['storeItems'],
): Promise<void> {
  try {
    await storeItems(delivery, read)
  } catch (error) {
    if (error instanceof SwitchhookError && error.code === 'store_unavailable') throw error
    // A delivery that cannot be ingested must not hold up the others: it is kept and shown.
    await storeItems(delivery, failed(error))
  }
}

function readOne(delivery: StoredDelivery, rules: IngestRules): IngestedDelivery {
  try {
    return ingestDelivery(delivery, rules)
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): IngestedDelivery {
  return withoutItems('quarantined', `ingest_failed: ${reasonOf(error)}`)
}
