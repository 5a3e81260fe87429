import { maskPhone } from '../base/mask.ts'
import { parseBody } from '../bot/inbox/payload/read-body.ts'
import type { ResultOf } from '../store/store.ts'
import { maskDigits, maskFacts, maskFailure, maskNote, maskPayload, type Reveal } from './mask.ts'
import { countStates } from './delivery-states.ts'
import type { DeliveryRow, ItemRow } from '../store/reads/deliveries.ts'

/** A delivery in a list. Without `reveal`, customers are masked and texts are left out. */
export function summaryOf(delivery: DeliveryRow, now: number, reveal: Reveal) {
  return {
    kind: 'delivery',
    seq: delivery.seq,
    id: delivery.deliveryId,
    event: delivery.event,
    subscription: delivery.subscription,
    receivedAt: iso(delivery.receivedAt),
    ageSeconds: Math.max(0, Math.floor((now - delivery.receivedAt) / 1_000)),
    states: countStates(delivery),
    ...(delivery.pending && { unsorted: true }),
    repeats: delivery.repeats,
    resembles: delivery.resembles,
    note: reveal.reveal ? delivery.note : maskNote(delivery.note),
    items: delivery.items.map((item) => itemSummaryOf(item, reveal)),
  }
}

function itemSummaryOf(item: ItemRow, { reveal }: Reveal) {
  return {
    idx: item.idx,
    kind: item.kind,
    number: item.number,
    customer: item.customer === undefined || reveal ? item.customer : maskPhone(item.customer),
    state: item.state,
    attempts: item.attempts,
    behind: item.behind === 0 ? undefined : item.behind,
    burst: item.bundle,
    retryAt: item.state === 'retry' ? iso(item.readyAt) : undefined,
    // The reason was stored without the customer's data, but may contain other digits.
    reason: reveal ? item.reason : item.reason && maskDigits(item.reason),
  }
}

export function bundleText({ burst: bundle }: { readonly burst: ItemRow['bundle'] }): string | undefined {
  if (!bundle) return undefined
  const { sealed, deliveries } = bundle
  return sealed ? `a burst of ${deliveries.join(', ')}` : `being gathered: ${deliveries.join(', ')}`
}

type DeliveryDetail = NonNullable<ResultOf<'deliveryDetail'>>

/**
 * A delivery with all details. Ids of the payload, and names that the app chose, may contain the phone number in
 * another spelling. So they are shown only with `reveal`.
 */
export function detailsOf(delivery: DeliveryRow, detail: DeliveryDetail, now: number, { reveal = false }: Reveal) {
  const details = new Map(detail.items.map((item) => [item.id, item]))
  return {
    ...summaryOf(delivery, now, { reveal }),
    timestamp: delivery.timestamp,
    // A digest could confirm a guess at a message's text.
    sha256: reveal ? Buffer.from(detail.digest).toString('hex') : undefined,
    clockOffsetMs: delivery.clockOffset === 0 ? undefined : delivery.clockOffset,
    resembledBy: detail.resembledBy.length > 0 ? detail.resembledBy : undefined,
    items: delivery.items.map((item) => itemDetailsOf(item, details.get(item.id), reveal)),
    sends: detail.sends,
    body: detail.body && bodyView(detail.body, reveal),
  }
}

function itemDetailsOf(item: ItemRow, detail: DeliveryDetail['items'][number] | undefined, reveal: boolean) {
  const names = (all: readonly string[] | undefined) => (reveal ? all : all?.length)
  return {
    ...itemSummaryOf(item, { reveal }),
    at: iso(item.at),
    createdAt: iso(item.createdAt),
    facts: detail?.facts === undefined ? undefined : factsView(detail.facts, reveal),
    cause: reveal ? detail?.cause : undefined,
    identity: reveal ? detail?.identity : undefined,
    finished: names(detail?.completedHandlers),
    once: names(detail?.once),
    failure: detail?.failure && (reveal ? detail.failure : maskFailure(detail.failure)),
  }
}

function factsView(facts: string, reveal: boolean) {
  const {
    values = {},
    own = {},
    sure = [],
  } = JSON.parse(facts) as Partial<Record<'values' | 'own', object>> & { sure?: string[] }
  if (reveal) return { ...values, ...own, sure }
  return { ...maskFacts(values as Record<string, unknown>), ...(maskPayload(own) as object), sure }
}

function bodyView(body: Uint8Array, reveal: boolean): unknown {
  const parsed = parseBody(body)
  const said = 'json' in parsed ? parsed.json : Buffer.from(body).toString('utf8')
  return reveal ? said : maskPayload(said)
}

export function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}
