import { hash } from 'node:crypto'
import type { FactMapping, Facts, FactValues, PayloadAlarm, PayloadContext, View, Words } from './payload/facts.ts'
import { containsFunction } from './payload/mapping.ts'
import { isSignal } from '../../service/contract.ts'
import { SILENT_SIGNALS } from '../../service/message-kinds.ts'
import { readBody } from './payload/read.ts'
import { customerLane, sentLane, statusLane, type WindowMove, type WindowTimer } from '../../store/customers.ts'
import { wiredKey } from '../../service/tap-id.ts'
import type { SameCustomer } from '../same-customer.ts'
import type { NewTakeover } from '../../store/hand-over.ts'
import type { NewDelivery } from '../../store/inbox/acceptance.ts'
import type { Ingested } from '../../store/inbox/ingested.ts'
import type { StoredDelivery } from '../../store/inbox/unread.ts'
import type { SaidOptOut } from '../../store/opt-outs.ts'
import type { NewStatus } from '../../store/outbox/statuses.ts'
import type { MessageLimit } from '../../store/rules/items.ts'
import type { Identity, ItemKind, NewItem } from '../../store/work/items.ts'

export interface IngestRules extends ItemRules {
  /** Returns the numbers to which a subscription's deliveries may belong: one number, or all that share a secret. */
  numbersOf(subscription: string): readonly OwnNumber[]
  /** Looks up what `numbersOf` needs for these, if that is soon known. */
  readonly learn?: ((subscriptions: readonly string[]) => Promise<unknown>) | undefined
  listens(event: string): boolean
  /** True if a route takes messages that nobody understood, which are parked otherwise. */
  readonly takesUnknown?: boolean
  mappingOf?(event: string): FactMapping | undefined
  readonly words?: Words | undefined
  readonly sameCustomer?: SameCustomer | undefined
}

export interface IngestedDelivery {
  readonly ingested: Ingested
  readonly facts: readonly KeptFacts[]
  readonly alarms: readonly PayloadAlarm[]
}

/** A longer body is read after the answer: others wait for their answers while it is read. */
export const LARGEST_BODY_READ_AT_ONCE = 65_536

/**
 * Reads a delivery before it is stored, as `readDelivery` would afterwards. Undefined if that has to wait until it is
 * stored and answered: no function of the app runs before the answer, and a body that cannot be read does not prevent it.
 */
export function readArrival(delivery: NewDelivery, rules: IngestRules): IngestedDelivery | undefined {
  const { event, deliveryId, unclear, stale, body } = delivery
  if (event === undefined || deliveryId === undefined || unclear !== undefined || stale) return undefined
  if (body.byteLength > LARGEST_BODY_READ_AT_ONCE) return undefined
  try {
    const mapping = rules.mappingOf?.(event)
    if (mapping && containsFunction(mapping)) return undefined
    return readDelivery({ ...delivery, event, deliveryId }, rules)
  } catch {
    // Return undefined: the ingest after the answer fails in the same way, stores the delivery and reports why.
    return undefined
  }
}

/** Turns a delivery into its items. Pure, and done once: the keys of replies are made of the results. */
export function readDelivery(delivery: ReadableDelivery, rules: IngestRules): IngestedDelivery {
  const numbers = rules.numbersOf(delivery.subscription)
  const context = contextOf(delivery, numbers, rules)
  const reading = readBody(delivery.body, context)
  if ('refused' in reading) return quarantined(reading.refused)
  const views = reading.views.map((view) => (view.isEmpty && rules.takesUnknown ? unknownIn(view) : view))
  // The event's name in the header is not signed, the name in the body is: if they differ, the body is not handled.
  const renamed = views[0]?.alarms.find(({ code }) => code === 'event_name_mismatch')
  if (renamed) return quarantined(renamed)
  for (const view of views) {
    const found = unstorable(view)
    if (found) return quarantined(found)
  }

  const read = views.map((view, idx): ReadItem => {
    const kind = kindOf(delivery.event, view)
    const number = numberOf(view, numbers, delivery.subscription)
    const facts = keepFacts(view)
    const { customer: writtenAs } = facts.values
    const customer = writtenAs && (rules.sameCustomer?.of(writtenAs) ?? writtenAs)
    return { delivery, idx, kind, number, customer, receivedAt: context.now, facts, view }
  })
  const items = read.map((one) => itemOf(one, rules))
  if (delivery.conflictsWith !== undefined)
    return { ingested: { state: 'conflict', items, windows: [], statuses: [] }, facts: [], alarms: [] }
  const listens = read.some(({ facts }) => rules.listens(eventOf(delivery.event, facts)))
  const ingested = {
    state: listens ? 'ingested' : 'ignored',
    items: listens ? items : [],
    windows: read.flatMap((one) => windowMove(one, rules)),
    statuses: read.flatMap(statusIn),
    takeovers: read.flatMap(takeoverIn),
  } as const
  const facts = listens ? read.map((one) => one.facts) : []
  return { ingested, facts, alarms: views.flatMap(({ alarms }) => alarms) }
}

