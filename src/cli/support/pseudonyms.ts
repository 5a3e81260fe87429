import { createHmac } from 'node:crypto'
import { parseJson } from '../../base/value.ts'
import { holdsJsonText, mayBeData } from '../../payload/index.ts'
import { isHarmless, LONG_DIGITS } from '../../inspect/mask.ts'

/**
 * Returns a function that replaces what identifies somebody in a payload and keeps its shape. Under the same key the
 * same text always becomes the same pseudonym; without the key no pseudonym leads back.
 */
export function createPseudonyms(key: Uint8Array): (payload: unknown, event?: string) => unknown {
  return (payload, event) => {
    const name = event?.toLowerCase()
    const replace = (value: unknown, member: string): unknown => {
      const inText = holdsJsonText(member, value) ? parseJson(value) : undefined
      if (inText !== undefined) return JSON.stringify(replace(inText, member))
      // The event's name stays wherever it stands, since it says what the payload is.
      if (typeof value === 'string') return value.toLowerCase() === name ? value : replaceText(key, value, member)
      if (typeof value === 'number') return isHarmless(member, value) ? value : replaceNumber(key, value)
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map((one) => replace(one, member))
      const members = Object.entries(value).map(([each, one]) => [replaceName(key, each), replace(one, each)])
      return Object.fromEntries(members) as unknown
    }
    return replace(payload, '')
  }
}

/** A written phone number: digits with a plus, spaces, dots, dashes or brackets. */
const PHONE = /^\+?[\d\s().-]+$/
const ADDRESS =
  /^(https?:\/\/)[^/?#]*(.*?)(\.(?:jpe?g|png|webp|gif|pdf|mp[34]|ogg|opus|amr|aac|docx?|xlsx?|csv|txt))?([?#].*)?$/i
/** The prefix of an id names its kind (`wamid.`, `msg_`), that of a number or of a hidden customer how it is to be read. */
const PREFIX =
  /^(?:wamid\.|[a-z]{2,5}_(?=[0-7][0-9A-HJKMNP-TV-Z]{25}$)|(?:whatsapp|tel|sms):(?=\+?\d)|[A-Z]{2}\.ENT\.(?=[A-Za-z\d]+$))/
/** Behind a number, the domain that the upstream platform's own libraries write. */
const SUFFIX = /(?<=^\+?\d+)@(?:s\.whatsapp\.net|c\.us)$/
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const HEX = /^[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}$/

function replaceText(key: Uint8Array, text: string, name: string): string {
  if (isHarmless(name, text)) return text
  const phone = replaceWritten(key, text)
  if (phone !== undefined) return phone
  const address = ADDRESS.exec(text)
  if (address) {
    const [, scheme, path = '', kind = '', rest = ''] = address
    return `${scheme}media.example${replaceCharacters(key, path)}${kind}${replaceCharacters(key, rest)}`
  }
  const [prefix = ''] = PREFIX.exec(text) ?? []
  const [suffix = ''] = SUFFIX.exec(text) ?? []
  const bare = text.slice(prefix.length, text.length - suffix.length)
  return prefix + (replaceWritten(key, bare) ?? replaceCharacters(key, bare)) + suffix
}

/** Undefined for what is no written phone number. */
function replaceWritten(key: Uint8Array, text: string): string | undefined {
  const digits = text.replaceAll(/\D/g, '')
  return digits.length >= 6 && PHONE.test(text) ? putInto(text, replacePhone(key, digits)) : undefined
}

/** Puts digits into the places of a text's digits; the characters between them stay. */
function putInto(text: string, digits: string): string {
  let next = 0
  return text.replaceAll(/\d/g, () => digits[next++] ?? '0')
}

/** A member's name stays, unless it is data itself, as in a table by customer. */
const replaceName = (key: Uint8Array, name: string) => (mayBeData(name) ? replaceText(key, name, '') : name)

const replaceDigits = (key: Uint8Array, text: string) =>
  text.replaceAll(LONG_DIGITS, (digits) => replacePhone(key, digits))

const COUNTRY = 3
const LONG = 9

/**
 * A number of the same length and country. After the country code stand two zeros, which no real number has, so that a
 * fixture played against a real account reaches nobody.
 */
function replacePhone(key: Uint8Array, digits: string): string {
  const made = Array.from(bytesFor(key, `phone:${digits}`, digits.length), (byte) => byte % 10).join('')
  if (digits.length < LONG) return `${digits.startsWith('0') ? '0' : '1'}${made.slice(1)}`
  return `${digits.slice(0, COUNTRY)}00${made.slice(COUNTRY + 2)}`
}

/** Small numbers are counts and stay; a large one may be a phone number, and a fraction a place. */
function replaceNumber(key: Uint8Array, value: number): number {
  if (Number.isSafeInteger(value)) return Number(replaceDigits(key, String(value)))
  if (Number.isInteger(value)) return value < 0 ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
  const [whole = '0', fraction = '0'] = value.toFixed(6).split('.')
  return Number(`${replaceDigits(key, whole)}.${fraction.replaceAll(/\d/g, (digit) => (digit === '0' ? '0' : '5'))}`)
}

const DIGITS = '0123456789'
const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Replaces letters by letters and digits by digits; long runs of digits get the pseudonym of that phone number. */
function replaceCharacters(key: Uint8Array, text: string): string {
  if (ULID.test(text)) return text.slice(0, 1) + pick(bytesFor(key, text, 25), CROCKFORD)
  const letters = HEX.test(text) ? 'abcdef' : SMALL
  const phones = replaceDigits(key, text)
  const inRun = placesOfRuns(text)
  const bytes = bytesFor(key, text, text.length)
  let place = 0
  return Array.from(text, (character) => {
    const at = place
    place += character.length
    if (inRun.has(at)) return phones[at] ?? character
    return replaceCharacter(character, bytes[at] ?? 0, letters)
  }).join('')
}

function placesOfRuns(text: string): Set<number> {
  const places = new Set<number>()
  for (const run of text.matchAll(LONG_DIGITS)) for (let at = 0; at < run[0].length; at++) places.add(run.index + at)
  return places
}

function replaceCharacter(character: string, byte: number, letters: string): string {
  if (/\d/.test(character)) return DIGITS[byte % 10] ?? '0'
  if (/[a-z]/.test(character)) return letters[byte % letters.length] ?? 'x'
  if (/[A-Z]/.test(character)) return (letters[byte % letters.length] ?? 'x').toUpperCase()
  // Of other scripts and of pictures only the kind and the length stay.
  if (/\p{Lu}/u.test(character)) return 'É'
  if (/\p{Ll}/u.test(character)) return 'é'
  if (/[\p{L}\p{N}]/u.test(character)) return character.length === 1 ? 'あ' : '𠀀'
  if (/\p{M}/u.test(character)) return character.length === 1 ? '\u0301' : character
  return /\p{Extended_Pictographic}/u.test(character) && character.length > 1 ? '🙂' : character
}

function pick(bytes: Uint8Array, letters: string): string {
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
}

/** Pseudo-random bytes for a text, which nobody can compute without the key. */
function bytesFor(key: Uint8Array, text: string, length: number): Uint8Array {
  const blocks: Buffer[] = []
  for (let block = 0; block * 32 < length; block++)
    blocks.push(createHmac('sha256', key).update(`${block}:${text}`).digest())
  return Buffer.concat(blocks).subarray(0, length)
}
