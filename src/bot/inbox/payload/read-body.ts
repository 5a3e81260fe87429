import { isRecord, parseJson } from '../../../base/value.ts'
import { collect, collectEventNames } from './fact-places.ts'
import {
  isMessageOrStatus,
  CONTENT_FACTS,
  type JsonObject,
  type PayloadAlarm,
  type PayloadContext,
  type PayloadReading,
  type View,
} from './facts.ts'
import { complete, type Findings, guess } from './guess.ts'
import { mappedMessages } from './mapped-messages.ts'
import { findListNotRead, isBatchTooLarge, locate, type Located, rootOf } from './locate.ts'
import { listsIn, missingContent, readMappedAndGuess, shownPath, type Steps, stepsOf } from './mapping.ts'
import { mayBeData } from './shape.ts'
import { isEventName } from './values.ts'

/** The upstream platform's own feed arrives if the endpoint is registered there. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Reads the facts of a body: a `View` for each of its messages. It refuses only a body that is not a JSON object, the
 * upstream platform's own feed, and a batch that would block the event loop. Alarms name missing and doubtful facts.
 *
 * The steps: parse the body, locate its messages (`locate.ts`, or `mapped-messages.ts` if the app maps facts), collect
 * the values at the places where facts may be (`fact-places.ts`), and read each fact at its best place (`guess.ts`), or
 * where the app's mapping says (`mapping.ts`).
 */
export function readBody(bytes: Uint8Array, context: PayloadContext): PayloadReading {
  const parsed = parseBody(bytes)
  if ('refused' in parsed) return parsed
  const { json, text } = parsed
  if (json['object'] === UPSTREAM_FEED) return { refused: { code: 'raw_upstream_payload' } }
  const views = readParsed(json, context)
  if (!views) return { refused: { code: 'batch_too_large' } }
  return { views: views.some(({ alarms }) => alarms.some(isUnsafeNumber)) ? readExactly(views, text, context) : views }
}

/** Reads a body again, with the digits that large numbers lost when they were parsed. */
function readExactly(read: readonly View[], text: string, context: PayloadContext): readonly View[] {
  const body = parseExactly(text)
  const exact = isRecord(body) ? readParsed(body, context) : undefined
  if (!exact) return read
  const unsafe = (view: View | undefined) => view?.alarms.filter(isUnsafeNumber) ?? []
  return exact.map((view, i) => ({ ...view, alarms: [...unsafe(read[i]), ...view.alarms] }))
}

function isUnsafeNumber({ code }: PayloadAlarm): boolean {
  return code === 'unsafe_number'
}

/** Undefined if the batch is too large. */
function readParsed(body: JsonObject, context: PayloadContext): readonly View[] | undefined {
  const { event, mapping } = context
  const found =
    mapping && event.startsWith('message.')
      ? mappedMessages(body, event, mapping)
      : { messages: locate(rootOf(body), event), isContentMapped: false }
  if ('unclear' in found) return [unclear(found.unclear)]
  const { messages, isContentMapped } = found
  if (isBatchTooLarge(messages)) return undefined
  const alarms = alarmsOfBody(body, messages.length, event)
  const shared = { alarms, lists: mapping && messages.length > 1 ? listsIn(body) : [] }
  const views = messages.map((message) => {
    const view = readView(message, context, shared)
    return view.facts.echo?.value === true ? readEchoed(view, message, context, shared) : view
  })
  const list =
    views.find((view) => view.unclear !== undefined)?.unclear ??
    (isContentMapped || !isMessageOrStatus(context) ? undefined : listNotRead(body, messages, views, event))
  return list === undefined ? withoutSharedIds(views) : [unclear(list)]
}

interface Shared {
  readonly alarms: readonly PayloadAlarm[]
  /** The steps to all lists with several objects. Empty without a mapping or a batch. */
  readonly lists: readonly Steps[]
}

/** Reads a message that the number itself sent and the service delivers back: its customer is the recipient. */
function readEchoed({ facts: { echo } }: View, message: Located, context: PayloadContext, shared: Shared): View {
  const { customer: _, userId: __, name: ___, ...mapping } = context.mapping ?? {}
  const view = readView(message, { ...context, event: SENT, mapping }, shared)
  return { ...view, facts: { ...view.facts, ...(echo && { echo }) } }
}

const SENT = 'message.sent'