/**
 * Returns an item's event. A message that the number itself wrote, sent back by a platform, is an event like
 * `message.sent`.
 */
export function eventOf(event: string, { values }: KeptFacts): string {
  return values.echo === true ? 'message.sent' : event
}

/** Marks a message that nobody understood as `unknown`, so that a route can take it. */
function unknownIn(view: View): View {
  return { ...view, facts: { ...view.facts, kind: { value: 'unknown', path: '', how: 'inferred', sure: false } } }
}

function contextOf(
  { event, deliveryId, receivedAt, clockOffset }: ReadableDelivery,
  numbers: readonly OwnNumber[],
  rules: IngestRules,
): PayloadContext {
  const ownNumberId = numbers.length === 1 ? numbers[0]?.phoneNumberId : undefined
  return {
    event,
    deliveryId,
    now: receivedAt + clockOffset,
    ownNumberId,
    mapping: rules.mappingOf?.(event),
    words: rules.words,
    sameCustomer: rules.sameCustomer,
  }
}

function quarantined(alarm: PayloadAlarm): IngestedDelivery {
  const note = alarm.fact === undefined ? alarm.code : `${alarm.code}: ${alarm.fact}`
  return { ...withoutItems('quarantined', note), alarms: [alarm] }
}

/** The longest keys, in bytes. Rows are found by them, and PostgreSQL's indexes have a limit. */
const LONGEST_KEYS = { messageId: 1_536, upstreamId: 1_536, status: 256, failureReason: Infinity }

/** Finds the first value that a table cannot store unchanged: too long, with U+0000 or with half a character. */
function unstorable({ facts }: View): PayloadAlarm | undefined {
  const fact = (Object.keys(LONGEST_KEYS) as (keyof typeof LONGEST_KEYS)[]).find((name) => {
    const value = facts[name]?.value ?? ''
    return value.includes('\0') || !value.isWellFormed() || Buffer.byteLength(value) > LONGEST_KEYS[name]
  })
  return fact && { code: 'value_unstorable', fact }
}

/** The result for a delivery without items: it is kept, and not dispatched. */
export function withoutItems(state: 'ignored' | 'quarantined', note: string): IngestedDelivery {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, facts: [], alarms: [] }
}

export interface ItemRules {
  /** Returns how a message is gathered; undefined if each message is handled alone. */
  readonly gathers?: ((facts: KeptFacts) => NewItem['gathers']) | undefined
  readonly optOuts?: OptOutWords | undefined
  readonly perCustomer?: Omit<MessageLimit, 'at'> | undefined
  /**
   * Returns the timers of the window that a message at this service time opens; undefined if the app has no such
   * timers.
   */
  readonly windowTimers?: ((lastAt: number) => readonly WindowTimer[]) | undefined
}

/**
 * Returns the number of an item. If numbers share a subscription, the payload tells them apart. A payload without a
 * number belongs to none of them.
 */
function numberOf({ facts: { numberId } }: View, numbers: readonly OwnNumber[], subscription: string): OwnNumber {
  if (numbers.length === 1 && numbers[0]) return numbers[0]
  const named = numberId?.sure ? numbers.find((number) => number.phoneNumberId === numberId.value) : undefined
  return named ?? { name: subscription, phoneNumberId: undefined, unclear: true }
}

interface OptOutWords {
  readonly anyNumber: boolean
  says(values: KeptFacts['values']): SaidOptOut['says'] | undefined
}

/**
 * Reads whether the customer opts out or in. An unreliable time counts on the safe side: a stop as late as possible, a
 * start as early as possible.
 */
export function optOutIn(
  { values, sure }: KeptFacts,
  receivedAt: number,
  { says, anyNumber }: OptOutWords,
): SaidOptOut | undefined {
  // Ignore an option that names its send: it is the app's own, and its meaning is known only to the handler.
  const said = values.tapped && wiredKey(values.tapped.id) !== undefined ? undefined : says(values)
  if (said === undefined) return undefined
  const at = said === 'out' && !sure.includes('at') ? receivedAt : Math.min(values.at ?? receivedAt, receivedAt)
  return { says: said, at, how: values.tapped ? 'tap' : 'message', anyNumber, unlessAsked: values.tapped !== undefined }
}

