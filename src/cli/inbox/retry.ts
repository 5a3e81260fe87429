import { optionsInvalid } from '../../base/errors.ts'
import { RETRYABLE, stateText } from '../../inspect/delivery-states.ts'
import { inOrder, type Meant, putBackInOrder, rests, type Retried } from '../../inspect/put-back.ts'
import { type PayloadReading, readBody } from '../../payload/index.ts'
import type { DeliveryRow, InboxState, Store } from '../../stores/port/index.ts'
import { type DatabaseFlags, withStore } from '../support/database.ts'
import { type Io, isInteractive } from '../support/io.ts'
import { printList, printResult } from '../support/output.ts'
import { needAgreement } from '../support/prompt.ts'
import { readingRules, type ReadingRules } from '../../inspect/reading-rules.ts'
import { filterOf, type Filters, findDeliveries, pages } from './select.ts'

interface RetryFlags extends DatabaseFlags, Filters, Partial<Record<keyof typeof STATES, boolean>> {
  readonly preview?: boolean
  readonly reveal?: boolean
  readonly yes?: boolean
}

const STATES = {
  dead: 'dead',
  parked: 'parked',
  quarantined: 'quarantined',
  conflict: 'conflict',
  suspectedReplay: 'suspected_replay',
  ignored: 'ignored',
} as const satisfies Record<string, (typeof RETRYABLE)[number]>

/** Puts deliveries and dead items at rest back, for the app to handle. */
export async function retry(io: Io, ids: readonly string[], flags: RetryFlags): Promise<void> {
  const states = statesFor(ids, flags)
  const retried: Retried = { items: 0, deliveries: 0, along: 0, untouched: [] }
  await withStore(io, flags, async (store) => {
    const seqs = ids.length > 0 ? await namedBy(store, ids) : await matching(store, flags, states)
    const { number, customer } = flags
    const meant: Meant = {
      states: ids.length > 0 ? RETRYABLE : states,
      isMeant: (item) => item.number === (number ?? item.number) && item.customer === (customer ?? item.customer),
    }
    if (flags.preview || (isInteractive(io) && !flags.json && !flags.yes)) {
      const parked = await showParked(io, store, seqs, meant, flags)
      if (flags.preview) return
      const which = seqs.length === 1 ? 'this delivery' : `these ${seqs.length} deliveries`
      if (parked > 0) await needAgreement(io, `Put back ${which}, in the order of arrival?`, 'nothing was put back')
    }
    await putBackInOrder(store, seqs, meant, retried)
  })
  if (flags.preview) return
  printResult(io, flags, retried, ...resultText(retried))
}

/** The numbers of all that match, in the order of arrival: of a customer's messages the older one is put back first. */
async function matching(store: Store, flags: Filters, states: readonly InboxState[]): Promise<number[]> {
  const seqs: number[] = []
  for await (const page of pages(store, { ...filterOf(flags, Date.now()), states }))
    seqs.push(...page.map(({ seq }) => seq))
  return seqs.sort((a, b) => a - b)
}

function verdictText({ stays, unsure }: Preview): string {
  if (stays !== undefined) return `would stay parked: ${stays}`
  return unsure === undefined ? 'would be handled' : `may be handled: ${unsure}`
}

/** The facts of each message, by its place in the delivery. */
function factsText({ messages }: Preview): object {
  return messages.map((facts) =>
    Object.fromEntries(
      Object.entries(facts).map(([name, { path, how, sure, value }]) => [
        name,
        `${path} ${how}${sure ? '' : ', not sure'}${value === undefined ? '' : `: ${JSON.stringify(value)}`}`,
      ]),
    ),
  )
}

/** Shows what would now be read of parked deliveries; answers with how many there are. */
async function showParked(
  io: Io,
  store: Store,
  seqs: readonly number[],
  meant: Meant,
  { preview: only = false, json = false, reveal = false }: RetryFlags,
): Promise<number> {
  const rules = await readingRules(store)
  const previews: Preview[] = []
  for await (const deliveries of inOrder(store, seqs))
    for (const delivery of deliveries.filter((each) => rests(each, 'parked', meant))) {
      const preview = await previewOf(store, delivery, rules, reveal)
      if (preview) previews.push(preview)
    }
  const options = only ? { details: factsText, none: 'No parked delivery is meant.' } : { details: factsText }
  await printList(io, { json }, previews, ['seq', 'id', 'event', 'shape', ['verdict', verdictText]], options)
  return previews.length
}

function statesFor(ids: readonly string[], flags: RetryFlags): readonly InboxState[] {
  const chosen = (Object.keys(STATES) as (keyof typeof STATES)[])
    .filter((flag) => flags[flag])
    .map((flag) => STATES[flag])
  const filtered = [flags.event, flags.customer, flags.number, flags.since].some((one) => one !== undefined)
  if (ids.length > 0 && (chosen.length > 0 || filtered))
    throw optionsInvalid('say either which deliveries, or which kind of them')
  if (ids.length > 0 || chosen.length > 0) return chosen
  // In any other state it is not certain whose delivery it is.
  if (flags.customer !== undefined) return ['dead', 'parked']
  throw optionsInvalid(
    'say which deliveries, or --dead, --parked, --customer DIGITS, --quarantined, --conflict, --suspected-replay or --ignored',
  )
}

