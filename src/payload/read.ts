import { isRecord, parseJson } from '../base/value.ts'
import { compile, first } from './candidates.ts'
import { collect } from './collect.ts'
import type { PayloadAlarm, PayloadContext, PayloadReading, Shape, View } from './facts.ts'
import { decode, type JsonObject, type Parse, parseExactly, parseText } from './json.ts'
import { locate } from './locate.ts'
import { isolated } from './mapping.ts'
import { shapeOf } from './shape.ts'
import { tablesOf } from './tables.ts'
import { isEventName } from './values.ts'
import { readView } from './view.ts'

/** Marks the upstream platform's own feed: it arrives if the endpoint is set as the callback override. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Reads the facts of a body: one view for its message, or one for each message of a batch. Only a body that is no JSON
 * object and the upstream platform's raw feed are refused (and then quarantined). Every other body gives a view,
 * perhaps with few facts, and alarms for what is missing or doubtful.
 */
export function readBody(bytes: Uint8Array, context: PayloadContext): PayloadReading {
  const text = decode(bytes)
  if (text === undefined) return { refused: { code: 'not_json' } }
  const parsed = parseText(text)
  if ('refused' in parsed) return parsed
  const { json } = parsed
  if (json['object'] === UPSTREAM_FEED) return { refused: { code: 'raw_upstream_payload' } }
  const read = readParsed(json, context, parseJson)
  const exact = read.views.some(hasUnsafeNumber) ? readExactly(read, text, context) : read
  return { ...exact, shape: shapeOnce(json) }
}

interface Parsed {
  readonly views: readonly View[]
  readonly eventName: string | undefined
}

/** Reads a body again with the digits that a number loses when it is parsed. */
function readExactly(read: Parsed, text: string, context: PayloadContext): Parsed {
  const body = parseExactly(text)
  if (!isRecord(body)) return read
  const { eventName, views } = readParsed(body, context, parseExactly)
  const unsafe = (view: View | undefined) => view?.alarms.filter(isUnsafeNumber) ?? []
  return {
    eventName,
    views: views.map((view, i) => ({ ...view, alarms: [...unsafe(read.views[i]), ...view.alarms] })),
  }
}

function isUnsafeNumber({ code }: PayloadAlarm): boolean {
  return code === 'unsafe_number'
}

function hasUnsafeNumber({ alarms }: View): boolean {
  return alarms.some(isUnsafeNumber)
}

function readParsed(body: JsonObject, context: PayloadContext, parse: Parse): Parsed {
  const messages = locate(body, context.event, parse)
  const eventName = eventNameIn(body)
  const shared = sharedAlarms(eventName, messages.length, context)
  const tables = tablesOf(context.event)
  const views = messages.map((message) => {
    const own = messages.length > 1 && context.mapping ? isolated(message) : body
    return readView(message, collect(message, tables), own, { context, shared, parse })
  })
  return { views, eventName }
}

/** Makes a body's shape on the first call, and keeps the body no longer than that. */
function shapeOnce(body: JsonObject): () => Shape {
  let left: JsonObject | undefined = body
  let shape: Shape | undefined
  return () => {
    if (left) shape = shapeOf(left)
    left = undefined
    return shape as Shape
  }
}

function sharedAlarms(
  ownName: string | undefined,
  messages: number,
  { event }: PayloadContext,
): readonly PayloadAlarm[] {
  const alarms: PayloadAlarm[] = []
  if (ownName !== undefined && ownName.toLowerCase() !== event.toLowerCase())
    alarms.push({ code: 'event_name_mismatch' })
  if (messages > 1) alarms.push({ code: 'batch' })
  return alarms
}

const EVENT_NAMES = compile({ eventName: first('event event.{name,type} event_type event_name type') })

function eventNameIn(json: JsonObject): string | undefined {
  const body = { node: { object: json, path: '', key: '' }, isMessage: false }
  const { hits } = collect(body, { message: EVENT_NAMES, above: EVENT_NAMES })
  return hits.eventName.map(({ value }) => value).find(isEventName)
}
