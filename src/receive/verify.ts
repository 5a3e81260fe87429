import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import {
  DEFAULT_HEADER_PREFIX,
  deliveryHeaders,
  SIGNATURE_FORM,
  SIGNATURE_SCHEME,
  signedPrefix,
  TIMESTAMP_FORM,
  TIMESTAMP_TOLERANCE_SECONDS,
} from '../contract/index.ts'
import { type IncomingHeaders, single } from './headers.ts'
import { createKeyring, type Keyring } from './keyring.ts'

/** `subscription`: whose secret matched. `timestamp`: Unix seconds, as signed. */
export interface Verified {
  readonly ok: true
  readonly subscription: string
  readonly timestamp: number
}

/**
 * Why a delivery was refused: for the log, never for the answer. `stale` means that the signature holds and
 * the time does not: a clock that is wrong, or a late retry, and no forgery (DEL-12).
 */
export interface Refused {
  readonly ok: false
  readonly reason: 'missing' | 'repeated' | 'malformed' | 'stale' | 'mismatch'
}

/** The signature holds and the time does not: whose it is and when it was signed is known all the same. */
export interface Stale extends Refused {
  readonly reason: 'stale'
  readonly subscription: string
  readonly timestamp: number
}

/** Signature and timestamp header, in lower case. */
export interface SignedHeaderNames {
  readonly signature: string
  readonly timestamp: string
}

/**
 * The pure part, for queues and functions that bring their own transport: no clock but the one given, no I/O.
 *
 * @param o.secrets the live secrets by subscription; which one matched names the subscription.
 * @throws SwitchhookError `options_invalid` where a secret is empty or blank.
 */
export function verifyDelivery(o: {
  headers: IncomingHeaders
  body: Uint8Array
  secrets: Record<string, string | readonly string[]>
  now: Date
  headerPrefix?: string
}): Verified | Refused {
  const names = deliveryHeaders((o.headerPrefix ?? DEFAULT_HEADER_PREFIX).toLowerCase())
  const keyring = createKeyring(o.secrets)
  const verdict = verify(o.headers, o.body, keyring, o.now.getTime(), {
    signature: names.signature.toLowerCase(),
    timestamp: names.timestamp.toLowerCase(),
  })
  return verdict.ok ? verdict : { ok: false, reason: verdict.reason }
}

/** Form first, then the bytes, then the time (SIG-01 to SIG-08). */
export function verify(
  headers: IncomingHeaders,
  body: Uint8Array,
  keyring: Keyring,
  now: number,
  names: SignedHeaderNames,
): Verified | Refused | Stale {
  const signature = single(headers, names.signature)
  if ('problem' in signature) return { ok: false, reason: signature.problem }
  const timestamp = single(headers, names.timestamp)
  if ('problem' in timestamp) return { ok: false, reason: timestamp.problem }
  // The timestamp's form is settled before any hashing: "{timestamp}.{body}" can be cut at another dot and
  // keeps its signature.
  if (!SIGNATURE_FORM.test(signature.value) || !TIMESTAMP_FORM.test(timestamp.value))
    return { ok: false, reason: 'malformed' }

  const given = Buffer.from(signature.value.slice(SIGNATURE_SCHEME.length), 'hex')
  const subscription = whoSigned(given, timestamp.value, body, keyring)
  if (subscription === undefined) return { ok: false, reason: 'mismatch' }

  const seconds = Number(timestamp.value)
  // Asked for what is fresh, not for what is stale: a clock that tells no number at all makes nothing fresh.
  const fresh = Math.abs(now / 1000 - seconds) <= TIMESTAMP_TOLERANCE_SECONDS
  return fresh
    ? { ok: true, subscription, timestamp: seconds }
    : { ok: false, reason: 'stale', subscription, timestamp: seconds }
}

/** Whether a request bears a signature and a timestamp by their form; whether they are true is not asked. */
export function bearsSignature(headers: IncomingHeaders, names: SignedHeaderNames): boolean {
  const signature = single(headers, names.signature)
  const timestamp = single(headers, names.timestamp)
  if ('problem' in signature || 'problem' in timestamp) return false
  return SIGNATURE_FORM.test(signature.value) && TIMESTAMP_FORM.test(timestamp.value)
}

/** Tries every key, so that the time taken does not tell which one matched. */
function whoSigned(given: Buffer, timestamp: string, body: Uint8Array, keyring: Keyring): string | undefined {
  let found: string | undefined
  for (const { subscription, key } of keyring.keys)
    if (timingSafeEqual(given, macOf(key, timestamp, body))) found ??= subscription
  return found
}

export function macOf(key: KeyObject, timestamp: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(signedPrefix(timestamp)).update(body).digest()
}
