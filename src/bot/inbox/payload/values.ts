import { isRecord } from '../../../base/value.ts'
import { STATUSES } from '../../../service/delivery.ts'
import { PHONE_FORM } from '../../../service/endpoints.ts'
import { INBOUND_MEDIA_KINDS, type InboundKind, KNOWN_KINDS, type SignalKind } from '../../../service/message-kinds.ts'
import type { Words } from './facts.ts'

/** Reads a phone number as its 6 to 15 digits; undefined for any other value. */
export function phoneOf(value: unknown): string | undefined {
  if (typeof value === 'string' && PHONE_FORM.test(value)) return value
  const digits = typeof value === 'string' ? withoutFormatting(value) : idOf(value)
  return digits !== undefined && PHONE_FORM.test(digits) ? digits : undefined
}

const MAX_FORMATTED_LENGTH = 64
const DIGITS = /^\d+$/
const PREFIX = 'whatsapp:'
const SUFFIXES = ['@s.whatsapp.net', '@c.us']
const PUNCTUATION = /[ ()-]/g

// Letters stay: without them a hidden user id, such as `US.1349…`, would become a stranger's number.
function withoutFormatting(value: string): string {
  if (DIGITS.test(value) || value.length > MAX_FORMATTED_LENGTH) return value
  let bare = value.trim()
  if (bare.startsWith(PREFIX)) bare = bare.slice(PREFIX.length)
  for (const suffix of SUFFIXES) if (bare.endsWith(suffix)) bare = bare.slice(0, -suffix.length)
  bare = bare.replaceAll(PUNCTUATION, '')
  return bare.startsWith('+') ? bare.slice(1) : bare
}

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** Reads the id with which the upstream platform hides a customer's number, such as `TZ.13491208655302741918`. */
export function userIdOf(value: unknown): string | undefined {
  return typeof value === 'string' && USER_ID.test(value) ? value : undefined
}

const MAX_ID_LENGTH = 512

/** Reads an id: a string, or an integer that kept all its digits. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' && value.length <= MAX_ID_LENGTH ? textOf(value) : undefined
}

/** True if a number lost digits when it was parsed. Such a number cannot be an id. */
export function lostDigits(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

const UPSTREAM = 'wamid.'

export function isUpstream(value: unknown): boolean {
  return typeof value === 'string' && value[0] === UPSTREAM[0] && value.startsWith(UPSTREAM)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /\S/.test(value) ? value : undefined
}

/** Reads a kind, a status or another keyword, in lower case. */
function wordOf(value: unknown): string | undefined {
  return textOf(value)?.trim().toLowerCase()
}

const LONGEST_NAME = 200

export function nameOf(value: unknown): string | undefined {
  return textOf(value)?.trim().slice(0, LONGEST_NAME)
}

const LONGEST_EMOJI = 64

export function emojiOf(value: unknown): string | undefined {
  const text = textOf(value)?.trim()
  return text !== undefined && text.length <= LONGEST_EMOJI ? text : undefined
}

const EVENT_NAME = /^[a-z][a-z\d_-]*(?:\.[a-z\d_-]+)+$/i

/** A name with dots, such as `message.received`, is an event's and no kind or status. */
export function isEventName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 100 && EVENT_NAME.test(value)
}

const WEB_ADDRESS = /^https?:\/\/\S/i

export function webAddressOf(value: unknown): string | undefined {
  return typeof value === 'string' && WEB_ADDRESS.test(value) ? value : undefined
}

/** Reads a media type. Its slash distinguishes it from a kind of message. */
export function mediaTypeOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.includes('/') ? value : undefined
}

const AMOUNT = /^\d{1,15}(?:\.\d{1,15})?$/

export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'string') return AMOUNT.test(value) ? Number(value) : undefined
  return typeof value === 'number' && value >= 0 ? value : undefined
}

/** Reads an amount of seconds, in milliseconds. */
export function secondsOf(value: unknown): number | undefined {
  const seconds = amountOf(value)
  return seconds === undefined ? undefined : Math.round(seconds * 1_000)
}

