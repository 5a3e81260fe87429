import { isRecord } from '../base/value.ts'
import { compile, first } from './candidates.ts'
import { collect, type Hit, hitsOf, type Searched } from './collect.ts'
import { readContent } from './content.ts'
import type { Facts, PayloadAlarm, PayloadContext, PayloadReading, View } from './facts.ts'
import { readCustomer, readMessageIds, readNumberId } from './ids.ts'
import { decode, type JsonObject, type Parse, parseExactly, parseJson } from './json.ts'
import { locate } from './locate.ts'
import { isolated, readMapped } from './mapping.ts'
import { alarm, type Findings } from './readings.ts'
import { readFailure, readStatus, readTemplate, readTime } from './status.ts'
import { follow, type FoundView, LARGEST_SHAPE, Plans, type SearchedView } from './plan.ts'
import { tablesOf } from './tables.ts'
import { isEventName } from './values.ts'

/** Marks the upstream platform's own feed: it arrives if the endpoint is set as the callback override. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Reads the facts of a payload: one view for its message, or one for each message of a batch. Only a payload that is
 * no object and the upstream platform's raw feed are refused (and then quarantined); every other payload gives a
 * view, perhaps with few facts, and alarms for what is missing or doubtful. `raw`, the body's bytes, restores the
 * digits that an id lost when it was parsed as a number. `plans` change no result, only the cost of a shape seen before;
 * all readers of a process share them.
 */
export function readPayload(
  json: unknown,
  context: PayloadContext,
  raw?: Uint8Array,
  plans: Plans = sharedPlans,
): PayloadReading {
  if (!isRecord(json)) return { refused: { code: 'not_an_object' } }
  if (json['object'] === UPSTREAM_FEED) return { refused: { code: 'raw_upstream_payload' } }
  const views = readViews(json, context, parseJson, plans)
  if (raw === undefined || !views.some((view) => unsafeNumbers(view).length > 0)) return { views }
  const exact = parseExactly(decode(raw) ?? '')
  if (!isRecord(exact)) return { views }
  // A body parsed exactly is rare: no plan is made of it.
  const again = readViews(exact, context, parseExactly)
  return { views: again.map((view, i) => ({ ...view, alarms: [...unsafeNumbers(views[i]), ...view.alarms] })) }
}

function unsafeNumbers(view: View | undefined): readonly PayloadAlarm[] {
  return view?.alarms.filter(({ code }) => code === 'unsafe_number') ?? []
}

const sharedPlans = new Plans()

function readViews(body: JsonObject, context: PayloadContext, parse: Parse, plans?: Plans): readonly View[] {
  const plan = plans?.find(context.event, body)
  // In a batch a mapping reads each message as though it had come alone, so each is located.
  if (plan && (plan.views.length === 1 || !context.mapping)) {
    const { eventName, views } = follow(plan, body)
    const shared = sharedAlarms(eventName, views.length, context)
    return views.map((view) => readView(view, body, context, shared, parse))
  }
  const searched: Searched = new Set()
  const messages = locate(body, context.event, parse, searched)
  const eventNames = eventNameHits(body, searched)
  const shared = sharedAlarms(firstName(eventNames), messages.length, context)
  const tables = tablesOf(context.event)
  const found: SearchedView[] = []
  const views = messages.map((message) => {
    const view = {
      isMessage: message.isMessage,
      hasEnvelope: message.node.parent !== undefined,
      hits: collect(message, tables, searched),
    }
    if (found.length < LARGEST_SHAPE) found.push(view)
    const own = messages.length > 1 && context.mapping ? isolated(message) : body
    return readView(view, own, context, shared, parse)
  })
  // A list of things that are no objects has many views without having many objects.
  const isWhole = found.length === messages.length
  if (plans && !plan && isWhole) plans.learn(context.event, body, { eventNames, views: found, searched })
  return views
}

/** Alarms that concern all messages of a body. */
function sharedAlarms(ownName: string | undefined, messages: number, { event }: PayloadContext): PayloadAlarm[] {
  const alarms: PayloadAlarm[] = []
  if (ownName !== undefined && ownName.toLowerCase() !== event.toLowerCase())
    alarms.push({ code: 'event_name_mismatch' })
  if (messages > 1) alarms.push({ code: 'batch' })
  return alarms
}

const EVENT_NAMES = compile({ name: first('event event.{name,type} event_type event_name type') })

/** Reads the payload's own name of its event, such as `message.received`. The header's name is the one that counts. */
export function eventNameInside(json: unknown): string | undefined {
  return isRecord(json) ? firstName(eventNameHits(json)) : undefined
}

function eventNameHits(json: JsonObject, searched?: Searched): readonly Hit[] {
  const body = { node: { object: json, path: '', key: '' }, isMessage: false }
  return hitsOf(collect(body, { message: EVENT_NAMES, above: EVENT_NAMES }, searched), 'name')
}

function firstName(hits: readonly Hit[]): string | undefined {
  return hits.map(({ value }) => value).find(isEventName)
}

function readView(
  found: FoundView,
  body: JsonObject,
  context: PayloadContext,
  shared: readonly PayloadAlarm[],
  parse: Parse,
): View {
  const findings: Findings = { ...found, context, alarms: [...shared] }
  const mapped = context.mapping ? readMapped(findings, body, parse) : undefined
  const facts = mapped ? withGuesses(findings, mapped.facts) : guess(findings, undefined)
  noteMissing(findings, facts)
  return { facts, ...(mapped?.own && { own: mapped.own }), alarms: findings.alarms }
}

function guess(findings: Findings, mappedStatus: string | undefined): Facts {
  const guessedStatus = readStatus(findings)
  const status = mappedStatus ?? guessedStatus.status?.value
  return {
    ...readCustomer(findings),
    ...readNumberId(findings),
    ...readMessageIds(findings),
    ...readContent(findings),
    ...guessedStatus,
    ...readFailure(findings, status),
    ...readTemplate(findings),
    ...readTime(findings, findings.context.event === 'message.status' ? (status ?? '') : undefined),
  }
}

/** Adds guesses for the facts that the app has not mapped; the guess of a mapped fact raises no alarm either. */
function withGuesses(findings: Findings, mapped: Facts): Facts {
  const names = Object.keys(findings.context.mapping ?? {})
  const alarms: PayloadAlarm[] = []
  const guessed = Object.entries(guess({ ...findings, alarms }, mapped.status?.value))
  for (const { code, fact, path } of alarms) if (!names.includes(factOf(fact))) alarm(findings, code, fact, path)
  return { ...Object.fromEntries(guessed.filter(([name]) => !names.includes(name))), ...mapped }
}

/** `media` for `media.durationMs`. */
function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}

const MESSAGE_EVENTS: ReadonlySet<string> = new Set(['message.received', 'message.status'])

function noteMissing(findings: Findings, facts: Facts): void {
  const { event } = findings.context
  if (!facts.customer && facts.userId) alarm(findings, 'customer_number_hidden', 'customer', facts.userId.path)
  if (!MESSAGE_EVENTS.has(event)) return
  if (!facts.customer && !facts.userId) alarm(findings, 'fact_missing', 'customer')
  if (!facts.messageId && !facts.upstreamId) alarm(findings, 'fact_missing', 'messageId')
  if (!facts.at) alarm(findings, 'fact_missing', 'at')
  if (event === 'message.status' && !facts.status) alarm(findings, 'fact_missing', 'status')
}
