import { isRecord } from '../../../base/value.ts'
import { contentOf, KNOWN_KINDS } from '../../../service/message-kinds.ts'
import { isUnderstood, type Location, type Media, type Reading, type Tapped } from './facts.ts'
import type { Hit } from './collect.ts'
import { alarm, find, type Findings, findMembers, reading } from './findings.ts'
import type { JsonObject } from './json.ts'
import { emojiOf, idOf, isUpstream, lostDigits, plainName, textOf } from './values.ts'
import { isMediaKind, kindOf } from './words.ts'

export function readContent(findings: Findings): void {
  const { facts } = findings
  const stated = find(findings, 'kind')
  const written = find(findings, 'text')
  const tap = readTap(findings, stated?.value, written?.value)
  // The customer did not write a text that repeats the title of the tapped option.
  if (written && written.value !== tap?.tapped.value.title) facts.text = reading(written.value, written.hit.path, true)
  if (tap) facts.tapped = tap.tapped
  const media = readMedia(findings, stated?.value)
  if (media) facts.media = media
  const location = readLocation(findings)
  if (location) facts.location = location
  // Some platforms call every kind `unknown`.
  const isNamed = stated && !(stated.value === UNKNOWN && isUnderstood(facts))
  const named = isNamed ? reading(stated.value, stated.hit.path, true) : undefined
  const kind = readChange(findings) ?? named ?? inferKind(findings, tap?.kind)
  if (kind) facts.kind = kind
}

// ── the kind ────────────────────────────────────────────────────────────────────────────────────────

const UNKNOWN = 'unknown'

/** An edit or a deletion often has its message's kind, so this counts before the kind. */
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

/** If the payload's word for the kind is unknown, the type of the file decides. */
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

/** True, with an alarm, for a message without known kind and content. */
export function isEmpty(findings: Findings): boolean {
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

/** Reads an object with an option's id, else an id alone, else the payload of a quick reply. */
function readTap(findings: Findings, kind: string | undefined, text: string | undefined): Tap | undefined {
  const { hits } = findings
  const rendered = isRendering(hits.interactive[0]?.value)
  const canBeTapped = ({ place: { path } }: Hit) => !rendered || !/^interactive(?:\.|$)/.test(path)
  for (const { place, path, value } of hits.option.filter(canBeTapped)) {
    if (!isRecord(value)) continue
    const id = optionIdOf(findings, memberOf(value, 'id'), path)
    const title = textOf(memberOf(value, 'title')) ?? textOf(memberOf(value, 'text'))
    // `interactive` itself is a tap only if its type says that it is a reply.
    const isReply = place.path !== 'interactive' || /reply$/i.test(textOf(memberOf(value, 'type')) ?? '')
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
  const lists = [memberOf(interactive, 'buttons'), memberOf(interactive, 'sections')]
  return lists.some((list) => Array.isArray(list) && list.length > 0)
}

/** The `reply` of a text or of media is what it quotes, unless it repeats the text, as a tapped title does. */
function isQuote(title: string | undefined, kind: string | undefined, text: string | undefined): boolean {
  const content = contentOf(kind)
  return (content === 'text' || content === 'media') && (title === undefined || title !== text)
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

// ── media, places, reactions ────────────────────────────────────────────────────────────────────────

function readMedia(findings: Findings, kind: string | undefined): Reading<Media> | undefined {
  const [duration] = findings.hits.duration
  if (!duration && findings.hits['media.url'].length === 0) return undefined
  const { value, first } = findMembers(findings, 'media')
  if (duration && value.durationMs === undefined) alarm(findings, 'fact_unreadable', 'media.durationMs', duration.path)
  const { url, mime } = value
  if (!first || url === undefined) return undefined
  // Infers the kind of a file from the message's own kind, else from the member with the address, else from the media
  // type.
  const { path } = first.place
  const holder = kindOf(path.slice(0, path.indexOf('.')))
  const own = [kind, holder, mime?.slice(0, mime.indexOf('/'))].find(isMediaKind) ?? 'document'
  return reading({ kind: own, url, ...value }, first.path, true)
}

function readLocation(findings: Findings): Reading<Location> | undefined {
  if (findings.hits['location.latitude'].length === 0) return undefined
  const { value, first } = findMembers(findings, 'location')
  const { latitude, longitude } = value
  if (!first || latitude === undefined || longitude === undefined) return undefined
  return reading({ latitude, longitude, ...value }, first.path, true)
}

export function readReaction(findings: Findings): void {
  const { facts, hits } = findings
  if (facts.kind?.value !== 'reaction' || facts.reaction) return
  const { value } = findMembers(findings, 'reaction')
  const emoji = value.emoji ?? emojiOf(facts.text?.value)
  const to = find(findings, 'reaction.to')?.hit
  const path = hits['reaction.emoji'][0]?.path ?? to?.path ?? facts.kind.path
  facts.reaction = reading({ ...(emoji !== undefined && { emoji }), ...value }, path, true)
}
