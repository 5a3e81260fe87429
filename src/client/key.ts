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
