import {
  type FactMapping,
  eventNameInside,
  parseBody,
  type PayloadAlarm,
  readPayload,
  type View,
} from '../payload/index.ts'
import type { Ingested, Mute, NewItem, NewStatus, WindowMove } from '../stores/port/index.ts'
import {
  identityOf,
  type KeptFacts,
  laneOf,
  missingIn,
  type OwnNumber,
  type ReadableDelivery,
  type ReadItem,
  readItem,
  signedCause,
} from './read-item.ts'

/** The parts of a bot that ingest depends on. */
export interface IngestRules {
  /** The numbers that a subscription's deliveries may belong to: one, or those that share a secret. */
  numbersOf(subscription: string): readonly OwnNumber[]
  /** True if any route takes this event. */
  listens(event: string): boolean
  /** The app's own mapping of this event's facts. */
  mappingOf?(event: string): FactMapping | undefined
}

export interface IngestedDelivery {
  readonly ingested: Ingested
  /** The facts of each of its items, which an item keeps as JSON. */
  readonly facts: readonly KeptFacts[]
  readonly alarms: readonly PayloadAlarm[]
}

/** A larger batch is somebody's mistake, and would hold up the deliveries behind it. */
const LARGEST_BATCH = 10_000

/**
 * Turns a delivery into its items: facts, lane, payload time, cause, identity. Pure, and done once: the results
 * are never computed again, since the keys of replies are made of them.
 */
export function ingestDelivery(delivery: ReadableDelivery, rules: IngestRules): IngestedDelivery {
  const parsed = parseBody(delivery.body)
  if ('refused' in parsed) return quarantined(parsed.refused)

  const numbers = rules.numbersOf(delivery.subscription)
  const receivedAt = delivery.receivedAt + delivery.clockOffset
  const { event, deliveryId } = delivery
  const [only] = numbers.length === 1 ? numbers : []
  const own = only?.phoneNumberId === undefined ? {} : { ownNumberId: only.phoneNumberId }
  const mapping = rules.mappingOf?.(event)
  const reading = readPayload(
    parsed.json,
    { event, deliveryId, now: receivedAt, ...own, ...(mapping && { mapping }) },
    delivery.body,
  )
  if ('refused' in reading) return quarantined(reading.refused)
  // The event's name in the header is not signed, the name in the body is: if they differ, the body is not handled.
  const renamed = reading.views.flatMap(({ alarms }) => alarms).find(({ code }) => code === 'event_name_mismatch')
  if (renamed) return quarantined(renamed, eventNameInside(parsed.json))
  if (reading.views.length > LARGEST_BATCH) return withoutItems('quarantined', `batch of ${reading.views.length}`)

  const all = reading.views.map((view, idx) =>
    readItem(delivery, view, idx, numberOf(view, numbers, delivery), receivedAt),
  )
  if (delivery.conflictsWith !== undefined)
    return { ingested: { state: 'conflict', items: all.map(itemOf), windows: [], statuses: [] }, facts: [], alarms: [] }
  const listened = rules.listens(event)
  const ownEvent = listened ? undefined : eventNameInside(parsed.json)
  return {
    ingested: {
      state: listened ? 'ingested' : 'ignored',
      ...(ownEvent !== undefined && { ownEvent }),
      items: listened ? all.map(itemOf) : [],
      windows: all.flatMap(windowMoves),
      statuses: all.flatMap(statusesIn),
      mutes: all.flatMap(mutesIn),
    },
    facts: listened ? all.map(factsOf) : [],
    alarms: reading.views.flatMap((view) => view.alarms),
  }
}

/** If numbers share a subscription, the payload tells them apart; a payload that names none belongs to none of them. */
function numberOf(
  { facts: { numberId } }: View,
  numbers: readonly OwnNumber[],
  { subscription }: ReadableDelivery,
): OwnNumber {
  if (numbers.length === 1 && numbers[0]) return numbers[0]
  const named = numberId?.sure ? numbers.find((number) => number.phoneNumberId === numberId.value) : undefined
  return named ?? { name: subscription, phoneNumberId: undefined, unclear: true }
}

function quarantined(alarm: PayloadAlarm, ownEvent?: string): IngestedDelivery {
  const { ingested } = withoutItems('quarantined', alarm.code)
  return { ingested: { ...ingested, ...(ownEvent !== undefined && { ownEvent }) }, facts: [], alarms: [alarm] }
}

/** The result for a delivery without items: it is kept, and not dispatched. */
export function withoutItems(state: 'ignored' | 'quarantined', note: string): IngestedDelivery {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, facts: [], alarms: [] }
}

function factsOf({ values, sure, mapped, own }: ReadItem): KeptFacts {
  return { values, sure, mapped, own }
}

function itemOf(one: ReadItem): NewItem {
  const identity = identityOf(one)
  const reason = missingIn(one)
  return {
    idx: one.idx,
    kind: one.kind,
    number: one.number.name,
    customer: one.values.customer,
    lane: laneOf(one),
    at: one.values.at ?? one.receivedAt,
    facts: JSON.stringify(factsOf(one)),
    identity,
    cause: { identity: identity?.key, signed: signedCause(one) },
    state: reason === undefined ? 'stored' : 'parked',
    ...(reason !== undefined && { reason }),
  }
}

/** Only messages move the window, to a trusted time that is no later than the receipt. */
function windowMoves({ kind, values, sure, number, receivedAt }: ReadItem): WindowMove[] {
  const { customer, at } = values
  if (kind !== 'message' || customer === undefined || at === undefined) return []
  if (!sure.includes('customer') || !sure.includes('at')) return []
  return [{ number: number.name, customer, lastAt: Math.min(at, receivedAt) }]
}

function statusesIn({ kind, values, number, receivedAt }: ReadItem): NewStatus[] {
  if (kind !== 'status' || values.status === undefined) return []
  const { messageId, upstreamId, status, at = receivedAt, failureReason } = values
  return [{ number: number.name, messageId, upstreamId, status, at, reason: failureReason }]
}

/**
 * The time for which the bot does not reply to a customer who typed `BOT`, unless the app calls `resume()` earlier
 * (GEN-07).
 */
export const MUTED_AFTER_BOT_MS = 24 * 3_600_000

/** A customer who types `BOT` wants the service's agent, and each reply would pause the agent again (GEN-07). */
function mutesIn({ kind, values, sure, number, receivedAt }: ReadItem): Mute[] {
  const { customer, text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !sure.includes('customer') || !asksForAgent(text)) return []
  const since = Math.min(at, receivedAt)
  return [{ number: number.name, customer, why: 'agent', since, until: since + MUTED_AFTER_BOT_MS }]
}

/**
 * True if a message asks for the service's own agent. It is an assumption that `BOT` may be written in any case and
 * with space around it.
 */
export function asksForAgent(text: string | undefined): boolean {
  return text?.trim().toUpperCase() === 'BOT'
}