function itemOf(one: ReadItem, { gathers, optOuts, perCustomer }: ItemRules): NewItem {
  const identity = identityOf(one)
  const reason = missingIn(one)
  const optOut = optOuts && isOfSureCustomer(one) ? optOutIn(one.facts, one.receivedAt, optOuts) : undefined
  return {
    idx: one.idx,
    kind: one.kind,
    number: one.number.name,
    customer: one.customer,
    lane: laneOf(one),
    at: one.facts.values.at ?? one.receivedAt,
    facts: JSON.stringify(one.facts),
    identity,
    cause: causeOf(one, identity),
    ...(reason === undefined ? { state: 'stored' } : { state: 'parked', reason }),
    ...(gathers && one.kind === 'message' && { gathers: gathers(one.facts) }),
    ...(optOut && { optOut }),
    // Exempt STOP: it always counts.
    ...(perCustomer && !optOut && isOfSureCustomer(one) && { limit: { ...perCustomer, at: one.receivedAt } }),
  }
}

function isOfSureCustomer({ kind, facts: { sure } }: ReadItem): boolean {
  return kind === 'message' && sure.includes('customer')
}

/**
 * Returns how a message moves the window: to a trusted time that is no later than the receipt. Other items do not move
 * it.
 */
function windowMove(
  { kind, customer, facts: { values, sure }, number, receivedAt }: ReadItem,
  { windowTimers, sameCustomer }: ItemRules & Pick<IngestRules, 'sameCustomer'>,
): WindowMove[] {
  const { customer: wroteAs, at } = values
  const opens = kind === 'message' || (kind === 'signal' && !SILENT_SIGNALS.has(values.kind))
  if (!opens || customer === undefined || at === undefined) return []
  if (!sure.includes('customer') || !sure.includes('at')) return []
  const lastAt = Math.min(at, receivedAt)
  const timers = windowTimers && { closing: windowTimers(lastAt) }
  return [{ number: number.name, customer, lastAt, ...(sameCustomer?.digest !== undefined && { wroteAs }), ...timers }]
}

function statusIn({ kind, facts: { values }, number, receivedAt }: ReadItem): NewStatus[] {
  if (kind !== 'status' || values.status === undefined) return []
  const { messageId, upstreamId, status, at = receivedAt, failureReason } = values
  return [{ number: number.name, messageId, upstreamId, status, at, reason: failureReason }]
}

/** How long a customer who typed `BOT` gets no reply, unless the app calls `resume()` earlier (GEN-07). */
export const AGENT_HAS_CUSTOMER_MS = 24 * 3_600_000

/** A customer who types `BOT` wants the service's agent, and each reply would pause the agent again (GEN-07). */
function takeoverIn({ kind, customer, facts: { values, sure }, number, receivedAt }: ReadItem): NewTakeover[] {
  const { text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !asksForAgent(text)) return []
  if (!sure.includes('customer')) return []
  const since = Math.min(at, receivedAt)
  return [{ number: number.name, customer, by: 'agent', since, until: since + AGENT_HAS_CUSTOMER_MS }]
}

/** Tells whether a text requests the service's own agent. By assumption, any case and space around `BOT` count. */
export function asksForAgent(text: string | undefined): boolean {
  const word = text?.trim()
  return word?.length === 3 && word.toUpperCase() === 'BOT'
}

// ── one item ────────────────────────────────────────────────────────────────────────────────────────

export interface OwnNumber {
  readonly name: string
  readonly phoneNumberId: string | undefined
  /** True if several numbers share the subscription, and the payload names none of them. */
  readonly unclear?: boolean
}

export type ReadableDelivery = Omit<StoredDelivery, 'seq'>

/** An item before it is stored: the part of one delivery that concerns one customer. */
interface ReadItem {
  readonly delivery: ReadableDelivery
  readonly idx: number
  readonly kind: ItemKind
  readonly number: OwnNumber
  /** The customer by the app's rule for spellings of a number. The facts have the payload's own spelling. */
  readonly customer: string | undefined
  /** Service time. */
  readonly receivedAt: number
  readonly facts: KeptFacts
  readonly view: Pick<View, 'lost' | 'unclear' | 'isEmpty'>
}

function kindOf(event: string, { facts: { echo, kind } }: View): ItemKind {
  if (event === 'message.received' && echo?.value !== true) return isSignal(kind?.value) ? 'signal' : 'message'
  return event === 'message.status' ? 'status' : 'event'
}

/**
 * Returns the lane of an item. Each customer has one. Statuses and messages that the number sent have their own lanes,
 * so that a running handler does not delay the hand-over to the person who wrote. The store names the lane of an item
 * without a customer.
 */