/** Finds deliveries by id. An id with several deliveries is refused: one may be a forgery of the other. */
async function namedBy(store: Store, ids: readonly string[]): Promise<number[]> {
  const named = new Set<number>()
  for (const id of ids) {
    const [delivery, ...more] = await findDeliveries(store, id)
    if (!delivery) continue
    if (more.length > 0) {
      const which = [delivery, ...more].map((one) => `${one.seq} (${stateText(one)})`).join(', ')
      throw new Error(`several deliveries came under the id ${id}: say which of ${which}`)
    }
    named.add(delivery.seq)
  }
  return [...named].sort((a, b) => a - b)
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

/** A parked delivery, as it would be read now. */
export interface Preview {
  readonly seq: number
  readonly id: string | undefined
  readonly event: string
  /** Undefined if the payload cannot be understood. */
  readonly shape: string | undefined
  /** Why it would be parked again; undefined if nothing is known that would park it. */
  readonly stays: string | undefined
  /** The part that only the app knows: a function of its mapping, or its numbers. */
  readonly unsure: string | undefined
  /** For each message its facts. */
  readonly messages: readonly Readonly<Record<string, FactPreview>>[]
}

export interface FactPreview {
  readonly path: string
  readonly how: string
  readonly sure: boolean
  /** Shown to whoever asks to see values. */
  readonly value?: unknown
}

/** Reads a delivery as the app would, and changes nothing; undefined if its bytes are gone. */
async function previewOf(
  store: Pick<Store, 'deliveryDetail'>,
  delivery: DeliveryRow,
  rules: ReadingRules,
  reveal: boolean,
): Promise<Preview | undefined> {
  const { seq, deliveryId: id, event, receivedAt, clockOffset } = delivery
  const body = (await store.deliveryDetail(seq))?.body
  if (body === undefined || event === undefined) return undefined
  const reading = readBody(body, {
    event,
    deliveryId: id,
    now: receivedAt + clockOffset,
    mapping: rules.mappingOf(event),
  })
  if ('refused' in reading) {
    const stays = `it cannot be understood (${reading.refused.code})`
    return { seq, id, event, shape: undefined, stays, unsure: undefined, messages: [] }
  }
  return {
    seq,
    id,
    event,
    shape: reading.shape().fingerprint,
    ...verdictOn(delivery, event, reading, rules),
    messages: reading.views.map((view) => factsOf(view, reveal)),
  }
}

type Understood = Extract<PayloadReading, { views: unknown }>
type View = Understood['views'][number]

function verdictOn(
  delivery: DeliveryRow,
  event: string,
  { views }: Understood,
  rules: ReadingRules,
): Pick<Preview, 'stays' | 'unsure'> {
  const reasons = delivery.items.flatMap(({ state, reason }) => (state === 'parked' && reason ? [reason] : []))
  const functions = rules.functionsOf(event)
  const missing = views.flatMap((view) => [...lostIn(view), ...missingIn(view, event, reasons)])
  const stays = missing.find((reason) => !functions.includes(reason.slice(MISSING.length)))
  const found = missing.find((reason) => reason !== stays)
  const ofNumbers = reasons.find((reason) => reason.startsWith('number_'))
  const unsure =
    found === undefined
      ? ofNumbers && 'it was parked for its number, and which numbers there are the app alone knows'
      : `a function of the app looks for ${found.slice(MISSING.length)}`
  return { stays, unsure }
}

const MISSING = 'fact_missing: '

function lostIn({ lost }: View): string[] {
  return lost === undefined ? [] : [`${MISSING}${lost}`]
}

/** The facts that every message must have, and those that a handler of it has once needed and not found. */
function missingIn({ facts, own }: View, event: string, reasons: readonly string[]): string[] {
  const hasNobody = event === 'message.received' && !facts.customer
  if (hasNobody) return [facts.userId ? 'customer_number_hidden' : `${MISSING}customer`]
  return reasons.filter((reason) => {
    const name = reason.startsWith(MISSING) ? reason.slice(MISSING.length) : undefined
    return name !== undefined && !Object.hasOwn(facts, name) && !Object.hasOwn(own ?? {}, name)
  })
}

function factsOf({ facts, own }: View, reveal: boolean): Record<string, FactPreview> {
  const all = Object.entries({ ...facts, ...own })
  return Object.fromEntries(
    all.flatMap(([name, reading]) => {
      if (!reading) return []
      const { path, how, sure, value } = reading
      return [[name, { path, how, sure, ...(reveal && { value }) }]]
    }),
  )
}
