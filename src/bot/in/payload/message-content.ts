import { isRecord } from '../../../base/value.ts'
import { contentOf, INBOUND_KINDS, INBOUND_MEDIA_KINDS } from '../../../service/message-kinds.ts'
import type { Candidate } from './collect.ts'
import type { Media, Reading, Tapped, Words } from './facts.ts'
import type { JsonObject } from './json.ts'
import { alarm, type Findings, readFirst, reading, readSure } from './readings.ts'
import {
  amountOf,
  idOf,
  isEventName,
  isUpstream,
  lostDigits,
  mediaTypeOf,
  plainName,
  textOf,
  webAddressOf,
  wordOf,
  wordsOf,
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
  const kind = stated ?? inferKind(tap, media, text)
  if (kind) facts.kind = kind
  if (text) facts.text = text
  if (tapped) facts.tapped = tapped
  if (media) facts.media = media
}

export const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['voice', 'audio'],
  ['ptt', 'audio'],
  ['file', 'document'],
  ['chat', 'text'],
  ['conversation', 'text'],
])

const MEDIA_KINDS: ReadonlySet<string> = new Set([...INBOUND_MEDIA_KINDS, 'sticker'])

export const KNOWN_KINDS: ReadonlySet<string> = new Set([
  ...Object.keys(INBOUND_KINDS),
  ...wordsOf('sticker template location contacts reaction order system'),
])

export function isMediaKind(kind: string): boolean {
  return MEDIA_KINDS.has(kind)
}

/** The file's type decides if the payload's word for the kind is unknown. */
export function settleKind(findings: Findings): void {
  const { kind, media } = findings.facts
  const meant = findings.context.words?.kinds.values() ?? []
  if (!kind || KNOWN_KINDS.has(kind.value) || [...meant].includes(kind.value)) return
  const type = media?.value.mime?.split('/')[0]?.toLowerCase()
  if (media && type !== undefined && ['image', 'audio', 'video'].includes(type)) {
    findings.facts.kind = { ...kind, value: type }
    findings.facts.media = { ...media, value: { ...media.value, kind: type } }
  } else alarm(findings, 'unknown_kind', 'kind', kind.path, kind.value)
}

/** Reads a kind: in lower case, with one name for each kind. Refuses an event's name and a media type. */
export function kindOf(value: unknown, words?: Words): string | undefined {
  const word = wordOf(typeof value === 'number' ? String(value) : value)
  const meant = word === undefined ? undefined : words?.kinds.get(word)
  if (meant !== undefined) return meant
  if (word === undefined || typeof value === 'number' || word.includes('/') || isEventName(word)) return undefined
  return SYNONYMS.get(word) ?? word
}

function inferKind(
  tap: Tap | undefined,
  media: Reading<Media> | undefined,
  text: Reading<string> | undefined,
): Reading<string> | undefined {
  if (tap) return reading(tap.kind, tap.tapped.path, false, 'inferred')
  if (media) return reading(media.value.kind, media.path, false, 'inferred')
  return text && reading('text', text.path, false, 'inferred')
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
