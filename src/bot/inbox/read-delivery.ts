import { hash } from 'node:crypto'
import type { FactMapping, Facts, FactValues, PayloadAlarm, PayloadContext, View, Words } from './payload/facts.ts'
import { mappedFacts } from './payload/mapping.ts'
import { isSignal, SILENT_SIGNALS } from '../../service/message-kinds.ts'
import { readBody } from './payload/read-body.ts'
import {
  type WindowMove,
  type WindowTimer,
  type MessageLimit,
  type SaidOptOut,
} from '../../store/customers/customer.ts'
import { customerLane, sentEventLane, statusLane } from '../../store/database/lane-names.ts'
import { wiredKey } from '../../service/tap-id.ts'
import type { SameCustomer } from '../same-customer.ts'
import type { NewDelivery } from '../../store/inbox/accept.ts'
import type { Ingested, IngestOutcome, NewSilence } from '../../store/inbox/arrive.ts'
import type { StoredDelivery } from '../../store/inbox/unread.ts'
import type { NewStatus } from '../../store/outbox/statuses.ts'
import type { Identity, ItemKind, NewItem } from '../../store/work/items.ts'

/** What decides how deliveries are read. */
export interface IngestRules {
  /** Returns the numbers to which a subscription's deliveries may belong: one number, or all that share a secret. */
  numbersOf(subscription: string): readonly OwnNumber[]
  /** Looks up the numbers of these subscriptions, before `numbersOf`. Waits a second at most. */
  readonly learn?: ((subscriptions: readonly string[]) => Promise<unknown>) | undefined
  listens(event: string): boolean
  /** True if a route gets messages without known content. Otherwise they are parked. */
  readonly takesUnknown?: boolean
  mappingOf?(event: string): FactMapping | undefined
  readonly words?: Words | undefined
  readonly sameCustomer?: SameCustomer | undefined
  /** Returns the silence that a message requests, for example because the customer typed BOT. */
  silenceAskedBy?: ((item: ReadItem) => NewSilence | undefined) | undefined
  /** Returns how a message waits for others, to become a bundle; undefined if each message is handled alone. */
  readonly gathers?: ((facts: KeptFacts) => NewItem['gathers']) | undefined
  readonly optOuts?: OptOutWords | undefined
  readonly perCustomer?: Omit<MessageLimit, 'at'> | undefined
  /** Returns the timers of `onWindowClosing` for a window that a message at this service time opens. */
  readonly windowTimers?: ((lastAt: number) => readonly WindowTimer[]) | undefined
}

interface OptOutWords {
  readonly anyNumber: boolean
  says(values: KeptFacts['values']): SaidOptOut['says'] | undefined
}

export interface OwnNumber {
  readonly name: string
  readonly phoneNumberId: string | undefined
  /** True if several numbers share the subscription, and the payload names none of them. */
  readonly unclear?: boolean
}

export type ReadableDelivery = Omit<StoredDelivery, 'seq'>

export interface DeliveryReading {
  readonly ingested: Ingested
  readonly facts: readonly KeptFacts[]
  readonly alarms: readonly PayloadAlarm[]
}

/** Receives what was read of a delivery, when its items are stored. */
export interface IngestReport {
  ingested(delivery: ReadableDelivery, read: DeliveryReading, outcomes: readonly IngestOutcome[]): void
}

/** The facts of a message, as its item stores them. */
export interface KeptFacts {
  readonly values: Partial<FactValues>
  /** The names of the facts that are sure. */
  readonly sure: readonly string[]
  readonly mapped: readonly string[]
  /** The app's own facts. */
  readonly own: Readonly<Record<string, unknown>>
}

// ── from a delivery to its items ────────────────────────────────────────────────────────────────────

/** A longer body is read after the answer, because other deliveries wait while it is read. */
export const LARGEST_BODY_READ_AT_ONCE = 65_536

/**
 * Reads a delivery before it is stored. Undefined if it must be stored unread: its body is long or cannot be read, or a
 * function of the app reads it, which must not delay the answer.
 */
export function readArrival(delivery: NewDelivery, rules: IngestRules): DeliveryReading | undefined {
  const { event, deliveryId, unclear, stale, body } = delivery
  if (event === undefined || deliveryId === undefined || unclear !== undefined || stale) return undefined
  if (body.byteLength > LARGEST_BODY_READ_AT_ONCE) return undefined
  try {
    const mapping = rules.mappingOf?.(event)
    if (mapping && mappedFacts(mapping).some(({ isFunction }) => isFunction)) return undefined
    return readDelivery({ ...delivery, event, deliveryId }, rules)
  } catch {
    // `UnreadDeliveries` reads it again, and reports why that fails.
    return undefined
  }
}