const DEGREES = /^[-+]?\d{1,3}(?:\.\d{1,20})?$/

export const latitudeOf = (value: unknown) => degreesOf(value, 90)
export const longitudeOf = (value: unknown) => degreesOf(value, 180)

function degreesOf(value: unknown, most: number): number | undefined {
  const number = typeof value === 'string' && DEGREES.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Math.abs(number) <= most ? number : undefined
}

/** Reads yes or no: a boolean, or a word or a number for one. */
function yesOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'number' ? String(value) : wordOf(value)
  if (word === 'true' || word === 'yes' || word === '1') return true
  return word === 'false' || word === 'no' || word === '0' ? false : undefined
}

// ── times ───────────────────────────────────────────────────────────────────────────────────────────

export interface Moment {
  readonly ms: number
  /** True if the text named a zone. Without one, UTC is assumed. */
  readonly zoned: boolean
}

/** Reads ISO 8601, and seconds, milliseconds or microseconds by magnitude; no incomplete or impossible date. */
export function momentOf(value: unknown): Moment | undefined {
  if (typeof value === 'number') return sinceEpoch(value)
  if (typeof value === 'string') return EPOCH.test(value) ? sinceEpoch(Number(value)) : fromIso(value)
  return value instanceof Date && !Number.isNaN(value.getTime()) ? { ms: value.getTime(), zoned: true } : undefined
}

/** True if a payload can have this time: not before 2020, and at most a day ahead. */
export function isPlausible(ms: number, now: number): boolean {
  return ms >= EARLIEST && ms <= now + DAY
}

const EARLIEST = Date.UTC(2020)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const EPOCH = /^\d{1,17}(?:\.\d{1,9})?$/

const BELOW_IS_SECONDS = 1e11
const BELOW_IS_MILLISECONDS = 1e14
const BELOW_IS_MICROSECONDS = 1e17

function sinceEpoch(count: number): Moment | undefined {
  if (!(count >= 0 && count < BELOW_IS_MICROSECONDS)) return undefined
  if (count < BELOW_IS_SECONDS) return { ms: Math.floor(count * 1000), zoned: true }
  return { ms: Math.floor(count < BELOW_IS_MILLISECONDS ? count : count / 1000), zoned: true }
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?([Zz]|UTC|GMT|([+-])(\d\d):?(\d\d)?)?$/
const MAX_ISO_LENGTH = 40

// Not `Date.parse`: it assumes local time without a zone, and reads 30 February as 2 March.
function fromIso(text: string): Moment | undefined {
  const parts = text.length > MAX_ISO_LENGTH ? null : ISO.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone, sign, offsetHours, offsetMinutes] = parts
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isOfCalendar = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!isOfCalendar || Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined
  if (Number(offsetHours ?? 0) > 23 || Number(offsetMinutes ?? 0) > 59) return undefined
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  const utc = date.getTime() + (Number(hour) * 60 + Number(minute)) * MINUTE + Number(second ?? 0) * 1000 + milliseconds
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * MINUTE
  return { ms: sign === '-' ? utc + offset : utc - offset, zoned: zone !== undefined }
}

// ── words: what payloads call a kind, a status, an edit, and a message of the number itself ─────────

const OTHER_WORDS: Partial<Record<InboundKind | SignalKind, string>> = {
  audio: 'voice ptt',
  document: 'file',
  text: 'chat conversation extendedtext',
  location: 'live_location livelocation venue',
  contacts: 'contact contact_card contactsarray vcard multi_vcard',
  reaction: 'reacted react reactions emoji_reaction unreact unreaction reaction_removed',
  edited: 'edit edits edited_text protocol_edit message_edit',
  deleted: 'delete deletion deletes revoke revoked unsend unsent removed recall recalled',
  call: 'calls call_log missed_call voice_call video_call',
  system: `notification notification_template e2e_notification system_notification system_event gp2 protocol
    request_welcome number_changed user_changed_number`,
  unknown: 'unsupported not_supported unsupported_type ciphertext',
}

export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_WORDS).flatMap(([kind, words]) => wordsOf(words).map((word) => [word, kind] as const)),
)

