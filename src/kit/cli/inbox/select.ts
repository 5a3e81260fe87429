import { type Duration, toMs } from '../../../base/duration.ts'
import type { Store } from '../../../store/store.ts'
import type { SendQuery } from '../../../store/outbox/rows.ts'
import type { DeliveryQuery, DeliveryRow } from '../../../store/reads/deliveries.ts'
import type { SendRow } from '../../../store/database/outbox-tables.ts'

export interface Filters {
  readonly event?: string
  readonly customer?: string
  readonly number?: string
  readonly since?: Duration
}

export function filterOf({ event, customer, number, since }: Filters, now: number): Omit<DeliveryQuery, 'limit'> {
  return { event, customer, number, receivedFrom: since === undefined ? undefined : now - toMs(since, '--since') }
}

/** Replaces the phone number in `flags`, however it is written, by the form in which the database has the customer. */
export async function named<F extends { readonly customer?: string }>(
  { customerNamed }: Pick<Store, 'customerNamed'>,
  flags: F,
): Promise<F> {
  return flags.customer === undefined ? flags : { ...flags, customer: await customerNamed(flags.customer) }
}

export function pages(
  inbox: Pick<Store, 'listDeliveries'>,
  query: Omit<DeliveryQuery, 'limit' | 'after'>,
  limit?: number,
): AsyncGenerator<readonly DeliveryRow[]> {
  return paged(async (page) => {
    const { deliveries, next } = await inbox.listDeliveries({ ...query, ...page })
    return [deliveries, next]
  }, limit)
}

export function sendPages(
  outbox: Pick<Store, 'listSends'>,
  query: Omit<SendQuery, 'limit' | 'after'>,
  limit?: number,
): AsyncGenerator<readonly SendRow[]> {
  return paged(async (page) => {
    const { sends, next } = await outbox.listSends({ ...query, ...page })
    return [sends, next]
  }, limit)
}

const PAGE = 200

async function* paged<Row>(
  read: (page: {
    limit: number
    after: number | undefined
  }) => Promise<[rows: readonly Row[], next: number | undefined]>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Row[]> {
  let left = limit
  let after: number | undefined
  do {
    const [rows, next] = await read({ limit: Math.min(left, PAGE), after })
    yield rows
    left -= rows.length
    after = next
  } while (left > 0 && after !== undefined)
}

type DeliveryFinder = Pick<Store, 'deliveries' | 'deliveriesWithId'>

/** A delivery's number in the inbox. No id of a delivery has this form. */
const SEQ = /^\d{1,15}$/

/**
 * Finds deliveries by number or by id. Deliveries with different bytes or of different subscriptions may share an id.
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