/** Turns a delivery into its items, always the same ones, because the keys of replies are made of them. */
export function readDelivery(delivery: ReadableDelivery, rules: IngestRules): DeliveryReading {
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
    const kind = itemKindOf(delivery.event, view)
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
    silences: rules.silenceAskedBy ? read.flatMap((one) => rules.silenceAskedBy?.(one) ?? []) : [],
  } as const
  const facts = listens ? read.map((one) => one.facts) : []
  return { ingested, facts, alarms: views.flatMap(({ alarms }) => alarms) }
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

function quarantined(alarm: PayloadAlarm): DeliveryReading {
  const note = alarm.fact === undefined ? alarm.code : `${alarm.code}: ${alarm.fact}`
  return { ...withoutItems('quarantined', note), alarms: [alarm] }
}

/** The result for a delivery without items: it is stored, and no handler runs. */
export function withoutItems(state: 'ignored' | 'quarantined', note: string): DeliveryReading {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, facts: [], alarms: [] }
}

/** The longest values, in bytes: PostgreSQL limits the length of an index entry. `failureReason` is in no index. */
const LONGEST_KEYS = { messageId: 1_536, upstreamId: 1_536, status: 256, failureReason: Infinity }

/** Finds a value that a table cannot store unchanged: too long, with U+0000 or with half a character. */
function unstorable({ facts }: View): PayloadAlarm | undefined {
  const fact = (Object.keys(LONGEST_KEYS) as (keyof typeof LONGEST_KEYS)[]).find((name) => {
    const value = facts[name]?.value ?? ''
    return value.includes('\0') || !value.isWellFormed() || Buffer.byteLength(value) > LONGEST_KEYS[name]
  })
  return fact && { code: 'value_unstorable', fact }
}

/** Gives a message without known content the kind `unknown`, which a route can match. */
function unknownIn(view: View): View {
  return { ...view, facts: { ...view.facts, kind: { value: 'unknown', path: '', how: 'inferred', sure: false } } }
}

// ── one item ────────────────────────────────────────────────────────────────────────────────────────

/** An item before it is stored. */
export interface ReadItem {
  readonly delivery: ReadableDelivery
  readonly idx: number
  readonly kind: ItemKind
  readonly number: OwnNumber
  /** The customer by the app's rule for spellings of a number. The facts have the payload's own spelling. */
  readonly customer: string | undefined
  /** Service time. */
  readonly receivedAt: number
  readonly facts: KeptFacts
  readonly view: Pick<View, 'missing' | 'unclear' | 'isEmpty'>
}

function itemKindOf(event: string, { facts: { echo, kind } }: View): ItemKind {
  if (event === 'message.received' && echo?.value !== true) return isSignal(kind?.value) ? 'signal' : 'message'
  return event === 'message.status' ? 'status' : 'event'
}

/** The payload's number id names one of the numbers that share a subscription. Without it the number is unclear. */
function numberOf({ facts: { numberId } }: View, numbers: readonly OwnNumber[], subscription: string): OwnNumber {
  if (numbers.length === 1 && numbers[0]) return numbers[0]
  const named = numberId?.sure ? numbers.find((number) => number.phoneNumberId === numberId.value) : undefined
  return named ?? { name: subscription, phoneNumberId: undefined, unclear: true }
}

function keepFacts({ facts, own = {} }: View): KeptFacts {
  const values: Record<string, unknown> = {}
  const sure: string[] = []
  const mapped: string[] = []
  for (const name of Object.keys(facts) as (keyof Facts)[]) {
    const reading = facts[name]
    if (reading === undefined) continue
    // No table can store every time that the payload reader accepts.
    if (name !== 'at' || Number.isSafeInteger(reading.value)) values[name] = reading.value
    if (reading.sure) sure.push(name)
    if (reading.sure && reading.how === 'mapped') mapped.push(name)
  }
  return {
    values,
    sure,
    mapped,
    own: Object.fromEntries(Object.entries(own).map(([name, { value }]) => [name, value])),
  }
}

function itemOf(one: ReadItem, { gathers, optOuts, perCustomer }: IngestRules): NewItem {
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
    cause: new Cause(identity?.key, one.delivery, one.idx),
    ...(reason === undefined ? { state: 'stored' } : { state: 'parked', reason }),
    ...(gathers && one.kind === 'message' && { gathers: gathers(one.facts) }),
    ...(optOut && { optOut }),
    // The limit does not apply to an opt-out.
    ...(perCustomer && !optOut && isOfSureCustomer(one) && { limit: { ...perCustomer, at: one.receivedAt } }),
  }
}