/** Matches what surrounds the kind in `reactionMessage` and `message_deleted`. */
const AROUND = /^(?:message|msg)[_-]|[_-]?(?:message|msg)$/g

/** Reads a kind, and gives its synonyms one name. Undefined for an event's name and a media type. */
export function kindOf(value: unknown, words?: Words): string | undefined {
  const word = wordOf(typeof value === 'number' ? String(value) : value)
  const meant = word === undefined ? undefined : words?.kinds.get(word)
  if (meant !== undefined) return meant
  if (word === undefined || typeof value === 'number' || word.includes('/') || isEventName(word)) return undefined
  const bare = String(word).replaceAll(AROUND, '')
  return SYNONYMS.get(word) ?? SYNONYMS.get(bare) ?? (KNOWN_KINDS.has(bare) ? bare : word)
}

const MEDIA_KINDS: ReadonlySet<string> = new Set([...INBOUND_MEDIA_KINDS, 'sticker'])

export function isMediaKind(kind: string | undefined): kind is string {
  return kind !== undefined && MEDIA_KINDS.has(kind)
}

/** Reads a flag such as `edited: true`, because the kind in the payload may be that of the original message. */
export function flagOf<K extends 'edited' | 'deleted'>(kind: K): (value: unknown) => K | undefined {
  return (value) => {
    const isSet = isRecord(value) || (yesOf(value) ?? (Number(value) !== 0 && momentOf(value) !== undefined))
    return isSet ? kind : undefined
  }
}

export function changeOf(value: unknown): 'edited' | 'deleted' | undefined {
  const kind = kindOf(value)
  return kind === 'edited' || kind === 'deleted' ? kind : undefined
}

const STATUS_WORDS: ReadonlySet<string> = new Set(STATUSES)

export function isKnownStatus(status: string): boolean {
  return STATUS_WORDS.has(status)
}

/** Leaves a number unchanged, because services disagree on its meaning. */
export function statusOf(value: unknown, words?: Words): string | undefined {
  const word = typeof value === 'number' ? idOf(value) : wordOf(value)
  return word === undefined ? undefined : (words?.statuses.get(word) ?? word)
}

export function knownStatusOf(value: unknown, words?: Words): string | undefined {
  const status = statusOf(value, words)
  return status !== undefined && isKnownStatus(status) ? status : undefined
}

export function templateStatusOf(value: unknown): string | undefined {
  return isEventName(value) ? undefined : wordOf(value)
}

const DIRECTION = /^\s*(?:(out)|in)(?:$|[^a-z]|bound|coming|going)/i
/** Words for the number's own side. Not `human`, which may be the customer. */
const OURS = /^\s*(?:business|business_app|agent|ai_agent|operator|dashboard|echo)\s*$/i

/** True if the value says that the number itself wrote the message; undefined if it says nothing. */
export function echoOf(value: unknown): boolean | undefined {
  const direction = typeof value === 'string' ? DIRECTION.exec(value) : null
  if (direction) return direction[1] !== undefined
  return typeof value === 'string' && OURS.test(value) ? true : yesOf(value)
}

// ── names of members ────────────────────────────────────────────────────────────────────────────────

// No member that `fact-places.ts` names is longer.
const MAX_NAME_LENGTH = 48
const NOT_PLAIN = /[A-Z -]/
const WORD_BOUNDARY = /(?<=[a-z\d])(?=[A-Z])|[- ]/g

/** Normalises a member's name: `phoneNumberId`, `phone-number-id` and `PHONE_NUMBER_ID` become `phone_number_id`. */
export function plainName(key: string): string {
  if (key.length > MAX_NAME_LENGTH) return key
  const known = plainNames.get(key)
  if (known !== undefined) return known
  const plain = NOT_PLAIN.test(key) ? key.replaceAll(WORD_BOUNDARY, '_').toLowerCase() : key
  if (plainNames.size >= MOST_REMEMBERED) plainNames.clear()
  plainNames.set(key, plain)
  return plain
}

const plainNames = new Map<string, string>()
const MOST_REMEMBERED = 2_048

/** Splits a list that is written as one text. */
export function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
