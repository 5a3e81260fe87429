import { PHONE_FORM } from '../../../service/endpoints.ts'

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

// Letters are never stripped: that would turn a hidden customer's id into a stranger's number.
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

/** Reads an id: a string unchanged, or an integer that kept all its digits. */
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

/** Reads a keyword such as a kind or a status: trimmed, in lower case. */
export function wordOf(value: unknown): string | undefined {
  return textOf(value)?.trim().toLowerCase()
}

const EVENT_NAME = /^[a-z][a-z\d_-]*(?:\.[a-z\d_-]+)+$/i

/** True for an event's name: a name with dots, such as `message.received`, is neither a kind nor a status. */
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
