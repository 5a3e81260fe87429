import { isRecord } from '../../../base/value.ts'
import { contentOf } from '../../../service/message-kinds.ts'
import { collect, collectEventNames, type Hits } from './collect.ts'
import { inferKind, isEmpty, readChange, readReaction, settleKind } from './content.ts'
import type { FactName, Facts, PayloadAlarm, PayloadContext, PayloadReading, View } from './facts.ts'
import { alarm, type Findings } from './findings.ts'
import { guess } from './guess.ts'
import { decode, type JsonObject, parseExactly, parseText } from './json.ts'
import { type Listing, listingOf, messagesIn } from './lists.ts'
import { isBatchTooLarge, type Located, unreadList } from './locate.ts'
import { isMappedByPath, readMapped } from './mapping.ts'
import { mayBeData } from './shape.ts'
import { isolated, listOf, listsIn, shownPath, type Steps, stepsOf } from './steps.ts'
import { isEventName } from './values.ts'
import { isKnownStatus, isMediaKind } from './words.ts'

/** Identifies the upstream platform's own feed, which arrives if the endpoint is set as the callback override. */
const UPSTREAM_FEED = 'whatsapp_business_account'

/**
 * Reads the facts of a body: one view for its message, or one for each message of a batch. Only a body that is not a
 * JSON object, the upstream platform's raw feed, and a batch that would block the event loop are refused (and then
 * quarantined). Every other body gives a view, perhaps with few facts, and alarms for missing or doubtful facts.
 */
export function readBody(bytes: Uint8Array, context: PayloadContext): PayloadReading {
  const text = decode(bytes)
  if (text === undefined) return { refused: { code: 'not_json' } }
  const parsed = parseText(text)
  if ('refused' in parsed) return parsed
  const { json } = parsed
  if (json['object'] === UPSTREAM_FEED) return { refused: { code: 'raw_upstream_payload' } }
  const views = readParsed(json, context)
  if (!views) return { refused: { code: 'batch_too_large' } }
  return { views: views.some(hasUnsafeNumber) ? readExactly(views, text, context) : views }
}

/** Reads a body again with the digits that a number loses when it is parsed. */
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

function hasUnsafeNumber({ alarms }: View): boolean {
  return alarms.some(isUnsafeNumber)
}

/** Undefined for a batch that is too large. */
function readParsed(body: JsonObject, context: PayloadContext): readonly View[] | undefined {
  const isMessage = context.event.startsWith('message.')
  const listing: Listing = context.mapping && isMessage ? listingOf(context.mapping, body) : { paths: new Map() }
  const messages = messagesIn(body, context.event, listing)
  if (typeof messages === 'string') return [unclear(messages)]
  if (isBatchTooLarge(messages)) return undefined
  const shared = sharedAlarms(eventNameIn(body), messages.length, context)
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

/** In the number's own message the customer is the one whom it went to. */
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
  /** The steps to all lists with several objects, if there are several messages. */
  readonly lists: readonly Steps[]
  readonly shared: readonly PayloadAlarm[]
}

/** An id that a function returns for each message of a batch is the id of none. */
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

/** A list beside the messages that were read, or inside one without content, of which several elements could be messages. */
function listNotRead(
  body: JsonObject,
  messages: readonly Located[],
  views: readonly View[],
  { event }: PayloadContext,
): string | undefined {
  const objects = messages.map(({ node }) => node.object)
  const read = objects.filter((_, i) =>
    ['text', 'tapped', 'media', 'location', 'reaction', 'status'].some((fact) => views[i]?.facts[fact as FactName]),
  )
  const list = unreadList(body, event, { known: new Set(objects), read: new Set(read) })
  // A name in the payload may be data.
  return list && shownPath(stepsOf(list.path).map((step) => (mayBeData(step) ? '*' : step)))
}

function unclear(list: string): View {
  return { facts: {}, unclear: list, alarms: [{ code: 'list_unclear', path: list }] }
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

function eventNameIn(body: JsonObject): string | undefined {
  return collectEventNames(body)
    .map(({ value }) => value)
    .find(isEventName)
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
  if (!context.mapping) {
    guess(findings, undefined)
    settleWords(findings)
    noteMissing(findings, facts)
    return { facts, ...emptyIn(findings), alarms }
  }
  const {
    own,
    unclear,
    lost = lostContent(findings),
  } = readMappedAndGuess(findings, body, {
    chain: listOf(node),
    shared: listOf(node, 2),
    lists,
  })
  noteMissing(findings, facts)
  const isLost = lost !== undefined && MESSAGE_EVENTS.has(context.event)
  const rest = { ...(own && { own }), ...(isLost && { lost }), ...(unclear && { unclear }), ...emptyIn(findings) }
  return { facts, ...rest, alarms }
}

function emptyIn(findings: Findings): { readonly isEmpty?: true } {
  return findings.context.event === 'message.received' && isEmpty(findings) ? { isEmpty: true } : {}
}

/** Reads what the app maps, guesses the other facts, and adds the app's own. A mapped fact's guess raises no alarm. */
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
  settleWords(findings)
  return mapped
}

function settleWords(findings: Findings): void {
  settleKind(findings)
  readReaction(findings)
  const { status } = findings.facts
  if (status && !isKnownStatus(status.value)) alarm(findings, 'unknown_status', 'status', status.path, status.value)
}

/** `media` for `media.durationMs`. */
function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}

/** If only a file's address or an option's id is mapped, adds what was guessed for the same one. */
function completed(mapped: Facts, guessed: Facts): Facts {
  const { media, tapped, kind = guessed.kind } = mapped
  const file = media && {
    ...(guessed.media?.value.url === media.value.url && guessed.media.value),
    ...media.value,
    ...(media.value.kind === 'document' && kind && isMediaKind(kind.value) && { kind: kind.value }),
  }
  const option = tapped && {
    ...tapped.value,
    title:
      tapped.value.title ?? (guessed.tapped?.value.id === tapped.value.id ? guessed.tapped.value.title : undefined),
  }
  return {
    ...mapped,
    ...(media && file && { media: { ...media, value: file } }),
    ...(tapped && option && { tapped: { ...tapped, value: option } }),
  }
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
  if (event === 'message.received') noteMissingContent(findings, facts)
}

/** A message without the content that its kind requires was not understood: no route of the kind gets it. */
function noteMissingContent(findings: Findings, facts: Facts): void {
  if (!facts.kind) return alarm(findings, 'fact_missing', 'kind')
  const fact = contentOf(facts.kind.value)
  if (fact !== undefined && !facts[fact]) alarm(findings, 'fact_missing', fact)
}

/** The content that the kind of a message requires, if the app maps it by a path and it is missing. */
function lostContent({ context, facts }: Findings): ReturnType<typeof contentOf> {
  const fact = contentOf(facts.kind?.value)
  const isLost = fact !== undefined && !facts[fact] && context.event === 'message.received'
  return isLost && isMappedByPath(context.mapping ?? {}, fact) ? fact : undefined
}
