import { isRecord } from '../../../base/value.ts'
import { contentOf } from '../../../service/message-kinds.ts'
import { collect, compile, first, type Hits, last, next, type Table, type Tables } from './collect.ts'
import { changeOf, inferKind, isEmpty, isMediaKind, readContent, readReaction, settleKind } from './message-content.ts'
import type { FactName, Facts, PayloadAlarm, PayloadContext, PayloadReading, View } from './facts.ts'
import { readCustomer, readEcho, readMessageIds, readNumberId } from './ids.ts'
import { decode, type JsonObject, parseExactly, parseText } from './json.ts'
import { isolated, type Listing, listOf, listsIn, messagesIn, shownPath, type Steps, stepsOf } from './lists.ts'
import { isBatchTooLarge, type Located, unreadList } from './locate.ts'
import { isMappedByPath, listingOf, readMapped } from './mapping.ts'
import { alarm, type Findings, readFirst, reading } from './readings.ts'
import { mayBeData } from './shape.ts'
import { noteUnknownStatus, readFailure, readStatus, readTemplate, readTime } from './status.ts'
import { isEventName, textOf } from './values.ts'

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
  const tables = tablesOf(context.event)
  const lists = context.mapping && messages.length > 1 ? listsIn(body) : []
  const views = messages.map((message) => {
    const own = context.mapping && listOf(message.node).length > 0 ? isolated(message.node) : body
    const view = readView(message, collect(message, tables), own, { context, shared, lists })
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
  const hits = collect(message, tablesOf(SENT))
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

const EVENT_NAMES = compile({ eventName: first('event event.{name,type} event_type event_name type') })

function eventNameIn(json: JsonObject): string | undefined {
  const body = { node: { object: json, path: '', key: '' }, isMessage: false, isWhole: false }
  const hits = collect(body, { message: EVENT_NAMES, above: EVENT_NAMES })
  return hits.eventName.map(({ value }) => value).find(isEventName)
}

// Paths in plain spelling, in order of rank. Generic names (`id`, `type`, `status`, `timestamp`) are searched only in
// the message object, because above it they are the event's own, with the few exceptions below.

const OBJECTS = '{media,image,audio,voice,video,document,sticker,file,attachment,attachments[0]}'

// ── customer and numbers ────────────────────────────────────────────────────────────────────────────

const people = `customer_number customer_phone customer_phone_number
  customer.{phone,phone_number,number,wa_id} contact.{phone,phone_number,number,wa_id}`

const conversation = 'conversation.{customer.phone,customer_phone,contact.phone_number,phone_number}'

const inbound: Table = {
  customer: [
    ...first(`from from.{number,phone,phone_number,wa_id} ${people}`),
    ...next('sender sender.{phone,phone_number,wa_id} external_number wa_id'),
    // A list of several contacts does not identify the author of the message.
    ...first('contacts[only].wa_id'),
    ...next(`${conversation} msisdn phone`),
    ...last('from.id chat_id phone_number'),
  ],
  userId: next('from_user_id user_id contact.user_id bsuid'),
  ours: next('to to.{number,phone} display_phone_number metadata.display_phone_number'),
}

const outbound: Table = {
  customer: [
    ...next('to to.{number,phone} recipient recipient.{phone,number,wa_id} recipient_id recipient_number'),
    ...next(`${people} ${conversation} wa_id phone`),
    ...last('phone_number'),
  ],
  userId: next('recipient_user_id user_id contact.user_id bsuid'),
  ours: next('from from.{number,phone} display_phone_number metadata.display_phone_number'),
}

const anyone: Table = {
  customer: [...first(people), ...next(`${conversation} wa_id msisdn phone`), ...last('phone_number')],
  userId: next('user_id contact.user_id bsuid'),
  ours: next('display_phone_number metadata.display_phone_number'),
}

const number: Table = {
  numberId: [
    ...first('phone_number_id metadata.phone_number_id'),
    ...next('business_phone_number_id {channel,account}.phone_number_id'),
    ...last('number_id number.id line.id'),
  ],
}

// ── ids of the message ──────────────────────────────────────────────────────────────────────────────

const upstreamId = [
  ...first('wa_message_id wamid wam_id whatsapp_message_id'),
  ...last('platform_message_id upstream_id provider_message_id external_id message_uuid'),
]
const ids: Table = { messageId: first('message_id message.id id'), upstreamId }
const idsAbove: Table = { messageId: first('message_id message.id'), upstreamId }

// ── content ─────────────────────────────────────────────────────────────────────────────────────────

const content: Table = {
  kind: first('message_type type kind content.type content_type message.type'),
  text: first(`text text.{body,text} content content.{text,body} body body.text
    message message.text message_body payload.text`),
  mediaUrl: first(`media_url ${OBJECTS}.{url,link,media_url} file_url content.url payload.url`),
  mediaMime: first(`media_mime_type ${OBJECTS}.{mime_type,mimetype,content_type} mime_type`),
  mediaFilename: first(`media_filename ${OBJECTS}.{filename,file_name,name}`),
  mediaCaption: first(`media_caption caption ${OBJECTS}.caption`),
  milliseconds: first(`media_duration_ms duration_ms ${OBJECTS}.duration_ms`),
  seconds: first('duration_seconds seconds voice.seconds'),
  unitless: first(`duration ${OBJECTS}.duration`),
}

const signals: Table = {
  reaction: first('reaction.{emoji,text,reaction,value} reaction emoji reaction_emoji'),
  reactionTo: first(`reaction.{message_id,msg_id,msg_key.id,key.id,to,id,wa_message_id} reacted_to reacted_message_id
    reaction_message_id reaction_to target_message_id context.{message_id,id} quoted_message_id`),
  edited: first('edited is_edited edited_at edit_date action subtype sub_type'),
  deleted: first('deleted is_deleted deleted_at revoked is_revoked revoked_at unsent is_unsent'),
}

const latitudes = '{latitude,lat,degrees_latitude}'
const longitudes = '{longitude,lng,lon,long,degrees_longitude}'

const place: Table = {
  latitude: first(`location.${latitudes} location.coordinates.${latitudes} ${latitudes} coordinates.${latitudes}`),
  longitude: first(`location.${longitudes} location.coordinates.${longitudes} ${longitudes} coordinates.${longitudes}`),
  placeName: first('location.{name,title} location_name'),
  placeAddress: first('location.{address,description} location_address'),
}

// ── who writes ──────────────────────────────────────────────────────────────────────────────────────

const names = '{contact,customer,profile}.name contact.profile.name {contact,customer,profile,sender}_name push_name'

const name: Table = {
  name: first(`${names} from.name sender.name contacts[only].profile.name notify_name`),
}
const nameAbove: Table = { name: first(`${names} contacts[only].profile.name contacts[only].name`) }

const echoes = '{from_me,is_from_me,is_echo,echo} key.from_me message_echo direction message_direction'
const echo: Table = { echo: first(`${echoes} source sender_type`) }
const echoAbove: Table = { echo: first(echoes) }

const taps: Table = {
  interactive: first('interactive'),
  option: first(`interactive.{button_reply,list_reply,reply} button_reply list_reply
    interactive_button_reply interactive_reply reply selection selected option choice interactive`),
  optionId: first(`option_id selected_option_id selected_id button_id row_id list_row_id reply_id
    interactive_reply_id selected_button_id choice_id`),
  optionTitle: first('option_title selected_title button_title button_text row_title reply_title'),
  quickReply: first(`button.payload quick_reply.payload quick_reply_payload button_payload button_reply.payload
    interactive.payload postback.payload postback postback_text payload`),
  quickReplyTitle: first('button.text quick_reply.{text,title} button_text postback.title'),
}

// ── time, status, failure, template ─────────────────────────────────────────────────────────────────

const time: Table = { at: first('timestamp received_at sent_at occurred_at created_at send_time time') }
const timeAbove: Table = { at: next('timestamp occurred_at created_at at') }

const statusTime: Table = {
  at: [
    ...first('status_changed_at status_at {sent,delivered,read,played,failed}_at timestamp occurred_at'),
    // The time of the message's creation is not the time of its status.
    ...next('updated_at created_at'),
  ],
}

const changed = 'new_status message_status delivery_status'

// At paths of the last choice only a known status counts, because other values belong to the envelope or to other
// things.
const status: Table = {
  status: [...first(`${changed} status status.{value,name}`), ...last('state status_string event')],
}
const statusAbove: Table = { status: [...first(changed), ...last('status')] }

const reasons = `failure_reason failed_reason failed_detail error_message error error.{message,title,reason}
  errors[0].{error_data.details,message,title}`

const failure: Table = { failureReason: [...first(reasons), ...last('reason description')] }
const failureAbove: Table = { failureReason: first(reasons) }

const template: Table = {
  templateId: first('template_id template.id message_template_id id'),
  templateName: first('template_name template.name message_template_name name'),
  templateLanguage: first(`template_language template.language message_template_language language language.code`),
  templateStatus: first(`${changed} template.status status status.{value,name} state event`),
  previousStatus: first('previous_status old_status template.{previous_status,old_status}'),
  templateReason: first('reason rejected_reason template.{reason,rejected_reason}'),
  category: first('category template.category message_template_category'),
}

// ── per event ───────────────────────────────────────────────────────────────────────────────────────

const around = { ...number, ...timeAbove }

const BY_EVENT: Readonly<Record<string, Tables>> = {
  'message.received': tables(
    { ...inbound, ...number, ...ids, ...content, ...signals, ...place, ...taps, ...time, ...name, ...echo },
    { ...inbound, ...around, ...idsAbove, ...nameAbove, ...echoAbove },
  ),
  'message.status': tables(
    { ...outbound, ...number, ...ids, ...status, ...statusTime, ...failure },
    { ...outbound, ...around, ...idsAbove, ...statusAbove, ...failureAbove },
  ),
  'message.sent': tables(
    { ...outbound, ...number, ...ids, ...content, ...status, ...time, ...failure },
    { ...outbound, ...around, ...idsAbove },
  ),
  'template.status': tables({ ...number, ...template, ...time }, { ...around }),
  'account.error': tables({ ...anyone, ...number, ...time, ...failure }, { ...anyone, ...around, ...failureAbove }),
}

const OTHER = tables({ ...anyone, ...number, ...time }, { ...anyone, ...around })

function tablesOf(event: string): Tables {
  return (Object.hasOwn(BY_EVENT, event) ? BY_EVENT[event] : undefined) ?? OTHER
}

function tables(message: Table, above: Table): Tables {
  return { message: compile(message), above: compile(above) }
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

function guess(findings: Findings, mappedStatus: string | undefined): void {
  const { facts, context } = findings
  const status = readStatus(findings)
  const statusName = mappedStatus ?? status?.value
  readCustomer(findings)
  readNumberId(findings)
  readMessageIds(findings)
  readEcho(findings)
  const name = readFirst(findings, findings.hits.name, nameOf)
  if (name) facts.name = reading(name.value, name.hit.path, true)
  readContent(findings)
  if (status) facts.status = status
  readFailure(findings, statusName)
  readTemplate(findings)
  readTime(findings, context.event === 'message.status' ? (statusName ?? '') : undefined)
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
  const change = names.has('kind') && findings.facts.kind?.path !== '()' ? changeOf(findings) : undefined
  const kind = change ?? findings.facts.kind ?? inferKind(findings)
  if (kind) findings.facts.kind = kind
  settleWords(findings)
  return mapped
}

function settleWords(findings: Findings): void {
  settleKind(findings)
  readReaction(findings)
  noteUnknownStatus(findings)
}

const LONGEST_NAME = 200

function nameOf(value: unknown): string | undefined {
  return textOf(value)?.trim().slice(0, LONGEST_NAME)
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
