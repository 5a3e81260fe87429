import { type FactMapping, holdsFunction, type PayloadAlarm, readBody, type View } from '../payload/index.ts'
import type { Ingested, Mute, NewDelivery, NewItem, NewStatus, WindowMove } from '../stores/port/index.ts'
import { keepFacts, type KeptFacts } from './kept-facts.ts'
import {
  causeOf,
  identityOf,
  kindOf,
  laneOf,
  missingIn,
  type OwnNumber,
  type ReadableDelivery,
  type ReadItem,
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
  const { event, deliveryId, subscription } = delivery
  const receivedAt = delivery.receivedAt + delivery.clockOffset
  const numbers = rules.numbersOf(subscription)
  const ownNumberId = numbers.length === 1 ? numbers[0]?.phoneNumberId : undefined
  const context = { event, deliveryId, now: receivedAt, ownNumberId, mapping: rules.mappingOf?.(event) }
  const reading = readBody(delivery.body, context)
  if ('refused' in reading) return quarantined(reading.refused)
  const { views, eventName, hasEscapes } = reading
  const alarms = views.length === 1 && views[0] ? views[0].alarms : views.flatMap((view) => view.alarms)
  // The event's name in the header is not signed, the name in the body is: if they differ, the body is not handled.
  const renamed = alarms.find(({ code }) => code === 'event_name_mismatch')
  if (renamed) return quarantined(renamed, eventName)
  if (views.length > LARGEST_BATCH) return withoutItems('quarantined', `batch of ${views.length}`)

  // Then no text in the facts needs an escape as JSON.
  const isPlain = !hasEscapes && !(context.mapping && holdsFunction(context.mapping))
  const kind = kindOf(event)
  const all = views.map((view, idx): ReadItem => {
    const number = numberOf(view, numbers, subscription)
    const { facts, json } = keepFacts(view, isPlain)
    return { delivery, idx, kind, number, receivedAt, facts, json }
  })
  if (delivery.conflictsWith !== undefined)
    return { ingested: { state: 'conflict', items: all.map(itemOf), windows: [], statuses: [] }, facts: [], alarms: [] }
  const windows: WindowMove[] = []
  const statuses: NewStatus[] = []
  const mutes: Mute[] = []
  for (const one of all) {
    addIfAny(windows, windowMove(one))
    addIfAny(statuses, statusIn(one))
    addIfAny(mutes, muteIn(one))
  }
  if (rules.listens(event))
    return {
      ingested: { state: 'ingested', items: all.map(itemOf), windows, statuses, mutes },
      facts: all.map(({ facts }) => facts),
      alarms,
    }
  const ignored = { state: 'ignored', items: [], windows, statuses, mutes } as const
  return { ingested: eventName === undefined ? ignored : { ...ignored, ownEvent: eventName }, facts: [], alarms }
}

function addIfAny<T>(list: T[], one: T | undefined): void {
  if (one !== undefined) list.push(one)
}

/** If numbers share a subscription, the payload tells them apart; a payload that names none belongs to none of them. */
function numberOf({ facts: { numberId } }: View, numbers: readonly OwnNumber[], subscription: string): OwnNumber {
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

function itemOf(one: ReadItem): NewItem {
  const identity = identityOf(one)
  const reason = missingIn(one)
  const item = {
    idx: one.idx,
    kind: one.kind,
    number: one.number.name,
    customer: one.facts.values.customer,
    lane: laneOf(one),
    at: one.facts.values.at ?? one.receivedAt,
    facts: one.json,
    identity,
    cause: causeOf(one, identity),
    state: 'stored',
  } as const
  return reason === undefined ? item : { ...item, state: 'parked', reason }
}

/** Only messages move the window, to a trusted time that is no later than the receipt. */
function windowMove({ kind, facts: { values, sure }, number, receivedAt }: ReadItem): WindowMove | undefined {
  const { customer, at } = values
  if (kind !== 'message' || customer === undefined || at === undefined) return undefined
  if (!sure.includes('customer') || !sure.includes('at')) return undefined
  return { number: number.name, customer, lastAt: Math.min(at, receivedAt) }
}

function statusIn({ kind, facts: { values }, number, receivedAt }: ReadItem): NewStatus | undefined {
  if (kind !== 'status' || values.status === undefined) return undefined
  const { messageId, upstreamId, status, at = receivedAt, failureReason } = values
  return { number: number.name, messageId, upstreamId, status, at, reason: failureReason }
}

/**
 * The time for which the bot does not reply to a customer who typed `BOT`, unless the app calls `resume()` earlier
 * (GEN-07).
 */
export const MUTED_AFTER_BOT_MS = 24 * 3_600_000

/** A customer who types `BOT` wants the service's agent, and each reply would pause the agent again (GEN-07). */
function muteIn({ kind, facts: { values, sure }, number, receivedAt }: ReadItem): Mute | undefined {
  const { customer, text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !asksForAgent(text)) return undefined
  if (!sure.includes('customer')) return undefined
  const since = Math.min(at, receivedAt)
  return { number: number.name, customer, why: 'agent', since, until: since + MUTED_AFTER_BOT_MS }
}

/**
 * True if a message asks for the service's own agent. It is an assumption that `BOT` may be written in any case and
 * with space around it.
 */
export function asksForAgent(text: string | undefined): boolean {
  const word = text?.trim()
  return word?.length === 3 && word.toUpperCase() === 'BOT'
}
