import { isRecord } from '../../../base/value.ts'
import { canonicalDeliveryId, STATUSES } from '../../../service/delivery.ts'
import { contentOf, KNOWN_KINDS } from '../../../service/message-kinds.ts'
import type { Hit, Hits, TableName, ValueOf } from './fact-places.ts'
import {
  COMPOSED,
  type ComposedFact,
  type FactValues,
  type FoundFacts,
  type How,
  isMessageOrStatus,
  isUnderstood,
  type JsonObject,
  type PayloadAlarm,
  type PayloadContext,
  type Reading,
  type Tapped,
} from './facts.ts'
import type { Located } from './locate.ts'
import {
  echoOf,
  emojiOf,
  idOf,
  isKnownStatus,
  isMediaKind,
  isPlausible,
  isUpstream,
  kindOf,
  lostDigits,
  momentOf,
  phoneOf,
  plainName,
  textOf,
  userIdOf,
} from './values.ts'

/**
 * Guesses each fact of one message by the values at its places, the best first. `mappedStatus`: the status by the app's
 * mapping.
 */
export function guess(findings: Findings, mappedStatus: string | undefined): void {
  const { facts, context } = findings
  const status = find(findings, 'status')
  const statusName = mappedStatus ?? status?.value
  readCustomer(findings)
  const number = findAgreed(findings, 'numberId')
  if (number) facts.numberId = reading(number.value, number.hit.path, number.agreed && isCertain(number.hit))
  readMessageIds(findings)
  readEcho(findings)
  const name = find(findings, 'name')
  if (name) facts.name = reading(name.value, name.hit.path, true)
  readContent(findings)
  if (status) facts.status = reading(status.value, status.hit.path, status.hit.inMessage)
  readFailure(findings, statusName)
  readTemplate(findings)
  readTime(findings, context.event === 'message.status' ? (statusName ?? '') : undefined)
}

/** Completes facts that depend on other facts, guessed or mapped. Raises alarms for unknown and missing facts. */
export function complete(findings: Findings): { readonly isEmpty: boolean } {
  const { facts, context } = findings
  correctKind(findings)
  readReaction(findings)
  const { status } = facts
  if (status && !isKnownStatus(status.value)) alarm(findings, 'unknown_status', 'status', status.path, status.value)
  noteMissing(findings)
  return { isEmpty: context.event === 'message.received' && isEmpty(findings) }
}

function noteMissing(findings: Findings): void {
  const { facts, context } = findings
  const { customer, userId, kind } = facts
  if (!customer && userId) alarm(findings, 'customer_number_hidden', 'customer', userId.path)
  if (!isMessageOrStatus(context)) return
  const isStatus = context.event === 'message.status'
  const content = kind && contentOf(kind.value)
  if (!customer && !userId) alarm(findings, 'fact_missing', 'customer')
  if (!facts.messageId && !facts.upstreamId) alarm(findings, 'fact_missing', 'messageId')
  if (!facts.at) alarm(findings, 'fact_missing', 'at')
  if (isStatus && !facts.status) alarm(findings, 'fact_missing', 'status')
  if (!isStatus && !kind) alarm(findings, 'fact_missing', 'kind')
  if (!isStatus && content && !facts[content]) alarm(findings, 'fact_missing', content)
}

// ── who ─────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Reads the other person's phone number. A wrong one would send the reply to somebody else, so it is sure only at a
 * certain place, if no other place disagrees. Our own number is never the customer. If a user id hides the phone
 * number, only certain places count.
 */
function readCustomer(findings: Findings): void {
  const of = spellingIn(findings)
  const ours = ourNumbers(findings)
  let agreed = true
  let hidden: Hit | undefined
  let refused: Hit | undefined
  let found: { digits: string; hit: Hit } | undefined
  for (const hit of findings.hits.customer) {
    if (found && isLastResort(hit)) break
    if (hidden && !isCertain(hit)) continue
    const digits = phoneOf(hit.value)
    if (digits === undefined) {
      if (userIdOf(hit.value) !== undefined) hidden ??= hit
      else noteUnreadable(findings, 'customer', hit)
    } else if (ours.includes(of(digits))) refused ??= hit
    else if (found === undefined) found = { digits, hit }
    else if (of(digits) !== of(found.digits)) agreed = conflict(findings, hit)
  }
  // If a customer's number was found too, our own number raises a conflict only at a certain place.
  if (refused && (!found || isCertain(refused))) agreed = conflict(findings, refused)
  if (found && hidden) agreed = conflict(findings, hidden)
  const sure = agreed && found !== undefined && isCertain(found.hit)
  if (found) findings.facts.customer = reading(found.digits, found.hit.path, sure)
  const userId = hidden ? { value: String(hidden.value), hit: hidden } : find(findings, 'userId')
  if (userId) findings.facts.userId = reading(userId.value, userId.hit.path, true)
}

