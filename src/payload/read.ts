import { isRecord } from '../base/value.ts'
import { decode } from './body.ts'
import { readContent } from './content.ts'
import { readCustomer } from './customer.ts'
import { alarm, type Evidence } from './evidence.ts'
import { eventNameInside } from './event-name.ts'
import type { Facts, PayloadAlarm, PayloadContext, PayloadReading, View } from './facts.ts'
import { gather } from './gather.ts'
import { readMessageIds, readNumberId } from './ids.ts'
import { type JsonObject, type Parse, parseExactly, parseJson } from './json.ts'
import { locate, type Place } from './locate.ts'
import { readMapped } from './mapped.ts'
import { aloneIn } from './mapping.ts'
import { readFailure, readStatus, readTime } from './progress.ts'
import { tablesOf } from './tables.ts'
import { readTemplate } from './template.ts'

/** By this the upstream platform's own feed is known: then the endpoint is set as the callback override. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Finds the facts of a payload: a view for its message, or one for each message of a batch. Refused, that is
 * quarantined, are only what is no object and the upstream platform's raw feed; all else is a view, with few facts
 * perhaps, and alarms that say what is missing or doubtful. `raw`, the body's bytes, gives an id back the digits
 * that a number lost.
 */
export function readPayload(json: unknown, context: PayloadContext, raw?: Uint8Array): PayloadReading {
  if (!isRecord(json)) return { refused: { code: 'not_an_object' } }
  if (json['object'] === UPSTREAM_FEED) return { refused: { code: 'raw_upstream_payload' } }
  const views = readViews(json, context, parseJson)
  if (raw === undefined || !views.some((view) => unsafeOf(view).length > 0)) return { views }
  const exact = parseExactly(decode(raw) ?? '')
  if (!isRecord(exact)) return { views }
  const again = readViews(exact, context, parseExactly)
  return { views: again.map((view, i) => ({ ...view, alarms: [...unsafeOf(views[i]), ...view.alarms] })) }
}

function unsafeOf(view: View | undefined): readonly PayloadAlarm[] {
  return view?.alarms.filter(({ code }) => code === 'unsafe_number') ?? []
}

function readViews(body: JsonObject, context: PayloadContext, parse: Parse): readonly View[] {
  const places = locate(body, context.event, parse)
  const name = eventNameInside(body)
  const disagrees = name !== undefined && name.toLowerCase() !== context.event.toLowerCase()
  const shared: PayloadAlarm[] = disagrees ? [{ code: 'event_name_mismatch' }] : []
  if (places.length > 1) shared.push({ code: 'batch' })
  return places.map((place) => {
    const alone = places.length > 1 && context.mapping ? aloneIn(place) : body
    return readView(place, alone, context, shared, parse)
  })
}

function readView(
  place: Place,
  body: JsonObject,
  context: PayloadContext,
  shared: readonly PayloadAlarm[],
  parse: Parse,
): View {
  const evidence: Evidence = {
    context,
    hits: gather(place, tablesOf(context.event)),
    isMessage: place.isMessage,
    hasEnvelope: place.spot.parent !== undefined,
    alarms: [...shared],
  }
  const mapped = context.mapping ? readMapped(evidence, body, parse) : undefined
  const facts = mapped ? fill(evidence, mapped.facts) : guess(evidence, undefined)
  noteMissing(evidence, facts)
  return { facts, ...(mapped?.own && { own: mapped.own }), alarms: evidence.alarms }
}

function guess(evidence: Evidence, mappedStatus: string | undefined): Facts {
  const status = readStatus(evidence)
  const stage = mappedStatus ?? status.status?.value
  return {
    ...readCustomer(evidence),
    ...readNumberId(evidence),
    ...readMessageIds(evidence),
    ...readContent(evidence),
    ...status,
    ...readFailure(evidence, stage),
    ...readTemplate(evidence),
    ...readTime(evidence, evidence.context.event === 'message.status' ? (stage ?? '') : undefined),
  }
}

/** Guesses what the app has not mapped; a fact that it has mapped is not guessed, and its guess raises no alarm. */
function fill(evidence: Evidence, mapped: Facts): Facts {
  const names = Object.keys(evidence.context.mapping ?? {})
  const alarms: PayloadAlarm[] = []
  const guessed = Object.entries(guess({ ...evidence, alarms }, mapped.status?.value))
  for (const { code, fact, path } of alarms) if (!names.includes(factOf(fact))) alarm(evidence, code, fact, path)
  return { ...Object.fromEntries(guessed.filter(([name]) => !names.includes(name))), ...mapped }
}

function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}

const MESSAGE_EVENTS: ReadonlySet<string> = new Set(['message.received', 'message.status'])

function noteMissing(evidence: Evidence, facts: Facts): void {
  const { event } = evidence.context
  if (!facts.customer && facts.userId) alarm(evidence, 'customer_number_hidden', 'customer', facts.userId.path)
  if (!MESSAGE_EVENTS.has(event)) return
  if (!facts.customer && !facts.userId) alarm(evidence, 'fact_missing', 'customer')
  if (!facts.messageId && !facts.upstreamId) alarm(evidence, 'fact_missing', 'messageId')
  if (!facts.at) alarm(evidence, 'fact_missing', 'at')
  if (event === 'message.status' && !facts.status) alarm(evidence, 'fact_missing', 'status')
}
