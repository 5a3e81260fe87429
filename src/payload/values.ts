import { PHONE_FORM } from '../contract/phones.ts'

/** The digits of a phone number, 6 to 15 of them; `undefined` for everything that holds anything else. */
export function phoneOf(value: unknown): string | undefined {
  const bare = typeof value === 'string' ? undress(value) : idOf(value)
  return bare !== undefined && PHONE_FORM.test(bare) ? bare : undefined
}

const LONGEST_DRESSED = 64
const PLAIN = /^\d+$/
const PREFIX = 'whatsapp:'
const SUFFIXES = ['@s.whatsapp.net', '@c.us']
const SPACING = /[ ()-]/g

// Nothing else comes off: letters that were stripped would turn a hidden customer's id into a stranger's number.
function undress(value: string): string {
  if (PLAIN.test(value) || value.length > LONGEST_DRESSED) return value
  let bare = value.trim()
  if (bare.startsWith(PREFIX)) bare = bare.slice(PREFIX.length)
  for (const suffix of SUFFIXES) if (bare.endsWith(suffix)) bare = bare.slice(0, -suffix.length)
  bare = bare.replaceAll(SPACING, '')
  return bare.startsWith('+') ? bare.slice(1) : bare
}

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** The id behind which the upstream platform hides a customer's number, such as `TZ.13491208655302741918`. */
export function userIdOf(value: unknown): string | undefined {
  return typeof value === 'string' && USER_ID.test(value) ? value : undefined
}

const LONGEST_ID = 512

/** An id: a string as it stands, or an integer that kept all its digits. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' && value.length <= LONGEST_ID ? textOf(value) : undefined
}

/** Whether a number lost digits on the way: then it is no id. */
export function lostDigits(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

const UPSTREAM = 'wamid.'

/** Whether an id is the upstream platform's by its form, wherever it stands. */
export function isUpstream(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(UPSTREAM)
}

/** A text that says something, exactly as it stands. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A word of a list of words, such as a kind or a status: trimmed, in lower case. */
export function wordOf(value: unknown): string | undefined {
  return textOf(value)?.trim().toLowerCase()
}

const WEB_ADDRESS = /^https?:\/\/\S/i

export function webAddressOf(value: unknown): string | undefined {
  return typeof value === 'string' && WEB_ADDRESS.test(value) ? value : undefined
}

/** A media type; told from a kind of message by its slash. */
export function mediaTypeOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.includes('/') ? value : undefined
}

const AMOUNT = /^\d{1,15}(?:\.\d{1,15})?$/

/** A count that is not negative, as a number or in digits. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'string') return AMOUNT.test(value) ? Number(value) : undefined
  return typeof value === 'number' && value >= 0 ? value : undefined
}