function conflict(findings: Findings, hit: Hit): false {
  alarm(findings, 'fact_conflict', 'customer', hit.path)
  return false
}

/** Tells whether these digits are the bot's own number, in any spelling that the app takes for the same. */
export function isOurs(findings: Findings, digits: string): boolean {
  return ourNumbers(findings).includes(spellingIn(findings)(digits))
}

/** Returns the ids and the digits of the bot's number. */
function ourNumbers(findings: Findings): readonly string[] {
  const { context, hits } = findings
  const ours = [context.ownNumberId]
  for (const { value } of hits.ours) ours.push(phoneOf(value))
  for (const { value } of hits.numberId) ours.push(idOf(value))
  const of = spellingIn(findings)
  return ours.filter((one) => one !== undefined).map((one) => (phoneOf(one) === undefined ? one : of(one)))
}

function spellingIn({ context: { sameCustomer } }: Findings): (digits: string) => string {
  return sameCustomer?.of ?? ((digits) => digits)
}

/** Reads whether the number itself wrote the message. If places disagree, the customer wrote it. */
function readEcho(findings: Findings): void {
  const hits = findings.hits.echo.filter(({ value }) => echoOf(value) !== undefined)
  const found = findAgreed(findings, 'echo', hits)
  if (found?.value && found.agreed) findings.facts.echo = reading(true, found.hit.path, true)
}

// ── which message ───────────────────────────────────────────────────────────────────────────────────

/** Reads the message's id with the service, and its upstream id, which begins with `wamid.` wherever it is. */
function readMessageIds(findings: Findings): void {
  const ids = findings.hits.messageId.filter((hit) => canNameMessage(findings, hit))
  const upstream = findings.hits.upstreamId.filter((hit) => canNameMessage(findings, hit))
  readMessageId(findings, ids.filter(isOwn))
  readUpstreamId(findings, [...upstream, ...ids.filter((hit) => !isOwn(hit))])
}

function isOwn({ value }: Hit): boolean {
  return !isUpstream(value)
}

function canNameMessage({ context: { deliveryId } }: Findings, { ownMessage, value }: Hit): boolean {
  if (!ownMessage) return false
  if (typeof value !== 'string' || value.length !== deliveryId?.length) return true
  return canonicalDeliveryId(value) !== canonicalDeliveryId(deliveryId)
}

function readMessageId(findings: Findings, hits: readonly Hit[]): void {
  // Beside `message_id`, a bare `id` belongs to something else: the event, or a row of a table.
  const named = hits.length > 1 && hits.some((hit) => hit.inMessage && !isBareId(hit) && typeof hit.value !== 'object')
  const found = findAgreed(findings, 'messageId', named ? hits.filter((hit) => !isBareId(hit)) : hits)
  if (!found) return
  const ambiguous = isBareId(found.hit) && !(findings.message.isMessage && hasEnvelope(findings))
  if (ambiguous) alarm(findings, 'fact_assumed', 'messageId', found.hit.path)
  findings.facts.messageId = reading(found.value, found.hit.path, found.agreed && !ambiguous)
}

function isBareId({ place }: Hit): boolean {
  return place.path === 'id'
}

function hasEnvelope({ message: { node } }: Findings): boolean {
  return node.parent !== undefined
}

function readUpstreamId(findings: Findings, hits: readonly Hit[]): void {
  const clear = hits.filter((hit) => !isLastResort(hit) || !isOwn(hit))
  const found = findAgreed(findings, 'upstreamId', clear.length > 0 ? clear : hits)
  if (found) findings.facts.upstreamId = reading(found.value, found.hit.path, found.agreed && clear.length > 0)
}

// ── what was written ────────────────────────────────────────────────────────────────────────────────

