import type { Store } from '../../store/store.ts'

export interface RecordedQuery {
  readonly event?: string
  /** Wall time. */
  readonly receivedFrom?: number
  /** Only deliveries after this number. */
  readonly after?: number
}

const AT_ONCE = 100

type Recorded = Pick<Store, 'recordedDeliveries' | 'listDeliveries'>

/**
 * Yields matching deliveries in the order of their arrival. Stops at the delivery that was newest at the start, because
 * on a busy bot deliveries may arrive faster than the caller reads them.
 */
export async function* recordedIn(reader: Recorded, query: RecordedQuery) {
  const { deliveries } = await reader.listDeliveries({ limit: 1 })
  const newest = deliveries[0]?.seq ?? 0
  let { after = 0 } = query
  while (after < newest) {
    const page = await reader.recordedDeliveries({ ...query, after, limit: AT_ONCE })
    yield* page.filter(({ seq }) => seq <= newest)
    after = page.length < AT_ONCE ? newest : (page.at(-1)?.seq ?? newest)
  }
}
