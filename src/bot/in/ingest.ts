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

export interface IngestRules extends GatheringRules {
  /** The numbers that a subscription's deliveries may belong to: one, or those that share a secret. */
  numbersOf(subscription: string): readonly OwnNumber[]
  /** Looks up what `numbersOf` needs for these, if that is soon known. */
  readonly learn?: ((subscriptions: readonly string[]) => Promise<unknown>) | undefined
  listens(event: string): boolean
  mappingOf?(event: string): FactMapping | undefined
}

export interface IngestedDelivery {
  readonly ingested: Ingested
  /** The facts of each of its items, which an item keeps as JSON. */
  readonly facts: readonly KeptFacts[]
  readonly alarms: readonly PayloadAlarm[]
  /** Absent if the payload cannot be understood, or is not to be handled. */
  readonly reading?: Reading
}

type Reading = ReadDelivery['reading']

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
  const unfit = unfitness(reading)
  if (unfit) return unfit
  const gathering = new Gathering({ delivery, context, reading, numbers, rules })
  for (const view of reading.views) gathering.add(view)
  return complete(gathering, reading, rules.listens(delivery.event))
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

/** The result for a payload that can be read and is not to be handled. */
function unfitness({ views }: Reading): IngestedDelivery | undefined {
  // The event's name in the header is not signed, the name in the body is: if they differ, the body is not handled.
  const renamed = views[0]?.alarms.find(({ code }) => code === 'event_name_mismatch')
  return renamed && quarantined(renamed)
}

function complete(gathering: Gathering, reading: Reading, listens: boolean): IngestedDelivery {
  const { views } = reading
  const ingested = gathering.end(listens)
  if (ingested.state === 'conflict') return { ingested, facts: [], alarms: [] }
  const alarms = views.length === 1 && views[0] ? views[0].alarms : views.flatMap((view) => view.alarms)
  return { ingested, facts: listens ? gathering.facts : [], alarms, reading }
}

function quarantined(alarm: PayloadAlarm): IngestedDelivery {
  return { ...withoutItems('quarantined', alarm.code), alarms: [alarm] }
}

/** The result for a delivery without items: it is kept, and not dispatched. */
export function withoutItems(state: 'ignored' | 'quarantined', note: string): IngestedDelivery {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, facts: [], alarms: [] }
}

interface ReadDelivery {
  readonly delivery: ReadableDelivery
  readonly context: PayloadContext
  readonly reading: Exclude<PayloadReading, { readonly refused: unknown }>
  readonly numbers: readonly OwnNumber[]
  readonly rules: GatheringRules
}

interface Bursts {
  readonly rules: BurstRules
  /** True for a message that a route takes which has opted out of bursts. */
  standsAlone(values: KeptFacts['values']): boolean
}

interface GatheringRules {
  /** Undefined if each message is handled alone. */
  readonly bursts?: Bursts | undefined
  /** The timers of a window that a message at this service time opens; undefined if nobody asks for any. */
  readonly windowTimers?: ((lastAt: number) => readonly WindowTimer[]) | undefined
}

class Gathering {
  readonly facts: KeptFacts[] = []
  readonly #items: NewItem[] = []
  readonly #windows: WindowMove[] = []
  readonly #statuses: NewStatus[] = []
  readonly #takeovers: NewTakeover[] = []
  readonly #read: ReadDelivery

  constructor(read: ReadDelivery) {
    this.#read = read
  }

  add(view: View): void {
    const { delivery, context, numbers, rules } = this.#read
    const kind = kindOf(delivery.event)
    const number = numberOf(view, numbers, delivery.subscription)
    const facts = keepFacts(view)
    const one = { delivery, idx: this.#items.length, kind, number, receivedAt: context.now, facts }
    this.facts.push(facts)
    const item = itemOf(one, missingIn(one, view))
    this.#items.push(rules.bursts && kind === 'message' ? { ...item, burst: burstPartOf(facts, rules.bursts) } : item)
    addIfAny(this.#windows, windowMove(one, rules))
    addIfAny(this.#statuses, statusIn(one))
    addIfAny(this.#takeovers, takeoverIn(one))
  }

  /** @param listens a route takes the delivery's event. */
  end(listens: boolean): Ingested {
    const { delivery } = this.#read
    if (delivery.conflictsWith !== undefined)
      return { state: 'conflict', items: this.#items, windows: [], statuses: [] }
    const beside = { windows: this.#windows, statuses: this.#statuses, takeovers: this.#takeovers }
    if (listens) return { state: 'ingested', items: this.#items, ...beside }
    return { state: 'ignored', items: [], ...beside }
  }
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

function itemOf(one: ReadItem, reason: string | undefined): NewItem {
  const identity = identityOf(one)
  const item = {
    idx: one.idx,
    kind: one.kind,
    number: one.number.name,
    customer: one.facts.values.customer,
    lane: laneOf(one),
    at: one.facts.values.at ?? one.receivedAt,
    facts: JSON.stringify(one.facts),
    identity,
    cause: causeOf(one, identity),
    state: 'stored',
  } as const
  return reason === undefined ? item : { ...item, state: 'parked', reason }
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
  { windowTimers }: GatheringRules,
): WindowMove | undefined {
  const { customer, at } = values
  if (kind !== 'message' || customer === undefined || at === undefined) return undefined
  if (!sure.includes('customer') || !sure.includes('at')) return undefined
  const lastAt = Math.min(at, receivedAt)
  return { number: number.name, customer, lastAt, ...(windowTimers && { closing: windowTimers(lastAt) }) }
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
export const AGENT_HAS_CUSTOMER_MS = 24 * 3_600_000

/** A customer who types `BOT` wants the service's agent, and each reply would pause the agent again (GEN-07). */
function takeoverIn({ kind, facts: { values, sure }, number, receivedAt }: ReadItem): NewTakeover | undefined {
  const { customer, text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !asksForAgent(text)) return undefined
  if (!sure.includes('customer')) return undefined
  const since = Math.min(at, receivedAt)
  return { number: number.name, customer, by: 'agent', since, until: since + AGENT_HAS_CUSTOMER_MS }
}

/**
 * True if a message asks for the service's own agent. It is an assumption that `BOT` may be written in any case and
 * with space around it.
 */
export function asksForAgent(text: string | undefined): boolean {
  const word = text?.trim()
  return word?.length === 3 && word.toUpperCase() === 'BOT'
}