function readContent(findings: Findings): void {
  const { facts } = findings
  const stated = find(findings, 'kind')
  const written = find(findings, 'text')
  const tap = readTap(findings, stated?.value, written?.value)
  // Ignore a text that repeats the title of the tapped option: the customer did not write it.
  if (written && written.value !== tap?.tapped.value.title) facts.text = reading(written.value, written.hit.path, true)
  if (tap) facts.tapped = tap.tapped
  readMedia(findings, stated?.value)
  readLocation(findings)
  // Some platforms call every kind `unknown`. This word does not count if the content is understood.
  const isNamed = stated && !(stated.value === UNKNOWN && isUnderstood(facts))
  const named = isNamed ? reading(stated.value, stated.hit.path, true) : undefined
  const kind = readChange(findings) ?? named ?? inferKind(findings, tap?.kind)
  if (kind) facts.kind = kind
}

// ── the kind ────────────────────────────────────────────────────────────────────────────────────────

const UNKNOWN = 'unknown'

/** An edit or a deletion often has its message's kind, so `deleted` and `edited` count before the kind. */
export function readChange(findings: Findings): Reading<string> | undefined {
  const found = find(findings, 'deleted') ?? find(findings, 'edited')
  return found && reading(found.value, found.hit.path, true, 'inferred')
}

/** Infers the kind from the content. `tap`: the kind if an option was tapped. */
export function inferKind({ facts, hits }: Findings, tap = 'interactive'): Reading<string> | undefined {
  const of = [...hits['reaction.emoji'], ...hits['reaction.to']]
  const isInside = (path: string) => of.some((hit) => hit.path.startsWith(`${path}.`))
  const reaction = hits['reaction.emoji'].find(({ value, path }) => isRecord(value) && isInside(path))
  const { location, tapped, media, text } = facts
  const kinds = [
    ['reaction', reaction],
    ['location', location],
    [tap, tapped],
    [media?.value.kind ?? '', media],
    ['text', text],
  ] as const
  for (const [kind, by] of kinds) if (by) return reading(kind, by.path, false, 'inferred')
  return undefined
}

/** If the payload's word for the kind is unknown, the media type of the file decides. */
function correctKind(findings: Findings): void {
  const { kind, media } = findings.facts
  if (!kind || (isKnown(findings, kind.value) && kind.value !== UNKNOWN)) return
  const type = media?.value.mime?.split('/')[0]?.toLowerCase()
  if (media && type !== undefined && ['image', 'audio', 'video'].includes(type)) {
    findings.facts.kind = { ...kind, value: type }
    findings.facts.media = { ...media, value: { ...media.value, kind: type } }
  } else alarm(findings, 'unknown_kind', 'kind', kind.path, kind.value)
}

function isKnown({ context }: Findings, kind: string): boolean {
  return KNOWN_KINDS.has(kind) || [...(context.words?.kinds.values() ?? [])].includes(kind)
}

/** True if neither the kind nor any content of a message is known. Then it also raises an alarm. */
function isEmpty(findings: Findings): boolean {
  const { kind } = findings.facts
  if ((kind && isKnown(findings, kind.value)) || isUnderstood(findings.facts)) return false
  alarm(findings, 'content_missing', 'kind', kind?.path, kind?.value ?? 'none')
  return true
}

// ── taps ────────────────────────────────────────────────────────────────────────────────────────────

interface Tap {
  readonly tapped: Reading<Tapped>
  readonly kind: string
}

/** Reads the tapped option: an object with the option's id, else an id alone, else the payload of a quick reply. */
function readTap(findings: Findings, kind: string | undefined, text: string | undefined): Tap | undefined {
  const { hits } = findings
  const rendered = isRendering(hits.interactive[0]?.value)
  const canBeTapped = ({ place: { path } }: Hit) => !rendered || !/^interactive(?:\.|$)/.test(path)
  for (const { place, path, value } of hits.option.filter(canBeTapped)) {
    if (!isRecord(value)) continue
    const id = optionIdOf(findings, namedMember(value, 'id'), path)
    const title = textOf(namedMember(value, 'title')) ?? textOf(namedMember(value, 'text'))
    // `interactive` itself is a tap only if its type says that it is a reply.
    const isReply = place.path !== 'interactive' || /reply$/i.test(textOf(namedMember(value, 'type')) ?? '')
    if (id === undefined || !isReply || (place.path === 'reply' && isQuote(title, kind, text))) continue
    return tapOf('interactive', id, title, path)
  }
  for (const { path, value } of hits.optionId) {
    const id = optionIdOf(findings, value, path)
    if (id !== undefined) return tapOf('interactive', id, find(findings, 'optionTitle')?.value, path)
  }
  const found = find(findings, 'quickReply', canBeTapped)
  return found && tapOf('button', found.value, find(findings, 'quickReplyTitle')?.value, found.hit.path)
}

