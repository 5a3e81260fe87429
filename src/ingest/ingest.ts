import type { FactMapping, PayloadAlarm, PayloadContext } from '../payload/facts.ts'
import { holdsFunction } from '../payload/mapping.ts'
import { readBody } from '../payload/read.ts'
import type { Ingested, NewDelivery } from '../stores/port/index.ts'
import { Gathering, type GatheringRules, type ReadDelivery } from './gathering.ts'
import type { KeptFacts } from './kept-facts.ts'
import type { OwnNumber, ReadableDelivery } from './read-item.ts'

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

/** More messages in one delivery would keep the event loop, and are somebody's mistake. */
export const LARGEST_BATCH = 4_000

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
function unfitness({ views, eventName }: Reading): IngestedDelivery | undefined {
  // The event's name in the header is not signed, the name in the body is: if they differ, the body is not handled.
  const renamed = views[0]?.alarms.find(({ code }) => code === 'event_name_mismatch')
  if (renamed) return quarantined(renamed, eventName)
  return views.length > LARGEST_BATCH ? withoutItems('quarantined', `batch of ${views.length}`) : undefined
}

function complete(gathering: Gathering, reading: Reading, listens: boolean): IngestedDelivery {
  const { views } = reading
  const ingested = gathering.end(listens)
  if (ingested.state === 'conflict') return { ingested, facts: [], alarms: [] }
  const alarms = views.length === 1 && views[0] ? views[0].alarms : views.flatMap((view) => view.alarms)
  return { ingested, facts: listens ? gathering.facts : [], alarms, reading }
}

function quarantined(alarm: PayloadAlarm, ownEvent?: string): IngestedDelivery {
  const { ingested } = withoutItems('quarantined', alarm.code)
  return { ingested: { ...ingested, ...(ownEvent !== undefined && { ownEvent }) }, facts: [], alarms: [alarm] }
}

/** The result for a delivery without items: it is kept, and not dispatched. */
export function withoutItems(state: 'ignored' | 'quarantined', note: string): IngestedDelivery {
  return { ingested: { state, note, items: [], windows: [], statuses: [] }, facts: [], alarms: [] }
}
