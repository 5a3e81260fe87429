import { alarm, type Evidence, firstOf, plainFact, reading } from './evidence.ts'
import type { Facts, Media, Reading } from './facts.ts'
import { hitsOf } from './gather.ts'
import { isEventName } from './likeness.ts'
import { wordsOf } from './names.ts'
import { readTapped } from './tapped.ts'
import { amountOf, mediaTypeOf, textOf, webAddressOf, wordOf } from './values.ts'

/** What a message says: its kind, and text, tap or media as far as they are there. */
export function readContent(evidence: Evidence): Pick<Facts, 'kind' | 'text' | 'tapped' | 'media'> {
  const named = plainFact(evidence, 'kind', kindOf)
  const tap = readTapped(evidence)
  const tapped = tap?.tapped
  const said = plainFact(evidence, 'text', textOf)
  // The title of what was tapped, shown once more, is nothing that the customer wrote.
  const text = said && said.how !== 'mapped' && said.value === tapped?.value.title ? undefined : said
  const media = readMedia(evidence, named?.value)
  const kind = named ?? inferKind(tap, media, text)
  if (kind && !KNOWN_KINDS.has(kind.value)) alarm(evidence, 'unknown_kind', 'kind', kind.path)
  return { ...(kind && { kind }), ...(text && { text }), ...(tapped && { tapped }), ...(media && { media }) }
}

const SAME_KIND = new Map([
  ['voice', 'audio'],
  ['ptt', 'audio'],
  ['file', 'document'],
  ['chat', 'text'],
  ['conversation', 'text'],
])

const MEDIA_KINDS = new Set(['image', 'audio', 'video', 'document', 'sticker'])

const KNOWN_KINDS = new Set([
  ...MEDIA_KINDS,
  ...wordsOf('text interactive button template location contacts reaction order system'),
])

/** A kind in lower case, under one name; neither an event's name nor a media type. */
export function kindOf(value: unknown): string | undefined {
  const word = wordOf(value)
  if (word === undefined || word.includes('/') || isEventName(word)) return undefined
  return SAME_KIND.get(word) ?? word
}

function inferKind(
  tap: ReturnType<typeof readTapped>,
  media: Facts['media'],
  text: Facts['text'],
): Reading<string> | undefined {
  if (tap) return reading(tap.kind, tap.tapped.path, false, 'inferred')
  if (media) return reading(media.value.kind, media.path, false, 'inferred')
  return text && reading('text', text.path, false, 'inferred')
}

function readMedia(evidence: Evidence, kind: string | undefined): Reading<Media> | undefined {
  const durationMs = readDuration(evidence)
  const url = firstOf(evidence, 'mediaUrl', webAddressOf)
  if (!url) return undefined
  const mime = firstOf(evidence, 'mediaMime', mediaTypeOf)?.value
  const filename = firstOf(evidence, 'mediaFilename', textOf)?.value
  const caption = firstOf(evidence, 'mediaCaption', textOf)?.value
  const media: Media = {
    kind: mediaKind(kind, url.hit.candidate.path, mime),
    url: url.value,
    ...(mime !== undefined && { mime }),
    ...(filename !== undefined && { filename }),
    ...(caption !== undefined && { caption }),
    ...(durationMs !== undefined && { durationMs }),
  }
  return reading(media, url.path, true)
}

// By the message's own word, else by the member that holds it, else by the media type.
function mediaKind(kind: string | undefined, path: string, mime: string | undefined): string {
  const holder = kindOf(path.slice(0, path.indexOf('.')))
  for (const each of [kind, holder, mime?.slice(0, mime.indexOf('/'))])
    if (each !== undefined && MEDIA_KINDS.has(each)) return each
  return 'document'
}

const MS_PER_SECOND = 1_000

function readDuration(evidence: Evidence): number | undefined {
  const milliseconds = firstOf(evidence, 'milliseconds', amountOf)?.value
  if (milliseconds !== undefined) return milliseconds
  const seconds = firstOf(evidence, 'seconds', amountOf)?.value
  if (seconds !== undefined) return Math.round(seconds * MS_PER_SECOND)
  // Seconds for one service, milliseconds for the next: not guessed.
  const unitless = hitsOf(evidence.hits, 'unitless')[0]
  if (unitless) alarm(evidence, 'fact_unreadable', 'media.durationMs', unitless.path)
  return undefined
}