function tapOf(kind: string, id: string, title: string | undefined, path: string): Tap {
  return { tapped: reading({ id, title }, path, true), kind }
}

// With buttons or sections, `interactive` describes an outbound message, and nobody tapped it.
function isRendering(interactive: unknown): boolean {
  if (!isRecord(interactive)) return false
  const lists = [namedMember(interactive, 'buttons'), namedMember(interactive, 'sections')]
  return lists.some((list) => Array.isArray(list) && list.length > 0)
}

/** In a text or in media, `reply` is the quoted message. If its title equals the text, it is a tapped option. */
function isQuote(title: string | undefined, kind: string | undefined, text: string | undefined): boolean {
  const content = contentOf(kind)
  return (content === 'text' || content === 'media') && (title === undefined || title !== text)
}

// A `reply` object with a message's id quotes that message, so the id is not an option's.
function optionIdOf(findings: Findings, value: unknown, path: string): string | undefined {
  if (lostDigits(value)) alarm(findings, 'unsafe_number', 'tapped', path)
  return isUpstream(value) ? undefined : idOf(value)
}

function namedMember(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const key = Object.keys(object).find((each) => plainName(each) === name)
  return key === undefined ? undefined : object[key]
}

// ── media, places, reactions ────────────────────────────────────────────────────────────────────────

function readMedia(findings: Findings, kind: string | undefined): void {
  const [duration] = findings.hits.duration
  if (!duration && findings.hits['media.url'].length === 0) return
  const { value, hit } = findMembers(findings, 'media')
  if (duration && value.durationMs === undefined) alarm(findings, 'fact_unreadable', 'media.durationMs', duration.path)
  const { url, mime } = value
  if (!hit || url === undefined) return
  // Infers the kind of a file from the message's own kind, else from the member with the address, else from the media
  // type.
  const { path } = hit.place
  const holder = kindOf(path.slice(0, path.indexOf('.')))
  const own = [kind, holder, mime?.slice(0, mime.indexOf('/'))].find(isMediaKind) ?? 'document'
  findings.facts.media = reading({ kind: own, url, ...value }, hit.path, true)
}

function readLocation(findings: Findings): void {
  if (findings.hits['location.latitude'].length === 0) return
  const { value, hit } = findMembers(findings, 'location')
  const { latitude, longitude } = value
  if (!hit || latitude === undefined || longitude === undefined) return
  findings.facts.location = reading({ latitude, longitude, ...value }, hit.path, true)
}

function readReaction(findings: Findings): void {
  const { facts, hits } = findings
  if (facts.kind?.value !== 'reaction' || facts.reaction) return
  const { value } = findMembers(findings, 'reaction')
  const emoji = value.emoji ?? emojiOf(facts.text?.value)
  const to = find(findings, 'reaction.to')?.hit
  const path = hits['reaction.emoji'][0]?.path ?? to?.path ?? facts.kind.path
  facts.reaction = reading({ ...(emoji !== undefined && { emoji }), ...value }, path, true)
}

// ── failure, template, time ─────────────────────────────────────────────────────────────────────────

/** A bare `reason` or `description` counts only if the status does not state a success. */
function readFailure(findings: Findings, status: string | undefined): void {
  const succeeded = status !== undefined && status !== 'failed' && isKnownStatus(status)
  const found = find(findings, 'failureReason', (hit) => !succeeded || !isLastResort(hit))
  if (found) findings.facts.failureReason = reading(found.value, found.hit.path, true)
}

function readTemplate(findings: Findings): void {
  if (findings.hits['template.id'].length + findings.hits['template.name'].length === 0) return
  // In a body without an envelope, a bare `id` is the event's.
  const { value, hit } = findMembers(findings, 'template', (one) => hasEnvelope(findings) || !isBareId(one))
  if ((value.id ?? value.name) !== undefined && hit) findings.facts.template = reading(value, hit.path, true)
}

const STATUS_TIMES: ReadonlySet<string> = new Set(STATUSES.map((status) => `${status}_at`))

/**
 * Reads the payload's own time. It is sure if it has a zone and is at a certain place. For a status the time of that
 * status counts, such as `delivered_at`. An implausible time counts only if no other time is found.
 */
