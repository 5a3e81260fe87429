import {
  keepFacts,
  type KeptFacts,
  causeOf,
  identityOf,
  kindOf,
  laneOf,
  missingIn,
  type OwnNumber,
  type ReadableDelivery,
  type ReadItem,
} from './read-item.ts'
import type { FactMapping, PayloadAlarm, PayloadContext, PayloadReading, View } from './payload/facts.ts'
import { holdsFunction } from './payload/mapping.ts'
import { readBody } from './payload/read.ts'
import type {
  BurstPart,
  BurstRules,
  Ingested,
  NewTakeover,
  NewDelivery,
  NewItem,
  NewStatus,
  WindowMove,
  WindowTimer,
} from '../../store/types/types.ts'

export interface IngestRules extends ItemRules {
  /** The numbers that a subscription's deliveries may belong to: one, or those that share a secret. */
  numbersOf(subscription: string): readonly OwnNumber[]
  /** Looks up what `numbersOf` needs for these, if that is soon known. */
  readonly learn?: ((subscriptions: readonly string[]) => Promise<unknown>) | undefined
  listens(event: string): boolean
  mappingOf?(event: string): FactMapping | undefined
}

export interface IngestedDelivery {
  readonly ingested: Ingested
  readonly facts: readonly KeptFacts[]
  readonly alarms: readonly PayloadAlarm[]
  /** Absent if the payload cannot be understood, or is not to be handled. */
  readonly reading?: Reading
}

type Reading = Exclude<PayloadReading, { readonly refused: unknown }>

/** A longer body is read after the answer: others wait for their answers while it is read. */
export const LARGEST_BODY_READ_AT_ONCE = 65_536

/**
 * Reads a delivery before it is stored, as `ingestDelivery` would afterwards. Undefined if that has to wait until it is
 * stored and answered: no function of the app runs before the answer, and a body that fails to be read costs none.
 */
export function readArrival(delivery: NewDelivery, rules: IngestRules): IngestedDelivery | undefined {
  const { event, deliveryId, unclear, stale, body } = delivery
  if (event === undefined || deliveryId === undefined || unclear !== undefined || stale) return undefined
  if (body.byteLength > LARGEST_BODY_READ_AT_ONCE) return undefined
  try {
    const mapping = rules.mappingOf?.(event)
    if (mapping && holdsFunction(mapping)) return undefined
    return ingestDelivery({ ...delivery, event, deliveryId }, rules)
  } catch {
    // The ingest after the answer fails in the same way, keeps the delivery and says why.
    return undefined
  }
}

/**
 * Turns a delivery into its items: facts, lane, payload time, cause, identity. Pure, and done once: the results
 * are never computed again, since the keys of replies are made of them.
 */
export function ingestDelivery(delivery: ReadableDelivery, rules: IngestRules): IngestedDelivery {
  const numbers = rules.numbersOf(delivery.subscription)
  const context = contextOf(delivery, numbers, rules)
  const reading = readBody(delivery.body, context)
  if ('refused' in reading) return quarantined(reading.refused)
  const { views } = reading
  // The event's name in the header is not signed, the name in the body is: if they differ, the body is not handled.
  const renamed = views[0]?.alarms.find(({ code }) => code === 'event_name_mismatch')
  if (renamed) return quarantined(renamed)

  const kind = kindOf(delivery.event)
  const read = views.map((view, idx): ReadItem => {
    const number = numberOf(view, numbers, delivery.subscription)
    return { delivery, idx, kind, number, receivedAt: context.now, facts: keepFacts(view), lost: view.lost }
  })
  const items = read.map((one) => itemOf(one, rules))
  if (delivery.conflictsWith !== undefined)
    return { ingested: { state: 'conflict', items, windows: [], statuses: [] }, facts: [], alarms: [] }
  const listens = rules.listens(delivery.event)
  const ingested = {
    state: listens ? 'ingested' : 'ignored',
    items: listens ? items : [],
    windows: read.flatMap((one) => windowMove(one, rules)),
    statuses: read.flatMap(statusIn),
    takeovers: read.flatMap(takeoverIn),
  } as const
  const facts = listens ? read.map((one) => one.facts) : []
  return { ingested, facts, alarms: views.flatMap(({ alarms }) => alarms), reading }
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
  }
}

