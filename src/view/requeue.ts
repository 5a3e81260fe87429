import type { Store } from '../store/store.ts'
import { countStates, whyNotReingested, whyNotRetried } from './delivery-states.ts'
import type { DeliveryRow, ItemRow } from '../store/reads/deliveries.ts'
import type { InboxState } from '../store/database/inbox-tables.ts'

export interface Retried {
  /** Dead items, which are handled again without a new ingest. */
  items: number
  /** Deliveries that are ingested again, because they could not be read. */
  deliveries: number
  /** Items and deliveries that were not chosen but belong to a bundle with a chosen one. */
  along: number
  untouched: { seq: number; id: string | undefined; why: string }[]
}

export interface RetryTarget {
  readonly states: readonly InboxState[]
  matches(item: ItemRow): boolean
}

/** Requeues deliveries in the order of their arrival: the app may begin with the first while others follow. */
export async function requeueInOrder(store: Store, seqs: readonly number[], meant: RetryTarget): Promise<Retried> {
  const retried: Retried = { items: 0, deliveries: 0, along: 0, untouched: [] }
  for await (const deliveries of inOrder(store, seqs)) await requeue(store, deliveries, meant, retried)
  return retried
}

const AT_ONCE = 200

export async function* inOrder(store: Store, seqs: readonly number[]): AsyncGenerator<DeliveryRow[]> {
  for (let start = 0; start < seqs.length; start += AT_ONCE) {
    const rows = await store.deliveries(seqs.slice(start, start + AT_ONCE))
    yield [...rows].sort((a, b) => a.seq - b.seq)
  }
}

async function requeue(
  store: Store,
  deliveries: readonly DeliveryRow[],
  meant: RetryTarget,
  retried: Retried,
): Promise<void> {
  const deadOf = (delivery: DeliveryRow) =>
    needsRetry(delivery, 'dead', meant)
      ? delivery.items.filter((item) => item.state === 'dead' && meant.matches(item))
      : []
  const dead = deliveries.flatMap(deadOf)
  const unclear = deliveries.filter(
    (delivery) =>
      needsRetry(delivery, 'parked', meant) || (delivery.items.length === 0 && meant.states.includes(delivery.state)),
  )
  const items: number[] = []
  const ingested: number[] = []
  // Requeue items and deliveries by age. If all items came first, a later message could overtake an earlier one.
  for (const run of runsOf(deliveries, (delivery) => unclear.includes(delivery))) {
    const ids = run.flatMap(deadOf).map(({ id }) => id)
    const seqs = run.filter((delivery) => unclear.includes(delivery)).map(({ seq }) => seq)
    if (ids.length > 0) items.push(...(await store.retryItems(ids, store.clock())))
    if (seqs.length > 0) ingested.push(...(await store.reingest(seqs)))
  }
  retried.items += items.length
  retried.deliveries += ingested.length
  retried.along += items.filter((id) => !dead.some((item) => item.id === id)).length
  retried.along += ingested.filter((seq) => !unclear.some((delivery) => delivery.seq === seq)).length
  for (const delivery of deliveries) {
    const why = whyUntouched(delivery, { items, ingested, unclear })
    if (why !== undefined) retried.untouched.push({ seq: delivery.seq, id: delivery.deliveryId, why })
  }
}

function runsOf<T>(all: readonly T[], isOneKind: (one: T) => boolean): T[][] {
  const runs: T[][] = []
  for (const [index, one] of all.entries()) {
    const before = all[index - 1]
    if (before !== undefined && isOneKind(before) === isOneKind(one)) runs.at(-1)?.push(one)
    else runs.push([one])
  }
  return runs
}

function needsRetry(delivery: DeliveryRow, state: 'dead' | 'parked', { states, matches }: RetryTarget): boolean {
  return states.includes(state) && delivery.items.some((item) => item.state === state && matches(item))
}

interface Done {
  readonly items: readonly number[]
  readonly ingested: readonly number[]
  readonly unclear: readonly DeliveryRow[]
}

function whyUntouched(delivery: DeliveryRow, { items, ingested, unclear }: Done): string | undefined {
  if (ingested.includes(delivery.seq) || delivery.items.some(({ id }) => items.includes(id))) return undefined
  if (unclear.includes(delivery)) return whyNotReingested(delivery)
  return 'dead' in countStates(delivery) ? 'it no longer waits for a person' : whyNotRetried(delivery)
}
