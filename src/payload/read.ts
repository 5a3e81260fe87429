import { atOnce, type Sliced } from '../base/slices.ts'
import { isRecord, parseJson } from '../base/value.ts'
import { compile, first } from './candidates.ts'
import { collect, type Hit, type Searched } from './collect.ts'
import type { PayloadAlarm, PayloadContext, PayloadReading, Shape, View } from './facts.ts'
import { decode, type JsonObject, type Parse, parseExactly, parseText } from './json.ts'
import { locate } from './locate.ts'
import type { EventLock } from './lock.ts'
import { isolated } from './mapping.ts'
import { type FoundView, MOST_VIEWS, type Planned, Plans } from './plan.ts'
import { shapeOf } from './shape.ts'
import { tablesOf } from './tables.ts'
import { isEventName } from './values.ts'
import { type ReadContext, readView } from './view.ts'

/** Marks the upstream platform's own feed: it arrives if the endpoint is set as the callback override. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Reads the facts of a body: one view for its message, or one for each message of a batch. Only a body that is no JSON
 * object and the upstream platform's raw feed are refused (and then quarantined); every other body gives a view,
 * perhaps with few facts, and alarms for what is missing or doubtful. `plans` change no result, only the cost of a shape
 * seen before; all readers of a process share them.
 */
export function readBody(bytes: Uint8Array, context: ReadContext, plans: Plans = sharedPlans): PayloadReading {
  const text = decode(bytes)
  if (text === undefined) return NOT_JSON
  const planned = plans.find(context.event, text)
  const read = planned && readKnown(planned, text, context)
  return read ?? atOnce(search(text, context, planned ? undefined : plans))
}

/** `readBody` as work that yields between the messages of a batch. */
export function* readingOf(
  bytes: Uint8Array,
  context: ReadContext,
  plans: Plans = sharedPlans,
): Sliced<PayloadReading> {
  const text = decode(bytes)
  if (text === undefined) return NOT_JSON
  const planned = plans.find(context.event, text)
  const read = planned && readKnown(planned, text, context)
  return read ?? (yield* search(text, context, planned ? undefined : plans))
}

const NOT_JSON = { refused: { code: 'not_json' } } as const

const sharedPlans = new Plans()

type Understood = Pick<Understandable, 'views' | 'eventName' | 'shape'>

type Understandable = Exclude<PayloadReading, { readonly refused: unknown }>

/** Undefined if the plan does not serve. */
function readKnown(planned: Planned, text: string, context: ReadContext): PayloadReading | undefined {
  // In a batch a mapping reads each message as though it had come alone, so each is located.
  if (planned.plan.views.length > 1 && context.mapping) return undefined
  const read = readPlanned(planned, text, context)
  for (const view of read.views) if (hasUnsafeNumber(view)) return undefined
  return complete(read, planned.hasEscapes, context)
}

function complete(read: Understood, hasEscapes: boolean, { lock }: ReadContext): PayloadReading {
  const views = lock && read.views.some(isBroken) ? tellBreaks(read, lock) : read.views
  return { views, eventName: read.eventName, shape: read.shape, hasEscapes }
}

function isBroken({ broken }: View): boolean {
  return broken !== undefined
}

/** Says of each message for which the lock does not hold which fact it is, where it should be, and in which shape. */
function tellBreaks({ views, shape }: Understood, { file }: EventLock): View[] {
  const { fingerprint } = shape()
  return views.map((view) => {
    if (!view.broken) return view
    const { fact, place, insteadAt } = view.broken
    const instead = insteadAt === undefined ? '' : `, perhaps at ${insteadAt}`
    const detail = `not at ${place}${instead} (${file}, shape ${fingerprint})`
    return { ...view, alarms: [...view.alarms, { code: 'lock_broken', fact, detail }] }
  })
}

function* search(text: string, context: ReadContext, plans: Plans | undefined): Sliced<PayloadReading> {
  const parsed = parseText(text)
  if ('refused' in parsed) return parsed
  const { json } = parsed
  if (json['object'] === UPSTREAM_FEED) return { refused: { code: 'raw_upstream_payload' } }
  yield
  const read = yield* readSearched(text, json, context, parseJson, plans)
  const exact = read.views.some(hasUnsafeNumber) ? yield* readExactly(read, text, context) : read
  return complete(exact, text.includes('\\'), context)
}