/**
 * Statuses have their own lane. So have messages that the number sent: a person may have written them, and a running
 * handler must not delay the hand-over. The store names the lane of an item without a customer.
 */
function laneOf({ delivery, number, customer, facts, kind }: ReadItem): string | undefined {
  if (customer === undefined) return undefined
  const lane = customerLane({ number: number.name, customer })
  if (kind === 'event' && eventOf(delivery.event, facts) === 'message.sent') return sentEventLane(lane)
  return kind === 'status' ? statusLane(lane) : lane
}

/** Returns an item's event. A platform may send the number's own messages back: such an echo counts as `message.sent`. */
export function eventOf(event: string, { values }: KeptFacts): string {
  return values.echo === true ? 'message.sent' : event
}

/**
 * The identity of a message is the upstream platform's id, else the service's, if it is sure. The claimant is a digest
 * of customer and time. By it the store notices an id that is used for two messages.
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
  // An edit has its message's id, and perhaps its time, so its words are part of its identity.
  const said = kind === 'signal' && JSON.stringify([values.text, values.reaction, values.at ?? hex(delivery.digest)])
  if (said) return { key: `${values.kind}:${key}:${shortHash(said)}`, claimant: shortHash(said) }
  const bound = `${values.customer ?? values.userId ?? ''}|${values.at ?? hex(delivery.digest)}`
  // The claimant is a digest, because it is kept longer than the customer's data.
  return { key, claimant: shortHash(bound) }
}

function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH)
}

/** 96 bits. */
const HASH_LENGTH = 16

/** A class, because V8 would make a hidden class for each object literal with a getter, and keep its delivery. */
class Cause {
  readonly identity: string | undefined
  readonly #delivery: ReadableDelivery
  readonly #idx: number

  constructor(identity: string | undefined, delivery: ReadableDelivery, idx: number) {
    this.identity = identity
    this.#delivery = delivery
    this.#idx = idx
  }

  /** The cause of an item without an identity. Made of signed values only, so not of the delivery's id. */
  get signed(): string {
    const { subscription, timestamp, digest } = this.#delivery
    return `signed:${subscription}:${timestamp}:${hex(digest)}:${this.#idx}`
  }
}

/** The reason why an item is parked until a person acts; undefined if it can be handled. */
function missingIn({ kind, number, facts: { values, sure }, view }: ReadItem): string | undefined {
  const { missing, unclear, isEmpty } = view
  if (unclear !== undefined) return `list_unclear: ${unclear} may have several messages, whose facts are unclear`
  if (number.unclear)
    return 'number_unclear: several numbers share this subscription, and the payload names none of them'
  const own = number.phoneNumberId
  if (own !== undefined && values.numberId !== undefined && values.numberId !== own && sure.includes('numberId'))
    return 'number_mismatch: the payload names another number than the one configured for this subscription'
  if (missing !== undefined) return `fact_missing: ${missing}`
  if (kind !== 'message' && kind !== 'signal') return undefined
  if (values.customer === undefined)
    return values.userId === undefined ? 'fact_missing: customer' : 'customer_number_hidden'
  const isLost = isEmpty && kind === 'message'
  return isLost ? 'content_missing: its kind is unknown, and no text or other content was found' : undefined
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

// ── what a message changes beside its item ──────────────────────────────────────────────────────────

function isOfSureCustomer({ kind, facts: { sure } }: ReadItem): boolean {
  return kind === 'message' && sure.includes('customer')
}

/**
 * Reads whether the customer opts out or in. If the time is unreliable, an opt-out counts from the receipt, and an
 * opt-in from the earlier time: so doubt means an opt-out.
 */
export function optOutIn(
  { values, sure }: KeptFacts,
  receivedAt: number,
  { says, anyNumber }: OptOutWords,
): SaidOptOut | undefined {
  // If the id of an option contains the key of its send, the app chose the id. Then STOP or START in it means nothing.
  const said = values.tapped && wiredKey(values.tapped.id) !== undefined ? undefined : says(values)
  if (said === undefined) return undefined
  const at = said === 'out' && !sure.includes('at') ? receivedAt : Math.min(values.at ?? receivedAt, receivedAt)
  return { says: said, at, how: values.tapped ? 'tap' : 'message', anyNumber, unlessAsked: values.tapped !== undefined }
}

/** Only a message with a sure customer and time moves the window, and never beyond its receipt. */
function windowMove(
  { kind, customer, facts: { values, sure }, number, receivedAt }: ReadItem,
  { windowTimers, sameCustomer }: IngestRules,
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
