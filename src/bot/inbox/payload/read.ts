import { isRecord } from '../../../base/value.ts'
import { contentOf } from '../../../service/message-kinds.ts'
import { collect, collectEventNames, type Hits } from './collect.ts'
import { inferKind, isEmpty, readChange, readReaction, settleKind } from './content.ts'
import {
  CONTENT_FACTS,
  type Facts,
  type PayloadAlarm,
  type PayloadContext,
  type PayloadReading,
  type View,
} from './facts.ts'
import { alarm, type Findings } from './findings.ts'
import { guess } from './guess.ts'
import { type JsonObject, parseBody, parseExactly } from './json.ts'
import { type Listing, listingOf, messagesIn } from './lists.ts'
import { isBatchTooLarge, type Located, unreadList } from './locate.ts'
import { mappedFacts, readMapped } from './mapping.ts'
import { mayBeData } from './shape.ts'
import { isolated, listOf, listsIn, shownPath, type Steps, stepsOf } from './steps.ts'
import { isEventName } from './values.ts'
import { isKnownStatus, isMediaKind } from './words.ts'

/** The upstream platform's own feed arrives if the endpoint is registered there. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Reads the facts of a body: a view for each of its messages. Refused are only a body that is not a JSON object, the
 * upstream platform's own feed, and a batch that would block the event loop. Alarms name missing and doubtful facts.
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
  const isMessage = context.event.startsWith('message.')
  const listing: Listing = context.mapping && isMessage ? listingOf(context.mapping, body) : { paths: new Map() }
  const messages = messagesIn(body, context.event, listing)
  if (typeof messages === 'string') return [unclear(messages)]
  if (isBatchTooLarge(messages)) return undefined
  const shared = sharedAlarms(body, messages.length, context)
  const lists = context.mapping && messages.length > 1 ? listsIn(body) : []
  const views = messages.map((message) => {
    const own = context.mapping && listOf(message.node).length > 0 ? isolated(message.node) : body
    const view = readView(message, collect(message, context.event), own, { context, shared, lists })
    return view.facts.echo?.value === true ? readEchoed(view, message, own, { context, shared, lists }) : view
  })
  const content = context.event === 'message.status' ? 'status' : 'text'
  const isMapped = listing.byFunctions !== undefined || listing.paths.has(content)
  const list =
    views.find((view) => view.unclear !== undefined)?.unclear ??
    (isMapped || !MESSAGE_EVENTS.has(context.event) ? undefined : listNotRead(body, messages, views, context))
  return list === undefined ? withoutSharedIds(views) : [unclear(list)]
}

/** Reads the number's own message, sent back: its customer is the recipient. */
function readEchoed({ facts: { echo } }: View, message: Located, own: JsonObject, o: Shared): View {
  const { context } = o
  const hits = collect(message, SENT)
  const { customer: _, userId: __, name: ___, ...mapping } = context.mapping ?? {}
  const view = readView(message, hits, own, { ...o, context: { ...context, event: SENT, mapping } })
  return { ...view, facts: { ...view.facts, ...(echo && { echo }) } }
}

const SENT = 'message.sent'

interface Shared {
  readonly context: PayloadContext
  /** The steps to all lists with several objects. Empty without a mapping or a batch. */
  readonly lists: readonly Steps[]
  readonly shared: readonly PayloadAlarm[]
}

/** An id that a function returns for each message of a batch names none of them. */
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
  { event }: PayloadContext,
): string | undefined {
  const objects = messages.map(({ node }) => node.object)
  const read = objects.filter((_, i) => [...CONTENT_FACTS, 'status' as const].some((fact) => views[i]?.facts[fact]))
  const list = unreadList(body, event, { known: new Set(objects), read: new Set(read) })
  // The name of a member may be a customer's data.
  return list && shownPath(stepsOf(list.path).map((step) => (mayBeData(step) ? '*' : step)))
}

function unclear(list: string): View {
  return { facts: {}, unclear: list, alarms: [{ code: 'list_unclear', path: list }] }
}

function sharedAlarms(body: JsonObject, messages: number, { event }: PayloadContext): readonly PayloadAlarm[] {
  const named = collectEventNames(body).find(({ value }) => isEventName(value))
  const alarms: PayloadAlarm[] = []
  if (named && String(named.value).toLowerCase() !== event.toLowerCase()) alarms.push({ code: 'event_name_mismatch' })
  if (messages > 1) alarms.push({ code: 'batch' })
  return alarms
}

