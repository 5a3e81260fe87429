import { createSecretKey, type KeyObject } from 'node:crypto'
import { SwitchhookError } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'

/** The live secrets of all subscriptions. Kept as key objects, which no inspector shows. */
export interface Keyring {
  readonly keys: readonly { readonly subscription: string; readonly key: KeyObject }[]
}

const WHERE = 'take it from the dashboard (Developer, Events)'

/**
 * Takes the secrets of each subscription, several live ones where a new one is being brought in (SIG-06).
 *
 * @throws SwitchhookError `options_invalid` where a secret is empty or has blank ends.
 */
export function createKeyring(secrets: Record<string, string | readonly string[]>): Keyring {
  // A bare secret has entries too: its letters, each of which would be taken for a secret.
  if (!isRecord(secrets)) throw refuse('signing secrets', 'expected an object that holds them by subscription')
  const keys = Object.entries(secrets).flatMap(([subscription, given]) => {
    const name = `signingSecret of "${subscription}"`
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    if (list.length === 0) throw refuse(name, 'there is none')
    return list.map((secret) => ({ subscription, key: keyOf(secret, name) }))
  })
  if (keys.length === 0) throw refuse('signingSecret', 'there is none')
  return { keys }
}

/**
 * HMAC with an empty key is valid, so an empty secret would let anybody in; and blank ends are a slip of whoever
 * copied it (SIG-08).
 *
 * @param name what held the secret, for the error; the secret itself is never shown.
 */
export function keyOf(secret: unknown, name: string): KeyObject {
  if (typeof secret !== 'string') throw refuse(name, `expected text, got ${typeof secret}`)
  if (secret.trim() === '') throw refuse(name, 'it is empty')
  if (secret.trim() !== secret)
    throw refuse(name, 'it begins or ends with white space, perhaps a line break from a file')
  return createSecretKey(Buffer.from(secret, 'utf8'))
}

function refuse(name: string, why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `${name}: ${why}; ${WHERE}`)
}
