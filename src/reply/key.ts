import { createHash } from 'node:crypto'

const VERSION = 'sh1_'

/**
 * An idempotency key: the same for the same cause, in every process and after every restart, and nothing of a
 * phone number or a text in it (IDEM-01). Parts are length-prefixed, so that no two lists of parts read alike.
 */
export function keyOf(...parts: readonly (string | number)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = Buffer.from(String(part), 'utf8')
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return VERSION + hash.digest('base64url')
}

/** The fallback is a message of its own, under a key of its own (ERR-06). */
export function fallbackKey(key: string): string {
  return `${key}:fallback`
}