function readView(
  { node, isMessage }: Located,
  hits: Hits,
  body: JsonObject,
  { context, shared, lists }: Shared,
): View {
  const hasEnvelope = node.parent !== undefined
  const findings: Findings = { context, hits, isMessage, hasEnvelope, facts: {}, alarms: [...shared] }
  const { facts, alarms } = findings
  const mapped =
    context.mapping && readMappedAndGuess(findings, body, { chain: listOf(node), shared: listOf(node, 2), lists })
  if (!mapped) guess(findings, undefined)
  settleKind(findings)
  readReaction(findings)
  const { status } = facts
  if (status && !isKnownStatus(status.value)) alarm(findings, 'unknown_status', 'status', status.path, status.value)
  const lost = MESSAGE_EVENTS.has(context.event) && mapped ? (mapped.lost ?? lostContent(findings)) : undefined
  noteMissing(findings)
  const empty = context.event === 'message.received' && isEmpty(findings) && ({ isEmpty: true } as const)
  if (!mapped) return { facts, ...empty, alarms }
  const { own, unclear } = mapped
  return { facts, ...(own && { own }), ...(lost && { lost }), ...(unclear && { unclear }), ...empty, alarms }
}

/** Reads what the app maps, and guesses the other facts. The guess of a mapped fact raises no alarm. */
function readMappedAndGuess(
  findings: Findings,
  body: JsonObject,
  lists: Parameters<typeof readMapped>[2],
): ReturnType<typeof readMapped> {
  const mapped = readMapped(findings, body, lists)
  const names = new Set(Object.keys(findings.context.mapping ?? {}).map(factOf))
  const guessed: Findings = { ...findings, facts: {}, alarms: [] }
  guess(guessed, mapped.facts.status?.value)
  for (const { code, fact, path } of guessed.alarms) if (!names.has(factOf(fact))) alarm(findings, code, fact, path)
  const unmapped = Object.entries(guessed.facts).filter(([name]) => !names.has(name))
  Object.assign(findings.facts, Object.fromEntries(unmapped), completed(mapped.facts, guessed.facts))
  const change = names.has('kind') && findings.facts.kind?.path !== '()' ? readChange(findings) : undefined
  const kind = change ?? findings.facts.kind ?? inferKind(findings)
  if (kind) findings.facts.kind = kind
  return mapped
}

/** `media` for `media.durationMs`. */
function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}

/** Adds guessed members to a mapped file or option, if the guess is the same file or option. */
function completed(mapped: Facts, guessed: Facts): Facts {
  const { media, tapped, kind = guessed.kind } = mapped
  const file = guessed.media?.value.url === media?.value.url ? guessed.media?.value : undefined
  const ofKind = media?.value.kind === 'document' && kind && isMediaKind(kind.value) && { kind: kind.value }
  const option = guessed.tapped?.value.id === tapped?.value.id ? guessed.tapped?.value : undefined
  const title = tapped?.value.title ?? option?.title
  return {
    ...mapped,
    ...(media && { media: { ...media, value: { ...file, ...media.value, ...ofKind } } }),
    ...(tapped && { tapped: { ...tapped, value: { ...tapped.value, title } } }),
  }
}

const MESSAGE_EVENTS: ReadonlySet<string> = new Set(['message.received', 'message.status'])

function noteMissing(findings: Findings): void {
  const { facts, context } = findings
  const { customer, userId, kind } = facts
  if (!customer && userId) alarm(findings, 'customer_number_hidden', 'customer', userId.path)
  if (!MESSAGE_EVENTS.has(context.event)) return
  const isStatus = context.event === 'message.status'
  const content = kind && contentOf(kind.value)
  if (!customer && !userId) alarm(findings, 'fact_missing', 'customer')
  if (!facts.messageId && !facts.upstreamId) alarm(findings, 'fact_missing', 'messageId')
  if (!facts.at) alarm(findings, 'fact_missing', 'at')
  if (isStatus && !facts.status) alarm(findings, 'fact_missing', 'status')
  if (!isStatus && !kind) alarm(findings, 'fact_missing', 'kind')
  if (!isStatus && content && !facts[content]) alarm(findings, 'fact_missing', content)
}

/** Returns the content that the message's kind requires, if it is missing at the path that the app maps. */
function lostContent({ context, facts }: Findings): ReturnType<typeof contentOf> {
  const fact = contentOf(facts.kind?.value)
  if (fact === undefined || facts[fact] || context.event !== 'message.received') return undefined
  const isMapped = mappedFacts(context.mapping ?? {}).some(({ name, isFunction }) => name === fact && !isFunction)
  return isMapped ? fact : undefined
}
