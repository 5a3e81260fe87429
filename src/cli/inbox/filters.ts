import { toMs, type Duration } from '../../base/duration.ts'
import type { DeliveryQuery, DeliveryRow, InboxAdmin } from '../../stores/port/index.ts'

/** Which deliveries are meant; those alone that fit all of it. */
export interface Filters {
  readonly event?: string
  readonly customer?: string
  readonly number?: string
  readonly since?: Duration
}

export function filterOf({ event, customer, number, since }: Filters, now: number): Omit<DeliveryQuery, 'limit'> {
  return {
    ...(event !== undefined && { event }),
    ...(customer !== undefined && { customer }),
    ...(number !== undefined && { number }),
    ...(since !== undefined && { receivedFrom: now - toMs(since, '--since') }),
  }
}

/** So many deliveries are in memory at once. */
const PAGE = 200

/** What fits, the newest first, up to a limit. */
export async function* pages(
  inbox: Pick<InboxAdmin, 'listDeliveries'>,
  query: Omit<DeliveryQuery, 'limit' | 'after'>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly DeliveryRow[]> {
  let left = limit
  let after: number | undefined
  do {
    const page = await inbox.listDeliveries({
      ...query,
      limit: Math.min(left, PAGE),
      ...(after !== undefined && { after }),
    })
    yield page.deliveries
    left -= page.deliveries.length
    after = page.next
  } while (left > 0 && after !== undefined)
}
