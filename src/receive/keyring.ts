import { createSecretKey, type KeyObject } from 'node:crypto'
import { SwitchhookError } from '../base/errors.ts'

/** The live secrets of all subscriptions. Kept as key objects, which no inspector shows. */
export interface Keyring {
  readonly keys: readonly { readonly subscription: string; readonly key: KeyObject }[]
}

/**
 * Takes the secrets of each subscription, several live ones where a new one is being brought in (SIG-06).
 *
 * @throws SwitchhookError `options_invalid` where a secret is empty or has blank ends: HMAC with an empty key
 * is valid, so it would let anybody in (SIG-08).
 */
export function createKeyring(secrets: Record<string, string | readonly string[]>): Keyring {
  const keys = Object.entries(secrets).flatMap(([subscription, given]) => {
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    if (list.length === 0) throw refuse(subscription, 'there is none')
    return list.map((secret) => {
      if (typeof secret !== 'string') throw refuse(subscription, `expected text, got ${typeof secret}`)
      if (secret.trim() === '') throw refuse(subscription, 'it is empty')
      if (secret.trim() !== secret)
        throw refuse(subscription, 'it begins or ends with white space, perhaps a line break from a file')
      return { subscription, key: createSecretKey(Buffer.from(secret, 'utf8')) }
    })
  })
  if (keys.length === 0)
    throw new SwitchhookError(
      'options_invalid',
      'signingSecret: there is none; take it from the dashboard (Developer, Events)',
    )
  return { keys }
}

function refuse(subscription: string, why: string): SwitchhookError {
  return new SwitchhookError(
    'options_invalid',
    `signingSecret of "${subscription}": ${why}; take it from the dashboard (Developer, Events)`,
  )
}
