import { isRecord } from '../../../base/value.ts'
import { contentOf, INBOUND_MEDIA_KINDS, KNOWN_KINDS, type SignalKind } from '../../../service/message-kinds.ts'
import type { Candidate } from './collect.ts'
import type { Location, Media, Reading, Tapped, Words } from './facts.ts'
import type { JsonObject } from './json.ts'
import { alarm, type Findings, readFirst, reading, readSure } from './readings.ts'
import {
  amountOf,
  degreesOf,
  idOf,
  isEventName,
  isUpstream,
  lostDigits,
  mediaTypeOf,
  momentOf,
  plainName,
  textOf,
  webAddressOf,
  wordOf,
  wordsOf,
  yesOf,
} from './values.ts'

export function readContent(findings: Findings): void {
  const { facts, hits } = findings
  const { words } = findings.context
  const stated = readSure(findings, hits.kind, (value) => kindOf(value, words))
  const found = readSure(findings, hits.text, textOf)
  const tap = readTap(findings, { kind: stated?.value, text: found?.value })
  const tapped = tap?.tapped
  // The customer did not write a text that repeats the title of the tapped option.
  const text = found && found.how !== 'mapped' && found.value === tapped?.value.title ? undefined : found
  const media = readMedia(findings, stated?.value)
  const location = readLocation(findings)
  if (text) facts.text = text
  if (tapped) facts.tapped = tapped
  if (media) facts.media = media
  if (location) facts.location = location
  // Some platforms call everything `unknown`.
  const named = stated?.value === UNKNOWN && (text ?? tapped ?? media ?? location) ? undefined : stated
  const kind = changeOf(findings) ?? named ?? inferKind(findings, tap?.kind)
  if (kind) facts.kind = kind
}

const UNKNOWN = 'unknown'

export const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['voice', 'audio'],
  ['ptt', 'audio'],
  ['file', 'document'],
  ['chat', 'text'],
  ['conversation', 'text'],
  ['extendedtext', 'text'],
  ['live_location', 'location'],
  ['livelocation', 'location'],
  ['venue', 'location'],
  ...synonyms('contacts', 'contact contact_card contactsarray vcard multi_vcard'),
  ...synonyms('reaction', 'reacted react reactions emoji_reaction unreact unreaction reaction_removed'),
  ...synonyms('edited', 'edit edits edited_text protocol_edit message_edit'),
  ...synonyms('deleted', 'delete deletion deletes revoke revoked unsend unsent removed recall recalled'),
  ...synonyms('call', 'calls call_log missed_call voice_call video_call'),
  ...synonyms(
    'system',
    'notification notification_template e2e_notification system_notification system_event gp2 protocol request_welcome number_changed user_changed_number',
  ),
  ...synonyms('unknown', 'unsupported not_supported unsupported_type ciphertext'),
])

function synonyms(kind: string, words: string): (readonly [string, string])[] {
  return wordsOf(words).map((word) => [word, kind] as const)
}

/** `reactionMessage`, `message_deleted`. */
const AROUND = /^(?:message|msg)[_-]|[_-]?(?:message|msg)$/g

const MEDIA_KINDS: ReadonlySet<string> = new Set([...INBOUND_MEDIA_KINDS, 'sticker'])

export function isMediaKind(kind: string): boolean {
  return MEDIA_KINDS.has(kind)
}