/** Removes an id that a function returns for each message of a batch, because it names none of them. */
function withoutSharedIds(views: readonly View[]): readonly View[] {
  const [first, ...rest] = views.map(({ facts }) => facts)
  const fact = (['messageId', 'upstreamId'] as const).find(
    (id) => first?.[id]?.path === '()' && rest.length > 0 && rest.every((one) => one[id]?.value === first[id]?.value),
  )
  if (!fact) return views
  return views.map((view) => {
    const { [fact]: _, ...facts } = view.facts
    return { ...view, facts, alarms: [...view.alarms, { code: 'fact_left_out', fact, path: '()' }] }
  })
}

/** Finds a list of which several elements could be messages, and none was read. */
function listNotRead(
  body: JsonObject,
  messages: readonly Located[],
  views: readonly View[],
  event: string,
): string | undefined {
  const objects = messages.map(({ node }) => node.object)
  const read = objects.filter((_, i) => [...CONTENT_FACTS, 'status' as const].some((fact) => views[i]?.facts[fact]))
  const list = findListNotRead(body, event, { known: new Set(objects), read: new Set(read) })
  // Hide names of members that may be a customer's data.
  return list && shownPath(stepsOf(list.path).map((step) => (mayBeData(step) ? '*' : step)))
}

function unclear(list: string): View {
  return { facts: {}, unclear: list, alarms: [{ code: 'list_unclear', path: list }] }
}

function alarmsOfBody(body: JsonObject, messages: number, event: string): readonly PayloadAlarm[] {
  const named = collectEventNames(body).find(({ value }) => isEventName(value))
  const alarms: PayloadAlarm[] = []
  if (named && String(named.value).toLowerCase() !== event.toLowerCase()) alarms.push({ code: 'event_name_mismatch' })
  if (messages > 1) alarms.push({ code: 'batch' })
  return alarms
}

// ── one message ─────────────────────────────────────────────────────────────────────────────────────

function readView(message: Located, context: PayloadContext, shared: Shared): View {
  const hits = collect(message, context.event)
  const findings: Findings = { context, message, hits, facts: {}, alarms: [...shared.alarms] }
  const { facts, alarms } = findings
  const mapped = context.mapping && readMappedAndGuess(findings, shared.lists)
  if (!mapped) guess(findings, undefined)
  const { isEmpty } = complete(findings)
  const empty = isEmpty && { isEmpty }
  if (!mapped) return { facts, ...empty, alarms }
  const { own, missing = missingContent(findings), unclear } = mapped
  const parked = isMessageOrStatus(context) && missing && { missing }
  return { facts, ...(own && { own }), ...parked, ...(unclear && { unclear }), ...empty, alarms }
}

// ── parsing ─────────────────────────────────────────────────────────────────────────────────────────

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a body into its JSON object, or returns why it is refused. `text`: without its byte order mark. */
export function parseBody(bytes: Uint8Array): { json: JsonObject; text: string } | { refused: PayloadAlarm } {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { refused: { code: 'not_json' } }
  }
  const excess = excessOf(text)
  if (excess) return { refused: { code: excess } }
  const json = parseJson(text)
  if (json === undefined) return { refused: { code: 'not_json' } }
  return isRecord(json) ? { json, text } : { refused: { code: 'not_an_object' } }
}

/** Like `parseJson`, but an integer too large for a number keeps its digits, as a string. */
function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

const INTEGER = /^-?\d+$/

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context?.source !== undefined && INTEGER.test(context.source) ? context.source : value
}

const MAX_DEPTH = 200
/** The most members of one object or one list. An object with more is slow to parse, and to search. */
const MOST_MEMBERS = 20_000

/** Deep brackets could overflow the stack of code that recurs. Large objects and lists would block the event loop. */
function excessOf(text: string): 'too_deep' | 'too_many_members' | undefined {
  if (text.length <= 2 * MAX_DEPTH || (!occurs('{[', MAX_DEPTH, text) && !occurs(',', MOST_MEMBERS - 1, text)))
    return undefined
  const members = [1]
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (quoted) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === COMMA) {
      const count = (members.at(-1) ?? 0) + 1
      if (count > MOST_MEMBERS) return 'too_many_members'
      members[members.length - 1] = count
    } else if (char === BRACE || char === BRACKET) {
      if (members.push(1) > MAX_DEPTH + 1) return 'too_deep'
    } else if (char === BRACE + 2 || char === BRACKET + 2) members.pop()
  }
  return undefined
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

// Counting with `indexOf` is much cheaper than checking each character, and is enough for nearly every payload.
function occurs(characters: string, times: number, text: string): boolean {
  let count = 0
  for (const each of characters)
    for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + 1)) if (++count > times) return true
  return false
}