function quarantined(alarm: PayloadAlarm): IngestedDelivery {
  return { ...withoutItems('quarantined', alarm.code), alarms: [alarm] }
}

/** The result for a delivery without items: it is kept, and not dispatched. */
export function withoutItems(state: 'ignored' | 'quarantined', note: string): IngestedDelivery {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, facts: [], alarms: [] }
}

interface Bursts {
  readonly rules: BurstRules
  /** True for a message that a route takes which has opted out of bursts. */
  standsAlone(values: KeptFacts['values']): boolean
}

interface ItemRules {
  /** Undefined if each message is handled alone. */
  readonly bursts?: Bursts | undefined
  /** The timers of a window that a message at this service time opens; undefined if nobody asks for any. */
  readonly windowTimers?: ((lastAt: number) => readonly WindowTimer[]) | undefined
}

/** If numbers share a subscription, the payload tells them apart; a payload that names none belongs to none of them. */
function numberOf({ facts: { numberId } }: View, numbers: readonly OwnNumber[], subscription: string): OwnNumber {
  if (numbers.length === 1 && numbers[0]) return numbers[0]
  const named = numberId?.sure ? numbers.find((number) => number.phoneNumberId === numberId.value) : undefined
  return named ?? { name: subscription, phoneNumberId: undefined, unclear: true }
}

function itemOf(one: ReadItem, { bursts }: ItemRules): NewItem {
  const identity = identityOf(one)
  const reason = missingIn(one)
  return {
    idx: one.idx,
    kind: one.kind,
    number: one.number.name,
    customer: one.facts.values.customer,
    lane: laneOf(one),
    at: one.facts.values.at ?? one.receivedAt,
    facts: JSON.stringify(one.facts),
    identity,
    cause: causeOf(one, identity),
    ...(reason === undefined ? { state: 'stored' } : { state: 'parked', reason }),
    ...(bursts && one.kind === 'message' && { burst: burstPartOf(one.facts, bursts) }),
  }
}

/**
 * The part that a message takes in bursts. A tap is an answer alone. A message whose customer is not sure must
 * not be taken for the words of the one who wrote the others.
 */
function burstPartOf({ values, sure }: KeptFacts, { rules, standsAlone }: Bursts): BurstPart {
  const alone = values.tapped !== undefined || !sure.includes('customer') || standsAlone(values)
  return alone ? 'flushes' : rules
}

/** Only messages move the window, to a trusted time that is no later than the receipt. */
function windowMove(
  { kind, facts: { values, sure }, number, receivedAt }: ReadItem,
  { windowTimers }: ItemRules,
): WindowMove[] {
  const { customer, at } = values
  if (kind !== 'message' || customer === undefined || at === undefined) return []
  if (!sure.includes('customer') || !sure.includes('at')) return []
  const lastAt = Math.min(at, receivedAt)
  return [{ number: number.name, customer, lastAt, ...(windowTimers && { closing: windowTimers(lastAt) }) }]
}

function statusIn({ kind, facts: { values }, number, receivedAt }: ReadItem): NewStatus[] {
  if (kind !== 'status' || values.status === undefined) return []
  const { messageId, upstreamId, status, at = receivedAt, failureReason } = values
  return [{ number: number.name, messageId, upstreamId, status, at, reason: failureReason }]
}

/**
 * The time for which the bot does not reply to a customer who typed `BOT`, unless the app calls `resume()` earlier
 * (GEN-07).
 */
export const AGENT_HAS_CUSTOMER_MS = 24 * 3_600_000

/** A customer who types `BOT` wants the service's agent, and each reply would pause the agent again (GEN-07). */
function takeoverIn({ kind, facts: { values, sure }, number, receivedAt }: ReadItem): NewTakeover[] {
  const { customer, text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !asksForAgent(text)) return []
  if (!sure.includes('customer')) return []
  const since = Math.min(at, receivedAt)
  return [{ number: number.name, customer, by: 'agent', since, until: since + AGENT_HAS_CUSTOMER_MS }]
}

/**
 * True if a message asks for the service's own agent. It is an assumption that `BOT` may be written in any case and
 * with space around it.
 */
export function asksForAgent(text: string | undefined): boolean {
  const word = text?.trim()
  return word?.length === 3 && word.toUpperCase() === 'BOT'
}
