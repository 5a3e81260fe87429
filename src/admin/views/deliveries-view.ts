import { explain, isOwn, isRetryable } from '../../view/delivery-states.ts'
import { detailsOf, summaryOf } from '../../view/delivery-view.ts'
import { Refused } from '../admin-http.ts'
import { limitIn, lowerEnd, nextPage, numberIn, oneOf, textIn, type ViewDeps } from '../query.ts'
import { sendSummary } from './sends-view.ts'
import type { DeliveryRow } from '../../store/reads/deliveries.ts'
import { INBOX_STATES } from '../../store/database/inbox-tables.ts'

/** `GET api/deliveries`. Filters: `state` (repeatable), `event`, `number`. */
export async function listDeliveries(query: URLSearchParams, deps: ViewDeps) {
  const { store } = deps.desk
  const states = query.getAll('state').map((state) => oneOf(state, INBOX_STATES, 'state'))
  const after = numberIn(query, 'after')
  // States other than `done` have an index. Without an index, a query reads only a part of the inbox.
  const hasIndex = states.length > 0 && !states.includes('done')
  const newest = async () => (await store.listDeliveries({ limit: 1 })).deliveries[0]?.seq
  const newerThan = hasIndex ? 0 : await lowerEnd(after, newest)
  const { deliveries, next } = await store.listDeliveries({
    states: states.length > 0 ? states : undefined,
    event: textIn(query, 'event'),
    number: textIn(query, 'number'),
    limit: limitIn(query),
    newerThan,
    after,
  })
  return { rows: deliveries.map((row) => deliverySummary(row, deps)), ...nextPage(next, newerThan) }
}

export async function showDelivery(seq: string, deps: ViewDeps) {
  const { store, clock } = deps.desk
  const [row] = /^\d{1,15}$/.test(seq) ? await store.deliveries([Number(seq)]) : []
  const detail = row && (await store.deliveryDetail(row.seq))
  if (!row || !detail) throw new Refused('not_found', `The delivery ${JSON.stringify(seq)} does not exist.`)
  const { sends, items, ...shown } = detailsOf(row, detail, clock.wall(), { reveal: deps.revealed })
  const found = await Promise.all(sends.slice(0, MOST_SENDS).map(({ id }) => store.findSend({ id })))
  const sent = found.flatMap((send) => (send ? [sendSummary(send, deps)] : []))
  return {
    ...shown,
    ...aboutOf(row),
    why: explain(row),
    items: items.map((item, index) => ({ ...item, ...handleOf(row, index, deps) })),
    sent,
  }
}

/** The most sends that are shown. A delivery may have any number of sends. */
const MOST_SENDS = 100

export function deliverySummary(row: DeliveryRow, deps: ViewDeps) {
  const { items, ...shown } = summaryOf(row, deps.desk.clock.wall(), { reveal: deps.revealed })
  return { ...shown, ...aboutOf(row), items: items.map((item, index) => ({ ...item, ...handleOf(row, index, deps) })) }
}

function aboutOf(row: DeliveryRow) {
  return { own: isOwn(row), retryable: isRetryable(row) }
}

function handleOf({ items }: DeliveryRow, index: number, { handles }: ViewDeps) {
  const { number, customer } = items[index] ?? {}
  return number === undefined || customer === undefined ? {} : { handle: handles.handleOf({ number, customer }) }
}