function readTime(findings: Findings, status?: string): void {
  let implausible: Reading<number> | undefined
  for (const hit of findings.hits.at) {
    const { path } = hit.place
    if (status !== undefined && STATUS_TIMES.has(path) && path !== `${status}_at`) continue
    const moment = momentOf(hit.value)
    if (moment === undefined) {
      noteUnreadable(findings, 'at', hit)
      continue
    }
    const isUsual = isPlausible(moment.ms, findings.context.now)
    if (!isUsual || !moment.zoned) alarm(findings, 'fact_assumed', 'at', hit.path)
    if (isUsual) {
      findings.facts.at = reading(moment.ms, hit.path, moment.zoned && isCertain(hit))
      return
    }
    implausible ??= reading(moment.ms, hit.path, false)
  }
  if (implausible) findings.facts.at = implausible
}

// ── the values at the places of a fact, the best first ──────────────────────────────────────────────

export interface Findings {
  readonly context: PayloadContext
  readonly message: Located
  readonly hits: Hits
  readonly facts: FoundFacts
  readonly alarms: PayloadAlarm[]
}

/** Raises an alarm, once for each code and fact. */
export function alarm(
  { alarms }: Pick<Findings, 'alarms'>,
  code: PayloadAlarm['code'],
  fact?: string,
  path?: string,
  word?: string,
): void {
  if (alarms.some((each) => each.code === code && each.fact === fact)) return
  alarms.push({ code, ...(fact !== undefined && { fact }), ...(path !== undefined && { path }), ...(word && { word }) })
}

export function reading<T>(value: T, path: string, sure: boolean, how: How = 'guessed'): Reading<T> {
  return { value, path, how, sure }
}

interface Found<T> {
  readonly value: T
  readonly hit: Hit
}

/** Reads a fact at the best place with a readable value. */
function find<N extends TableName>(
  { hits, context }: Findings,
  table: N,
  counts?: (hit: Hit) => boolean,
): Found<ValueOf<N>> | undefined {
  for (const hit of hits[table]) {
    if (counts && !counts(hit)) continue
    const value = hit.place.form(hit.value, context.words)
    if (value !== undefined) return { value: value as ValueOf<N>, hit }
  }
  return undefined
}

/** Reads the members of a fact, each by its own table. `hit`: where the first one was found. */
function findMembers<F extends ComposedFact>(
  findings: Findings,
  fact: F,
  counts?: (hit: Hit) => boolean,
): { readonly value: Partial<FactValues[F]>; readonly hit: Hit | undefined } {
  const value: Record<string, unknown> = {}
  let best: Hit | undefined
  for (const [member, table] of MEMBERS[fact]) {
    const found = find(findings, table, counts)
    if (!found) continue
    value[member] = found.value
    best ??= found.hit
  }
  return { value: value as Partial<FactValues[F]>, hit: best }
}

const MEMBERS = Object.fromEntries(
  Object.entries(COMPOSED).map(([fact, members]) => [fact, members.map((member) => [member, `${fact}.${member}`])]),
) as Record<ComposedFact, [member: string, table: TableName][]>

/** Like `find`. Also raises alarms for another value at another place, and for unreadable values. */
function findAgreed<N extends TableName>(
  findings: Findings,
  table: N,
  hits = findings.hits[table],
): (Found<ValueOf<N>> & { readonly agreed: boolean }) | undefined {
  let chosen: Found<ValueOf<N>> | undefined
  let agreed = true
  for (const hit of hits) {
    if (chosen && isLastResort(hit)) break
    const value = hit.place.form(hit.value) as ValueOf<N> | undefined
    if (value === undefined) noteUnreadable(findings, table, hit)
    else if (chosen === undefined) chosen = { value, hit }
    else if (value !== chosen.value) {
      agreed = false
      alarm(findings, 'fact_conflict', table, hit.path)
    }
  }
  return chosen && { ...chosen, agreed }
}

function noteUnreadable(findings: Findings, fact: string, hit: Hit): void {
  // An object raises no alarm: another place of the table may be inside it.
  const value = hit.value
  if (typeof value === 'object') return
  if (fact.endsWith('Id') && lostDigits(value)) alarm(findings, 'unsafe_number', fact, hit.path)
  else if (!isLastResort(hit)) alarm(findings, 'fact_unreadable', fact, hit.path)
}

function isCertain({ place }: Hit): boolean {
  return place.rank === 'certain'
}

function isLastResort({ place }: Hit): boolean {
  return place.rank === 'lastResort'
}