function readPlanned({ plan, values }: Planned, text: string, context: ReadContext): Understood {
  const eventName = firstName(plan.eventNames, values, context.event)
  const about = {
    context,
    alarms: sharedAlarms(eventName, plan.views.length, context),
    shape: plan.shape,
    isPlanned: true,
  }
  // A plan's body is an object, which mappings alone look at.
  const body = context.mapping ? (JSON.parse(text) as JsonObject) : NOT_NEEDED
  const views = plan.views.map((found) => readView(found, values, body, about, parseJson))
  return { views, eventName, shape: plan.shape }
}

const NOT_NEEDED: JsonObject = {}

/** Reads a body again with the digits that a number loses when it is parsed. */
function* readExactly(read: Understood, text: string, context: ReadContext): Sliced<Understood> {
  const body = parseExactly(text)
  if (!isRecord(body)) return read
  yield
  // A body parsed exactly is rare: no plan is made of it.
  const { eventName, shape, views } = yield* readSearched(text, body, context, parseExactly, undefined, read.shape)
  const unsafe = (view: View | undefined) => view?.alarms.filter(isUnsafeNumber) ?? []
  return {
    eventName,
    shape,
    views: views.map((view, i) => ({ ...view, alarms: [...unsafe(read.views[i]), ...view.alarms] })),
  }
}

function isUnsafeNumber({ code }: PayloadAlarm): boolean {
  return code === 'unsafe_number'
}

function hasUnsafeNumber({ alarms }: View): boolean {
  return alarms.some(isUnsafeNumber)
}

function* readSearched(
  text: string,
  body: JsonObject,
  context: ReadContext,
  parse: Parse,
  plans: Plans | undefined,
  shape: () => Shape = shapeOnce(body),
): Sliced<Understood> {
  const searched: Searched = new Set()
  const values: unknown[] = []
  const messages = locate(body, context.event, parse, searched)
  yield
  const eventNames = eventNameHits(body, values, searched)
  const eventName = firstName(eventNames, values, context.event)
  const about = { context, alarms: sharedAlarms(eventName, messages.length, context), shape, isPlanned: false }
  const tables = tablesOf(context.event)
  const found: FoundView[] = []
  const views: View[] = []
  for (const message of messages) {
    const { hits, blanks } = collect(message, tables, values, searched)
    const view = { isMessage: message.isMessage, hasEnvelope: message.node.parent !== undefined, hits, blanks }
    if (found.length < MOST_VIEWS) found.push(view)
    const own = messages.length > 1 && context.mapping ? isolated(message) : body
    views.push(readView(view, values, own, about, parse))
    yield
  }
  if (found.length === messages.length)
    plans?.learn(context.event, { text, body, eventNames, views: found, shape, values, searched })
  return { views, eventName, shape }
}

/** Makes a body's shape when it is asked for; the body is kept for no longer. */
function shapeOnce(body: JsonObject): () => Shape {
  let left: JsonObject | undefined = body
  let shape: Shape | undefined
  return () => {
    if (left) shape = shapeOf(left)
    left = undefined
    return shape as Shape
  }
}

/** Alarms that concern all messages of a body. */
function sharedAlarms(
  ownName: string | undefined,
  messages: number,
  { event }: PayloadContext,
): readonly PayloadAlarm[] {
  const isOther = ownName !== undefined && ownName !== event && ownName.toLowerCase() !== event.toLowerCase()
  if (!isOther && messages < 2) return NO_ALARMS
  const alarms: PayloadAlarm[] = []
  if (isOther) alarms.push({ code: 'event_name_mismatch' })
  if (messages > 1) alarms.push({ code: 'batch' })
  return alarms
}

const NO_ALARMS: readonly PayloadAlarm[] = []

const EVENT_NAMES = compile({ eventName: first('event event.{name,type} event_type event_name type') })

function eventNameHits(json: JsonObject, values: unknown[], searched: Searched): readonly Hit[] {
  const body = { node: { object: json, path: '', key: '' }, isMessage: false }
  return collect(body, { message: EVENT_NAMES, above: EVENT_NAMES }, values, searched).hits.eventName
}

function firstName(hits: readonly Hit[], values: readonly unknown[], event: string): string | undefined {
  for (const { at } of hits) {
    // Mostly it is the header's name, and then the same string, so that texts are compared once.
    const value = values[at] === event ? event : values[at]
    if (isEventName(value)) return value
  }
  return undefined
}
