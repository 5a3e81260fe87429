import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { afterThisTurn } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import {
  DEFAULT_HEADER_PREFIX,
  type DeliveryHeaders,
  deliveryHeaders,
  SIGNATURE_FORM,
  SIGNATURE_SCHEME,
  signedPrefix,
  TIMESTAMP_FORM,
  TIMESTAMP_TOLERANCE_SECONDS,
} from '../../service/contract.ts'
import { type IncomingHeaders, singleHeader } from './http.ts'
import { createKeyring, keyOf, type Keyring } from './keys.ts'

/** `subscription`: whose secret matched. `timestamp`: Unix seconds, as signed. */
export interface Verified {
  readonly ok: true
  readonly subscription: string
  readonly timestamp: number
}

/**
 * Why a delivery was refused: for the log, never for the answer. `stale` means a valid signature with an expired time:
 * a wrong clock or a late retry, not a forgery (DEL-12).
 */
export interface Refused {
  readonly ok: false
  readonly reason: 'missing' | 'repeated' | 'malformed' | 'stale' | 'mismatch'
}

/** Refused only for its time. The signature is valid, so subscription and timestamp are known. */
export interface Stale extends Refused {
  readonly reason: 'stale'
  readonly subscription: string
  readonly timestamp: number
}

/** The names in lower case. */
export type SignedHeaderNames = Pick<DeliveryHeaders, 'signature' | 'timestamp'>

export function namesInLowerCase(prefix: string): DeliveryHeaders {
  const { signature, timestamp, event, delivery } = deliveryHeaders(prefix)
  return {
    signature: signature.toLowerCase(),
    timestamp: timestamp.toLowerCase(),
    event: event.toLowerCase(),
    delivery: delivery.toLowerCase(),
  }
}

/**
 * Verifies one delivery, for queues and functions with their own transport. Pure: reads no clock but `now`, and does no
 * I/O.
 *
 *     const verified = verifyDelivery({ headers, body, secrets: { shop: secret }, now: new Date() })
 *
 * @param o.secrets the valid secrets by subscription. The matching one names the subscription.
 * @throws SwitchhookError `options_invalid` if a secret is empty or blank.
 */
export function verifyDelivery(o: {
  headers: IncomingHeaders
  body: Uint8Array
  secrets: Record<string, string | readonly string[]>
  now: Date
  headerPrefix?: string
}): Verified | Refused {
  const keyring = createKeyring(o.secrets)
  const signed = readSignature(o.headers, namesInLowerCase(o.headerPrefix ?? DEFAULT_HEADER_PREFIX))
  if ('reason' in signed) return { ok: false, reason: signed.reason }
  const verdict = verify(signed, o.body, keyring, o.now.getTime())
  return verdict.ok ? verdict : { ok: false, reason: verdict.reason }
}

/** Verifies a delivery: first the signature, then the time (SIG-01 to SIG-08). */
function verify(signed: Signed, body: Uint8Array, keyring: Keyring, now: number): Verified | Refused | Stale {
  let signer: string | undefined
  // Tries every key, so that the time taken does not reveal which one matched.
  for (const key of keyring.keys) if (isSignedBy(key, signed, body)) signer ??= key.subscription
  return verdictOf(signer, signed, now)
}

/** The bytes that are hashed in one turn of the event loop. They take some milliseconds. */
const HASHED_AT_ONCE = 4 * 1_048_576
/** The cost of trying a key, in bytes of a body. */
const KEY_COSTS = 16_384

/** Like `verify`, in several turns of the event loop if there are many bytes or keys. */
export async function verifyInTurns(
  signed: Signed,
  body: Uint8Array,
  keyring: Keyring,
  now: number,
): Promise<Verified | Refused | Stale> {
  const atOnce = Math.max(1, Math.floor(HASHED_AT_ONCE / (body.byteLength + KEY_COSTS)))
  if (keyring.keys.length <= atOnce) return verify(signed, body, keyring, now)
  let signer: string | undefined
  for (const [nth, key] of keyring.keys.entries()) {
    if (nth % atOnce === 0) await ownTurn()
    if (isSignedBy(key, signed, body)) signer ??= key.subscription
  }
  return verdictOf(signer, signed, now)
}

