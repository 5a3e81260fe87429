import { hash } from 'node:crypto'
import { optionsInvalid } from '../base/errors.ts'

const VERSION = 'sh1_'

/**
 * An idempotency key derived from a message's subject. It is the same for the same parts in every process and after
 * every restart. It reveals no phone number and no text (IDEM-01). Parts are length-prefixed, so that different lists
 * give different keys. The key contains a version, and this version never changes.
 *
 *     await client.messages.send(phone, 'It is ready', { idempotencyKey: keyFrom('order', id, 'ready') })
 *
 * @throws SwitchhookError `options_invalid` without a part, or if one is neither a string nor a finite number.
 */
export function keyFrom(...parts: readonly (string | number)[]): string {
  if (parts.length === 0) throw optionsInvalid("keyFrom(): expected the message's subject")
  let hashed = ''
  for (const part of parts) {
    if (typeof part !== 'string' && !Number.isFinite(part))
      throw optionsInvalid(`keyFrom(): expected strings and numbers, got ${typeof part}`)
    hashed += `${Buffer.byteLength(String(part))}:${part}`
  }
  return VERSION + hash('sha256', hashed, 'base64url')
}

/** The beginning of a key's hash, for logs: an app's own key may contain private data. */
export function keyHash(key: string | undefined): string | undefined {
  return key === undefined ? undefined : hash('sha256', key).slice(0, 16)
}

const LONGEST_HEADER = 255

/** Refuses a value that a header would change. */
export function headerValue(name: string, value: unknown): string {
  const refuse = (why: string): never => {
    throw optionsInvalid(`${name}: expected ${why}`)
  }
  if (typeof value !== 'string') return refuse(`a string, got ${value === null ? 'null' : typeof value}`)
  if (value.trim() === '') return refuse('a value, got a blank string')
  if (!/^[\x20-\x7e]*$/.test(value)) return refuse('only printable ASCII characters')
  // Refuse spaces at the ends: a header loses them, so two keys would become equal.
  if (value !== value.trim()) return refuse('no space at its beginning or end')
  if (value.length > LONGEST_HEADER)
    return refuse(`at most ${LONGEST_HEADER} characters, got ${value.length}: use keyFrom()`)
  return value
}
