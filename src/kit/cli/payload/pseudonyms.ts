import { createHmac, randomBytes } from 'node:crypto'
import { mayBeData } from '../../../bot/inbox/payload/shape.ts'
import { isHarmless, LONG_DIGITS } from '../../../view/mask.ts'
import type { Reader } from '../../../store/store.ts'

/** Derived from a secret of the database, so that each export has the same pseudonyms. */
export async function pseudonymKey(reader: Reader): Promise<Uint8Array> {
  return createHmac('sha256', (await reader.knownSecret('taps')) ?? randomBytes(32))
    .update('payload export')
    .digest()
}

/** Returns a function that replaces everything that identifies somebody in a payload. The payload's shape stays. */
export function createPseudonyms(key: Uint8Array): (payload: unknown, event?: string) => unknown {
  return (payload, event) => {
    const name = event?.toLowerCase()
    const replace = (value: unknown, member: string): unknown => {
      // A text that is the event's name stays.
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

/** The beginning of an id, a phone number or an address. It stays, except for the host of an address. */
const PREFIX =
  /^(?:https?:\/\/[^/?#]*|wamid\.|(?:whatsapp|tel|sms):(?=\+?\d)|[A-Z]{2}\.ENT\.|(?:[a-z]{2,5}_)?[0-7](?=[0-9A-HJKMNP-TV-Z]{25}$))/
/** A file's or platform's ending, which stays; or a phone number with its separators; or any other character. */
const PIECE =
  /(\.(?:jpe?g|png|webp|gif|pdf|mp[34]|ogg|opus|amr|aac|docx?|xlsx?|csv|txt)(?=$|[?#])|@(?:s\.whatsapp\.net|c\.us)$)|(\d[\d\s().-]{4,}\d)|[^]/giu
const HEX = /^[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}$/

function replaceText(key: Uint8Array, text: string, name: string): string {
  if (isHarmless(name, text)) return text
  const [prefix = ''] = PREFIX.exec(text) ?? []
  const rest = text.slice(prefix.length)
  const bytes = bytesFor(key, rest, rest.length)
  const small = HEX.test(rest) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz'
  const made = rest.replaceAll(PIECE, (piece, kept?: string, number?: string, at = 0) => {
    if (kept !== undefined) return kept
    return number === undefined ? replaceCharacter(piece, bytes[at] ?? 0, small) : replaceWritten(key, number)
  })
  return prefix.replace(/(?<=:\/\/).*/, 'media.example') + made
}

function replaceWritten(key: Uint8Array, number: string): string {
  const digits = replacePhone(key, number.replaceAll(/\D/g, ''))
  let next = 0
  return number.replaceAll(/\d/g, () => digits[next++] ?? '0')
}

/** A member's name may be data, such as a phone number in an object that has a member for each customer. */
const replaceName = (key: Uint8Array, name: string) => (mayBeData(name) ? replaceText(key, name, '') : name)

const COUNTRY = 3
const LONG = 9

/**
 * A made-up phone number of the same length. If it has nine digits or more, it keeps the first three, and two zeros
 * follow. No real number has them there, so a fixture that is played against a real account reaches nobody.
 */
function replacePhone(key: Uint8Array, digits: string): string {
  const made = Array.from(bytesFor(key, `phone:${digits}`, digits.length), (byte) => byte % 10).join('')
  if (digits.length < LONG) return `${digits.startsWith('0') ? '0' : '1'}${made.slice(1)}`
  return `${digits.slice(0, COUNTRY)}00${made.slice(COUNTRY + 2)}`
}

/** A small number is a count, and stays. A large one may be a phone number. A fraction may be part of a location. */
function replaceNumber(key: Uint8Array, value: number): number {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return Math.sign(value) * Number.MAX_SAFE_INTEGER
  const [whole = '0', fraction = ''] = (Number.isInteger(value) ? String(value) : value.toFixed(6)).split('.')
  const replaced = whole.replaceAll(LONG_DIGITS, (digits) => replacePhone(key, digits))
  return Number(`${replaced}.${fraction.replaceAll(/[1-9]/g, '5')}`)
}

/** The capitals that a ULID can contain. */
const CAPITALS = 'ABCDEFGHJKMNPQRSTVWXYZ'

function replaceCharacter(character: string, byte: number, small: string): string {
  if (/\d/.test(character)) return String(byte % 10)
  if (/[a-z]/.test(character)) return small[byte % small.length] ?? 'x'
  if (/[A-Z]/.test(character)) return CAPITALS[byte % CAPITALS.length] ?? 'X'
  // Characters of other scripts, and emoji.
  if (/\p{Lu}/u.test(character)) return 'É'
  if (/\p{Ll}/u.test(character)) return 'é'
  if (/[\p{L}\p{N}]/u.test(character)) return 'あ'
  if (/\p{M}/u.test(character)) return '\u0301'
  return /\p{Extended_Pictographic}/u.test(character) ? '🙂' : character
}

/** The same key and text always give the same bytes. */
function bytesFor(key: Uint8Array, text: string, length: number): Uint8Array {
  const blocks: Buffer[] = []
  for (let block = 0; block * 32 < length; block++)
    blocks.push(createHmac('sha256', key).update(`${block}:${text}`).digest())
  return Buffer.concat(blocks).subarray(0, length)
}