let lastTurn: Promise<void> = Promise.resolve()

/** Waits for a turn of the event loop that no other caller has. So many large forgeries block no longer than one. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(afterThisTurn)
  return lastTurn
}

/** A signature that is not verified yet, with its timestamp. */
export interface Signed {
  readonly given: Buffer
  readonly timestamp: string
}

/**
 * Reads the two headers of a signature, or returns why they are not valid. The timestamp's form is checked before
 * hashing, because "{timestamp}.{body}" can be cut at another dot and keeps its signature.
 */
export function readSignature(
  headers: IncomingHeaders,
  names: SignedHeaderNames,
): Signed | { readonly reason: 'missing' | 'repeated' | 'malformed' } {
  const signature = singleHeader(headers, names.signature)
  if ('problem' in signature) return { reason: signature.problem }
  const timestamp = singleHeader(headers, names.timestamp)
  if ('problem' in timestamp) return { reason: timestamp.problem }
  if (!SIGNATURE_FORM.test(signature.value) || !TIMESTAMP_FORM.test(timestamp.value)) return { reason: 'malformed' }
  return { given: Buffer.from(signature.value.slice(SIGNATURE_SCHEME.length), 'hex'), timestamp: timestamp.value }
}

function isSignedBy({ key }: Keyring['keys'][number], { given, timestamp }: Signed, body: Uint8Array): boolean {
  return timingSafeEqual(given, macOf(key, timestamp, body))
}

function verdictOf(subscription: string | undefined, { timestamp }: Signed, now: number): Verified | Refused | Stale {
  if (subscription === undefined) return { ok: false, reason: 'mismatch' }
  const seconds = Number(timestamp)
  // NaN, from a clock that returns no number, compares as stale.
  const fresh = Math.abs(now / 1000 - seconds) <= TIMESTAMP_TOLERANCE_SECONDS
  return fresh
    ? { ok: true, subscription, timestamp: seconds }
    : { ok: false, reason: 'stale', subscription, timestamp: seconds }
}

/**
 * Makes the four headers of a delivery, signed as the service signs. For tests and for tools that trigger deliveries.
 *
 *     const headers = signDelivery({ body, secret, event: 'message.received', deliveryId: id, at: new Date() })
 *
 * @param o.at the time of signing. Receivers refuse it if it is more than 300 seconds from theirs.
 * @throws SwitchhookError `options_invalid` if the secret is empty or has blank ends, or the date is invalid.
 */
export function signDelivery(o: {
  body: Uint8Array | string
  secret: string
  at: Date
  event: string
  deliveryId: string
  headerPrefix?: string
}): Record<string, string> {
  const names = deliveryHeaders(o.headerPrefix ?? DEFAULT_HEADER_PREFIX)
  const seconds = Math.floor(o.at.getTime() / 1000)
  if (Number.isNaN(seconds)) throw new SwitchhookError('options_invalid', 'at: expected a date, got an invalid one')
  const timestamp = String(seconds)
  return {
    [names.signature]: SIGNATURE_SCHEME + macOf(keyOf(o.secret, 'secret'), timestamp, o.body).toString('hex'),
    [names.timestamp]: timestamp,
    [names.event]: o.event,
    [names.delivery]: o.deliveryId,
  }
}

/** Through hex, because allocating bytes for each digest would cost more. */
export function macOf(key: KeyObject, timestamp: string, body: Uint8Array | string): Buffer {
  return Buffer.from(createHmac('sha256', key).update(signedPrefix(timestamp)).update(body).digest('hex'), 'hex')
}