function laneOf({ delivery, number, customer, facts, kind }: ReadItem): string | undefined {
  if (customer === undefined) return undefined
  const lane = customerLane({ number: number.name, customer })
  if (kind === 'event' && eventOf(delivery.event, facts) === 'message.sent') return sentLane(lane)
  return kind === 'status' ? statusLane(lane) : lane
}

/**
 * The identity of a message: the upstream platform's id, else the service's, if its place in the payload is reliable.
 * It is bound to the customer and the time, so that an id that is used twice is noticed. Other events have no identity.
 */
function identityOf({ kind, facts: { values, sure }, delivery }: ReadItem): Identity | undefined {
  if (kind !== 'message' && kind !== 'signal') return undefined
  const key =
    values.upstreamId !== undefined && sure.includes('upstreamId')
      ? `upstream:${values.upstreamId}`
      : values.messageId !== undefined && sure.includes('messageId')
        ? `message:${values.messageId}`
        : undefined
  if (key === undefined) return undefined
  // An edit has the id of its message and may have its time, so its words are part of its identity.
  const said = kind === 'signal' && JSON.stringify([values.text, values.reaction, values.at ?? hex(delivery.digest)])
  if (said) return { key: `${values.kind}:${key}:${shortHash(said)}`, claimant: shortHash(said) }
  const bound = `${values.customer ?? values.userId ?? ''}|${values.at ?? hex(delivery.digest)}`
  // A digest, since an identity claim outlives the data of its customer. It only has to differ within one id.
  return { key, claimant: shortHash(bound) }
}

function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, BINDING_LENGTH)
}

/** 96 bits. */
const BINDING_LENGTH = 16

function causeOf({ delivery, idx }: ReadItem, identity: Identity | undefined): NewItem['cause'] {
  return new Cause(identity?.key, delivery, idx)
}

/** A class: a getter in an object literal costs a hidden class for each item, which keeps its delivery in memory. */
class Cause {
  readonly identity: string | undefined
  readonly #delivery: ReadableDelivery
  readonly #idx: number

  constructor(identity: string | undefined, delivery: ReadableDelivery, idx: number) {
    this.identity = identity
    this.#delivery = delivery
    this.#idx = idx
  }

  /**
   * The cause of an item without an identity: the signed material, never the delivery id, which is not signed. Computed
   * when first needed.
   */
  get signed(): string {
    const { subscription, timestamp, digest } = this.#delivery
    return `signed:${subscription}:${timestamp}:${hex(digest)}:${this.#idx}`
  }
}

/** The reason why an item is parked until a person acts; undefined if it can be handled. */
function missingIn({ kind, number, facts: { values, sure }, view }: ReadItem): string | undefined {
  const { lost, unclear, isEmpty } = view
  if (unclear !== undefined) return `list_unclear: ${unclear} may have several messages, whose facts are unclear`
  if (number.unclear)
    return 'number_unclear: several numbers share this subscription, and the payload names none of them'
  const own = number.phoneNumberId
  if (own !== undefined && values.numberId !== undefined && values.numberId !== own && sure.includes('numberId'))
    return 'number_mismatch: the payload names another number than the one configured for this subscription'
  if (lost !== undefined) return `fact_missing: ${lost}`
  if (kind !== 'message' && kind !== 'signal') return undefined
  if (values.customer === undefined)
    return values.userId === undefined ? 'fact_missing: customer' : 'customer_number_hidden'
  const isLost = isEmpty && kind === 'message'
  return isLost ? 'content_missing: its kind is unknown, and no text or other content was found' : undefined
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

export interface KeptFacts {
  readonly values: Partial<FactValues>
  /** The names of the reliable facts, on which sends and windows may depend. */
  readonly sure: readonly string[]
  readonly mapped: readonly string[]
  readonly own: Readonly<Record<string, unknown>>
}

function keepFacts({ facts, own }: View): KeptFacts {
  const values: Record<string, unknown> = {}
  const sure: string[] = []
  const mapped: string[] = []
  for (const name of Object.keys(facts) as (keyof Facts)[]) {
    const reading = facts[name]
    if (reading === undefined) continue
    // The payload reader keeps a time that no clock can show, but a table cannot.
    if (name !== 'at' || Number.isSafeInteger(reading.value)) values[name] = reading.value
    if (reading.sure) sure.push(name)
    if (reading.sure && reading.how === 'mapped') mapped.push(name)
  }
  return { values, sure, mapped, own: own ? ownIn(own) : {} }
}

function ownIn(own: NonNullable<View['own']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).map(([name, { value }]) => [name, value]))
}
