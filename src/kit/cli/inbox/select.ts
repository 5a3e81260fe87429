import { type Duration, toMs } from '../../../base/duration.ts'
import type { DeliveryQuery, DeliveryRow } from '../../../store/types/types.ts'
import type { Store } from '../../../store/store.ts'
import { paged, type PageOf } from '../support/open-database.ts'

export interface Filters {
  readonly event?: string
  readonly customer?: string
  readonly number?: string
  readonly since?: Duration
}

export function filterOf({ event, customer, number, since }: Filters, now: number): Omit<DeliveryQuery, 'limit'> {
  return { event, customer, number, receivedFrom: since === undefined ? undefined : now - toMs(since, '--since') }
}

export function pages(
  inbox: Pick<Store, 'listDeliveries'>,
  query: Omit<DeliveryQuery, 'limit' | 'after'>,
  limit?: number,
): AsyncGenerator<readonly DeliveryRow[]> {
  return paged(async (page: PageOf<number>) => {
    const { deliveries, next } = await inbox.listDeliveries({ ...query, ...page })
    return { rows: deliveries, next }
  }, limit)
}

type DeliveryFinder = Pick<Store, 'deliveries' | 'deliveriesWithId'>

/** A delivery's number in the inbox. An id contains letters or has more digits. */
const SEQ = /^\d{1,15}$/

/**
 * Finds deliveries by number or by id. An id may have several deliveries: with other bytes, or of another subscription.
 *
 * @throws Error if there is none.
 */
export async function findDeliveries(inbox: DeliveryFinder, idOrSeq: string): Promise<readonly DeliveryRow[]> {
  const found = SEQ.test(idOrSeq) ? await inbox.deliveries([Number(idOrSeq)]) : await inbox.deliveriesWithId(idOrSeq)
  if (found.length > 0) return found
  // ULIDs are stored in capitals.
  const inCapitals = await inbox.deliveriesWithId(idOrSeq.toUpperCase())
  if (inCapitals.length > 0) return inCapitals
  throw new Error(`no delivery has the number or id ${JSON.stringify(idOrSeq)}: \`switchhook inbox ls\` shows them`)
}
