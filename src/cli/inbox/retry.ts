import { SwitchhookError } from '../../base/errors.ts'
import type { DeliveryRow, InboxState, ItemRow, Store } from '../../stores/port/index.ts'
import { type DatabaseFlag, withStore } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { filterOf, type Filters, findDeliveries, pages } from './select.ts'
import { RETRYABLE, countStates, stateText, whyNotReingested, whyNotRetried } from './states.ts'

interface RetryFlags extends DatabaseFlag, Filters, Partial<Record<keyof typeof STATES, boolean>> {
  readonly json?: boolean
}

const STATES = {
  dead: 'dead',
  parked: 'parked',
  quarantined: 'quarantined',
  conflict: 'conflict',
  suspectedReplay: 'suspected_replay',
  ignored: 'ignored',
} as const satisfies Record<string, (typeof RETRYABLE)[number]>

/** The result: what was put back, and what was left alone. */
interface Retried {
  /** Dead items, which are handled again as they are. */
  items: number
  /** Deliveries that are ingested again, since they were not understood. */
  deliveries: number
  /** How many of both were not asked for: they belong to a burst with one that was. */
  along: number
  untouched: { seq: number; id: string | undefined; why: string }[]
}

/** Puts deliveries and dead items at rest back, for the app to handle. */
export async function retry(io: Io, ids: readonly string[], flags: RetryFlags): Promise<void> {
  const states = statesFor(ids, flags)
  const retried: Retried = { items: 0, deliveries: 0, along: 0, untouched: [] }
  await withStore(io, flags, async (store) => {
    const now = Date.now()
    if (ids.length > 0) return putBack(store, await namedBy(store, ids), () => true, RETRYABLE, retried)
    const isMeant = ({ number, customer }: ItemRow) =>
      number === (flags.number ?? number) && customer === (flags.customer ?? customer)
    for await (const page of pages(store, { ...filterOf(flags, now), states }))
      await putBack(store, page, isMeant, states, retried)
  })
  if (flags.json) io.out(JSON.stringify(retried))
  else io.err(resultText(retried).join('\n'))
}

function statesFor(ids: readonly string[], flags: RetryFlags): readonly InboxState[] {
  const chosen = (Object.keys(STATES) as (keyof typeof STATES)[])
    .filter((flag) => flags[flag])
    .map((flag) => STATES[flag])
  const filtered = [flags.event, flags.customer, flags.number, flags.since].some((one) => one !== undefined)
  if (ids.length > 0 && (chosen.length > 0 || filtered))
    throw new SwitchhookError('options_invalid', 'say either which deliveries, or which kind of them')
  if (ids.length > 0 || chosen.length > 0) return chosen
  // In any other state it is not certain whose delivery it is.
  if (flags.customer !== undefined) return ['dead', 'parked']
  throw new SwitchhookError(
    'options_invalid',
    'say which deliveries, or --dead, --parked, --customer DIGITS, --quarantined, --conflict, --suspected-replay or --ignored',
  )
}

/** Finds deliveries by id. An id with several deliveries is refused: one may be a forgery of the other. */
async function namedBy(store: Store, ids: readonly string[]): Promise<DeliveryRow[]> {
  const named = new Map<number, DeliveryRow>()
  for (const id of ids) {
    const [delivery, ...more] = await findDeliveries(store, id)
    if (!delivery) continue
    if (more.length > 0) {
      const which = [delivery, ...more].map((one) => `${one.seq} (${stateText(one)})`).join(', ')
      throw new Error(`several deliveries came under the id ${id}: say which of ${which}`)
    }
    named.set(delivery.seq, delivery)
  }
  return [...named.values()]
}

/** Dead items are handled again as they are; deliveries that were not understood are ingested again. */
async function putBack(
  store: Store,
  deliveries: readonly DeliveryRow[],
  isMeant: (item: ItemRow) => boolean,
  states: readonly InboxState[],
  retried: Retried,
): Promise<void> {
  const rests = (delivery: DeliveryRow, state: InboxState) =>
    states.includes(state) && delivery.items.some((item) => item.state === state && isMeant(item))
  const dead = deliveries
    .filter((delivery) => rests(delivery, 'dead'))
    .flatMap(({ items }) => items.filter((item) => item.state === 'dead' && isMeant(item)))
  const unclear = deliveries.filter(
    (delivery) => rests(delivery, 'parked') || (delivery.items.length === 0 && states.includes(delivery.state)),
  )
  const items = await store.retryItems(
    dead.map(({ id }) => id),
    Date.now(),
  )
  const ingested = await store.reingest(unclear.map(({ seq }) => seq))
  retried.items += items.length
  retried.deliveries += ingested.length
  retried.along += items.filter((id) => !dead.some((item) => item.id === id)).length
  retried.along += ingested.filter((seq) => !unclear.some((delivery) => delivery.seq === seq)).length
  for (const delivery of deliveries) {
    const why = whyUntouched(delivery, { items, ingested, unclear })
    if (why !== undefined) retried.untouched.push({ seq: delivery.seq, id: delivery.deliveryId, why })
  }
}

interface Done {
  readonly items: readonly number[]
  readonly ingested: readonly number[]
  readonly unclear: readonly DeliveryRow[]
}

function whyUntouched(delivery: DeliveryRow, { items, ingested, unclear }: Done): string | undefined {
  if (ingested.includes(delivery.seq) || delivery.items.some(({ id }) => items.includes(id))) return undefined
  if (unclear.includes(delivery)) return whyNotReingested(delivery)
  return 'dead' in countStates(delivery) ? 'it is no longer at rest' : whyNotRetried(delivery)
}

function resultText({ items, deliveries, along, untouched }: Retried): string[] {
  const left = untouched.map(({ seq, id, why }) => `Left alone: ${seq}${id === undefined ? '' : ` (${id})`}: ${why}.`)
  if (items + deliveries === 0) return ['Nothing was put back.', ...left]
  const parts = [
    ...(items > 0 ? [items === 1 ? '1 dead item' : `${items} dead items`] : []),
    ...(deliveries > 0 ? [`${deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`} to be ingested again`] : []),
  ]
  const burst = along === 0 ? [] : [`A burst is put back as a whole: ${along} of these came along.`]
  return [
    `Put back: ${parts.join(', ')}.`,
    ...burst,
    'The app handles that within a second, or when it starts.',
    ...left,
  ]
}
