import {
  type FactMapping,
  eventNameInside,
  parseBody,
  type PayloadAlarm,
  readPayload,
  type View,
} from '../payload/index.ts'
import { asksForAgent, MUTED_AFTER_BOT_MS } from '../outbox/index.ts'
import type { NewItem, NewStatus, Mute, Ingested, StoredDelivery, WindowMove } from '../stores/port/index.ts'
import { identityOf, laneOf, missingIn, type OwnNumber, type ReadItem, readItem, signedCause } from './read-item.ts'

/** What the sort needs to know of the bot. */
export interface IngestRules {
  /** The numbers that a subscription's deliveries may belong to: one, or those that share its secret. */
  numbersOf(subscription: string): readonly OwnNumber[]
  /** Whether any route takes this event. */
  listens(event: string): boolean
  /** The app's own idea of where the facts of this event stand. */
  mappingOf?(event: string): FactMapping | undefined
}

export interface IngestedDelivery {
  readonly ingested: Ingested
  readonly alarms: readonly PayloadAlarm[]
}

/** What one delivery may say at most; more is somebody's mistake, and would hold up all that waits for the sort. */
const LARGEST_BATCH = 10_000

/**
 * Turns a stored delivery into its items: facts, lane, payload time, cause, identity. Pure, and done once: what is
 * fixed here is never computed again, since a reply's key hangs on it.
 */
export function ingestDelivery(delivery: StoredDelivery, rules: IngestRules): IngestedDelivery {
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
  // The event's name is not signed, what the body says of itself is: a body under another name is not handled.
  const renamed = reading.views.flatMap(({ alarms }) => alarms).find(({ code }) => code === 'event_name_mismatch')
  if (renamed) return quarantined(renamed, eventNameInside(parsed.json))
  if (reading.views.length > LARGEST_BATCH) return atRest('quarantined', `batch of ${reading.views.length}`)

  const all = reading.views.map((view, idx) =>
    readItem(delivery, view, idx, numberOf(view, numbers, delivery), receivedAt),
  )
  if (delivery.conflictsWith !== undefined)
    return { ingested: { state: 'conflict', items: all.map(itemOf), windows: [], statuses: [] }, alarms: [] }
  const listened = rules.listens(event)
  const ownEvent = listened ? undefined : eventNameInside(parsed.json)
  return {
    ingested: {
      state: listened ? 'ingested' : 'ignored',
      ...(ownEvent !== undefined && { ownEvent }),
      items: listened ? all.map(itemOf) : [],
      windows: all.flatMap(windowMoves),
      statuses: all.flatMap(statusesIn),
      mutes: all.flatMap(silencesIn),
    },
    alarms: reading.views.flatMap((view) => view.alarms),
  }
}

/** Where numbers share a subscription, the payload tells them apart; what it does not tell belongs to none of them. */
function numberOf(
  { facts: { numberId } }: View,
  numbers: readonly OwnNumber[],
  { subscription }: StoredDelivery,
): OwnNumber {
  if (numbers.length === 1 && numbers[0]) return numbers[0]
  const named = numberId?.sure ? numbers.find((number) => number.phoneNumberId === numberId.value) : undefined
  return named ?? { name: subscription, phoneNumberId: undefined, unclear: true }
}

function quarantined(alarm: PayloadAlarm, ownEvent?: string): IngestedDelivery {
  const { ingested } = atRest('quarantined', alarm.code)
  return { ingested: { ...ingested, ...(ownEvent !== undefined && { ownEvent }) }, alarms: [alarm] }
}

/** A delivery without items: kept, and not dispatched. */
export function atRest(state: 'ignored' | 'quarantined', note: string): IngestedDelivery {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, alarms: [] }
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
    facts: JSON.stringify({ values: one.values, sure: one.sure, mapped: one.mapped, own: one.own }),
    identity,
    cause: { identity: identity?.key, signed: signedCause(one) },
    state: reason === undefined ? 'stored' : 'parked',
    ...(reason !== undefined && { reason }),
  }
}

/** The window is moved by messages alone, to a trusted time that is no later than the receipt. */
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

/** A customer who types `BOT` wants the service's agent, and each reply would pause it again (GEN-07). */
function silencesIn({ kind, values, sure, number, receivedAt }: ReadItem): Mute[] {
  const { customer, text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !sure.includes('customer') || !asksForAgent(text)) return []
  const since = Math.min(at, receivedAt)
  return [{ number: number.name, customer, why: 'agent', since, until: since + MUTED_AFTER_BOT_MS }]
}