/** The file's type decides if the payload's word for the kind is unknown. */
export function settleKind(findings: Findings): void {
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

/** True for a message of an unknown kind, or of none, in which nothing was understood. Raises an alarm. */
export function isEmpty(findings: Findings): boolean {
  const { kind, text, tapped, media, location } = findings.facts
  if ((text ?? tapped ?? media ?? location) || (kind && isKnown(findings, kind.value))) return false
  alarm(findings, 'content_missing', 'kind', kind?.path, kind?.value ?? 'none')
  return true
}

/** Reads a kind: in lower case, with one name for each kind. Refuses an event's name and a media type. */
export function kindOf(value: unknown, words?: Words): string | undefined {
  const word = wordOf(typeof value === 'number' ? String(value) : value)
  const meant = word === undefined ? undefined : words?.kinds.get(word)
  if (meant !== undefined) return meant
  if (word === undefined || typeof value === 'number' || word.includes('/') || isEventName(word)) return undefined
  const bare = String(word).replaceAll(AROUND, '')
  return SYNONYMS.get(word) ?? SYNONYMS.get(bare) ?? (KNOWN_KINDS.has(bare) ? bare : word)
}

/** By the content that was found. `tap`: how it was tapped. */
export function inferKind({ facts, hits }: Findings, tap = 'interactive'): Reading<string> | undefined {
  const inside = (path: string) => [...hits.reaction, ...hits.reactionTo].some((hit) => hit.path.startsWith(`${path}.`))
  const reaction = hits.reaction.find(({ value, path }) => isRecord(value) && inside(path))
  const { location, tapped, media, text } = facts
  const found = [
    ['reaction', reaction],
    ['location', location],
    [tap, tapped],
    [media?.value.kind ?? '', media],
    ['text', text],
  ] as const
  const [kind, by] = found.find(([, content]) => content !== undefined) ?? []
  return kind !== undefined && by ? reading(kind, by.path, false, 'inferred') : undefined
}

// ── taps ────────────────────────────────────────────────────────────────────────────────────────────

const INTERACTIVE = 'interactive'

interface Tap {
  readonly tapped: Reading<Tapped>
  readonly kind: string
}

interface Written {
  readonly kind: string | undefined
  readonly text: string | undefined
}

function readTap(findings: Findings, written: Written): Tap | undefined {
  const rendered = isRendering(findings)
  const option = readOptionObject(findings, rendered, written) ?? readFlatOption(findings)
  if (option) return { tapped: option, kind: 'interactive' }
  const quickReply = readQuickReply(findings, rendered)
  return quickReply && { tapped: quickReply, kind: 'button' }
}

// With buttons or sections, `interactive` describes an outbound message, and nobody tapped it.
function isRendering(findings: Findings): boolean {
  const hit = findings.hits.interactive[0]
  const value = hit?.value
  if (!isRecord(value)) return false
  return ['buttons', 'sections'].some((name) => {
    const list = memberOf(value, name)
    return Array.isArray(list) && list.length > 0
  })
}

function readOptionObject(findings: Findings, rendered: boolean, written: Written): Reading<Tapped> | undefined {
  for (const hit of findings.hits.option) {
    const { candidate, path, value } = hit
    if (!isRecord(value) || (rendered && isInteractive(candidate))) continue
    const id = optionIdOf(findings, memberOf(value, 'id'), path)
    // `interactive` itself is a tap only if its type says that it is a reply.
    const isFlat = candidate.path === INTERACTIVE
    if (id === undefined || (isFlat && !textOf(memberOf(value, 'type'))?.toLowerCase().endsWith('reply'))) continue
    const title = textOf(memberOf(value, 'title')) ?? textOf(memberOf(value, 'text'))
    if (candidate.path === 'reply' && isQuote(title, written)) continue
    return reading({ id, title }, path, true)
  }
  return undefined
}

/** The `reply` of a text or of media is what it quotes, unless it repeats the text, as a tapped title does. */
function isQuote(title: string | undefined, { kind, text }: Written): boolean {
  const content = contentOf(kind)
  return (content === 'text' || content === 'media') && (title === undefined || title !== text)
}

function readFlatOption(findings: Findings): Reading<Tapped> | undefined {
  const { optionId, optionTitle } = findings.hits
  for (const hit of optionId) {
    const id = optionIdOf(findings, hit.value, hit.path)
    if (id !== undefined) return reading({ id, title: readFirst(findings, optionTitle, textOf)?.value }, hit.path, true)
  }
  return undefined
}

function readQuickReply(findings: Findings, rendered: boolean): Reading<Tapped> | undefined {
  const { quickReply, quickReplyTitle } = findings.hits
  for (const hit of quickReply) {
    const id = textOf(hit.value)
    if (id === undefined || (rendered && isInteractive(hit.candidate))) continue
    return reading({ id, title: readFirst(findings, quickReplyTitle, textOf)?.value }, hit.path, true)
  }
  return undefined
}

function isInteractive({ path }: Candidate): boolean {
  return path === INTERACTIVE || path.startsWith(`${INTERACTIVE}.`)
}

// A `reply` object with a message's id quotes that message.
function optionIdOf(findings: Findings, value: unknown, path: string): string | undefined {
  if (lostDigits(value)) alarm(findings, 'unsafe_number', 'tapped', path)
  return isUpstream(value) ? undefined : idOf(value)
}

function memberOf(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const key = Object.keys(object).find((each) => plainName(each) === name)
  return key === undefined ? undefined : object[key]
}

// ── what nobody wrote ───────────────────────────────────────────────────────────────────────────────

const CHANGES: ReadonlySet<string | undefined> = new Set<SignalKind>(['edited', 'deleted'])

/** An edit or a deletion often has the kind of its message, and a mark: `edited: true`, `deleted_at`, `action: 'edit'`. */
export function changeOf({ hits }: Findings): Reading<string> | undefined {
  for (const role of ['deleted', 'edited'] as const)
    for (const { candidate, value, path } of hits[role]) {
      const isWord = WORDS_OF_CHANGES.has(candidate.path)
      const kind = isWord ? kindOf(value) : isMarked(value) ? role : undefined
      if (CHANGES.has(kind)) return reading(kind as string, path, true, 'inferred')
    }
  return undefined
}

const WORDS_OF_CHANGES: ReadonlySet<string> = new Set(['action', 'subtype', 'sub_type'])

function isMarked(value: unknown): boolean {
  if (isRecord(value)) return true
  return yesOf(value) ?? (Number(value) !== 0 && momentOf(value) !== undefined)
}

export function readReaction(findings: Findings): void {
  const { facts, hits } = findings
  if (facts.kind?.value !== 'reaction' || facts.reaction) return
  const emoji = readFirst(findings, hits.reaction, emojiOf)?.value ?? emojiOf(facts.text?.value)
  const to = readFirst(findings, hits.reactionTo, idOf)
  const value = { ...(emoji !== undefined && { emoji }), ...(to && { to: to.value }) }
  facts.reaction = reading(value, hits.reaction[0]?.path ?? to?.hit.path ?? facts.kind.path, true)
}

const LONGEST_EMOJI = 64

function emojiOf(value: unknown): string | undefined {
  const text = textOf(value)?.trim()
  return text !== undefined && text.length <= LONGEST_EMOJI ? text : undefined
}

function readLocation(findings: Findings): Reading<Location> | undefined {
  const { hits } = findings
  const latitude = readFirst(findings, hits.latitude, (value) => degreesOf(value, 90))
  const longitude = readFirst(findings, hits.longitude, (value) => degreesOf(value, 180))
  if (!latitude || !longitude) return undefined
  const name = readFirst(findings, hits.placeName, textOf)?.value
  const address = readFirst(findings, hits.placeAddress, textOf)?.value
  const value = {
    latitude: latitude.value,
    longitude: longitude.value,
    ...(name !== undefined && { name }),
    ...(address !== undefined && { address }),
  }
  return reading(value, latitude.hit.path, true)
}

// ── media ───────────────────────────────────────────────────────────────────────────────────────────

function readMedia(findings: Findings, kind: string | undefined): Reading<Media> | undefined {
  const durationMs = readDuration(findings)
  const { mediaUrl, mediaMime, mediaFilename, mediaCaption } = findings.hits
  const url = readFirst(findings, mediaUrl, webAddressOf)
  if (!url) return undefined
  const mime = readFirst(findings, mediaMime, mediaTypeOf)?.value
  const filename = readFirst(findings, mediaFilename, textOf)?.value
  const caption = readFirst(findings, mediaCaption, textOf)?.value
  const media: Media = {
    kind: mediaKind(kind, url.hit.candidate.path, mime),
    url: url.value,
    ...(mime !== undefined && { mime }),
    ...(filename !== undefined && { filename }),
    ...(caption !== undefined && { caption }),
    ...(durationMs !== undefined && { durationMs }),
  }
  return reading(media, url.hit.path, true)
}

// From the message's own kind, else from the member with the address, else from the media type.
function mediaKind(kind: string | undefined, path: string, mime: string | undefined): string {
  const holder = kindOf(path.slice(0, path.indexOf('.')))
  for (const each of [kind, holder, mime?.slice(0, mime.indexOf('/'))])
    if (each !== undefined && MEDIA_KINDS.has(each)) return each
  return 'document'
}

const MS_PER_SECOND = 1_000

function readDuration(findings: Findings): number | undefined {
  const milliseconds = readFirst(findings, findings.hits.milliseconds, amountOf)?.value
  if (milliseconds !== undefined) return milliseconds
  const seconds = readFirst(findings, findings.hits.seconds, amountOf)?.value
  if (seconds !== undefined) return Math.round(seconds * MS_PER_SECOND)
  // A bare `duration` is in seconds for one service and in milliseconds for another, so it is not guessed.
  const unitless = findings.hits.unitless[0]
  if (unitless) alarm(findings, 'fact_unreadable', 'media.durationMs', unitless.path)
  return undefined
}
