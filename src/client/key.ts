import { hash } from 'node:crypto'
import { optionsInvalid } from '../base/errors.ts'

const VERSION = 'sh1_'

/**
 * An idempotency key made from what a message is about: the same for the same parts, in every process and after every
 * restart, and nothing of a phone number or a text can be read in it (IDEM-01). Parts are length-prefixed, so that
 * no two lists of parts give the same key. The form carries a version, and this one never changes.
 *
 *     await client.messages.send(phone, 'It is ready', { idempotencyKey: keyFrom('order', id, 'ready') })
 *
 * @throws SwitchhookError `options_invalid` without a part, or if one is neither a string nor a finite number.
 */
export function keyFrom(...parts: readonly (string | number)[]): string {
  if (parts.length === 0) throw optionsInvalid('keyFrom(): expected what the message is about')
  let hashed = ''
  for (const part of parts) {
    if (typeof part !== 'string' && !Number.isFinite(part))
      throw optionsInvalid(`keyFrom(): expected strings and numbers, got ${typeof part}`)
    hashed += `${Buffer.byteLength(String(part))}:${part}`
  }
  return VERSION + hash('sha256', hashed, 'base64url')
}

/** The beginning of a key's hash, for logs: a key of the app's own making may say more than it should. */
export function keyHash(key: string | undefined): string | undefined {
  return key === undefined ? undefined : hash('sha256', key).slice(0, 16)
}

const LONGEST_HEADER = 255

/** A value that a header carries unchanged: printable ASCII, no space at its ends, at most 255 characters. */
export function headerValue(name: string, value: unknown): string {
  const refuse = (why: string): never => {
    throw optionsInvalid(`${name}: expected ${why}`)
  }
  if (typeof value !== 'string') return refuse(`a string, got ${value === null ? 'null' : typeof value}`)
  if (value.trim() === '') return refuse('a value, got a blank string')
  if (!/^[\x20-\x7e]*$/.test(value)) return refuse('printable ASCII characters alone')
  // A header loses the spaces at its ends, so two keys would become one.
  if (value !== value.trim()) return refuse('no space at its beginning or end')
  if (value.length > LONGEST_HEADER)
    return refuse(`at most ${LONGEST_HEADER} characters, got ${value.length}: make it by keyFrom()`)
  return value
}
