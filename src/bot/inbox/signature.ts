import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { afterThisTurn, realTimers, type Timers } from '../../base/clock.ts'
import { reasonOf, readError, SwitchhookError } from '../../base/errors.ts'
import { isRecord, type MaybeAsync } from '../../base/value.ts'
import {
  DEFAULT_HEADER_PREFIX,
  type DeliveryHeaders,
  deliveryHeaders,
  SIGNATURE_FORM,
  SIGNATURE_SCHEME,
  signedPrefix,
  TIMESTAMP_FORM,
  TIMESTAMP_TOLERANCE_SECONDS,
} from '../../service/delivery.ts'
import { numberNamesOf, subscriptionOf } from '../../store/work/subscriptions.ts'
import { type IncomingHeaders, singleHeader } from './http.ts'

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
/** Trying a key costs as much time as hashing so many bytes. */
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

/** Waits for a turn that no other caller has, so that many large forgeries block the event loop no longer than one. */
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
 * hashing: the bytes "{timestamp}.{body}" can be split at another dot, and the signature still fits.
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

// ── the secrets ─────────────────────────────────────────────────────────────────────────────────────

export interface SecretSource {
  readonly number: string
  readonly secrets: string | readonly string[] | (() => MaybeAsync<string | readonly string[]>)
}

/** The valid secrets of all subscriptions, as key objects, which no inspector shows. */
export interface Keyring {
  readonly keys: readonly { readonly subscription: string; readonly key: KeyObject }[]
}

/** The secrets or the token of a number are not known now: its deliveries and sends wait. */
export class NumberUnavailable extends SwitchhookError {
  /** True if the number was not looked up, because too many unknown names are requested. Anybody can cause that. */
  readonly tooMany: boolean

  constructor(message: string, { tooMany = false, ...options }: { cause?: unknown; tooMany?: boolean } = {}) {
    super('number_unavailable', message, options)
    this.name = 'NumberUnavailable'
    this.tooMany = tooMany
  }
}

/** The keys that are valid now. Results of the app's functions are cached until a signature is wrong. */
export interface KeySource {
  /** @throws NumberUnavailable if no function has returned yet. Then nothing can be verified, and nothing is refused. */
  live(): Promise<Keyring>
  /** True once every number's secrets are known. Before that, a wrong signature is not necessarily a forgery. */
  complete(): boolean
  /** Calls the functions again, at most every 30 s. Undefined if nothing changed. */
  renewed(now: number): Promise<Keyring | undefined>
}

export interface KeysOfNumbers {
  /** The keys of all numbers, for an endpoint of any number; undefined if the bot does not know all numbers. */
  readonly all: KeySource | undefined
  /** Undefined if no number has this name. @throws NumberUnavailable */
  at(number: string): MaybeAsync<KeySource | undefined>
}

const RENEW_AFTER_MS = 30_000
/** The wait before a failed function is called again. Until it returns, every delivery gets 503. */
const RETRY_AFTER_MS = 1_000
/** A slower function counts as failed, because deliveries wait for it. */
const ANSWER_WITHIN_MS = 5_000

/** @param machine the machine's time, by which deliveries are verified too. */
export function createKeySource(
  sources: readonly SecretSource[],
  machine: () => number,
  timers: Timers = realTimers,
): KeysOfNumbers & { readonly all: KeySource } {
  const all = new KeysOfAll(sources, machine, timers)
  return {
    all,
    at(number) {
      if (!sources.some((source) => source.number === number)) return undefined
      return {
        complete: () => all.knows(number),
        live: async () => only(number, await all.live()),
        async renewed(now) {
          const ring = await all.renewed(now)
          return ring && only(number, ring)
        },
      }
    },
  }
}

class KeysOfAll implements KeySource {
  readonly #sources: readonly SecretSource[]
  readonly #machine: () => number
  readonly #timers: Timers
  readonly #hasFunctions: boolean
  /** The last secrets of each number, so that a function that fails affects no other number. */
  readonly #known = new Map<string, unknown>()
  #keyring: Keyring | undefined
  #hasChanged = false
  #failure: unknown
  #refreshedAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  constructor(sources: readonly SecretSource[], machine: () => number, timers: Timers) {
    this.#sources = sources
    this.#machine = machine
    this.#timers = timers
    this.#hasFunctions = sources.some((source) => typeof source.secrets === 'function')
    if (!this.#hasFunctions) this.#keyring = createKeyring(bySubscription(sources))
  }

  complete(): boolean {
    return !this.#hasFunctions || this.#known.size === this.#sources.length
  }

  knows(number: string): boolean {
    return !this.#hasFunctions || this.#known.has(number)
  }

  async live(): Promise<Keyring> {
    if (this.#keyring) return this.#keyring
    // Compare in both directions: a clock that was set back must not delay the next call.
    if (Math.abs(this.#machine() - this.#refreshedAt) >= RETRY_AFTER_MS || this.#refreshing) await this.#refresh()
    if (!this.#keyring) throw this.#failure
    return this.#keyring
  }

  async renewed(now: number): Promise<Keyring | undefined> {
    if (!this.#hasFunctions || (!this.#refreshing && Math.abs(now - this.#refreshedAt) < RENEW_AFTER_MS))
      return undefined
    const before = this.#keyring
    await this.#refresh()
    return this.#keyring === before ? undefined : this.#keyring
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshAll().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refreshAll(): Promise<void> {
    this.#refreshedAt = this.#machine()
    await Promise.all(this.#sources.map((source) => this.#refreshNumber(source)))
    if (this.#known.size === 0) return
    try {
      const all = [...this.#known].map(([number, secrets]) => ({ number, secrets }))
      if (!this.#keyring || this.#hasChanged) this.#keyring = createKeyring(bySubscription(all))
      this.#hasChanged = false
    } catch (cause) {
      this.#failure = new NumberUnavailable(reasonOf(cause), { cause })
    }
  }

  async #refreshNumber({ number, secrets }: SecretSource): Promise<void> {
    try {
      const current =
        typeof secrets === 'function' ? await callWithin(ANSWER_WITHIN_MS, secrets, this.#timers) : secrets
      this.#hasChanged ||= JSON.stringify(this.#known.get(number)) !== JSON.stringify(current)
      this.#known.set(number, current)
    } catch (error) {
      // The app's message may contain a secret. Ours names the number and no value.
      const { name } = readError(error)
      this.#failure = new NumberUnavailable(`the function of secrets of number "${number}" failed: ${name}`)
    }
  }
}

/** The keys of one number. A secret that several numbers share belongs to each of them. */
function only(number: string, { keys }: Keyring): Keyring {
  return { keys: keys.filter(({ subscription }) => numberNamesOf(subscription).includes(number)) }
}

function callWithin<T>(ms: number, run: () => MaybeAsync<T>, timers: Timers): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(ms, () => reject(new DOMException('too slow', 'TimeoutError')))
    Promise.resolve().then(run).then(resolve, reject).finally(cancel)
  })
}

/** Names a subscription after the numbers of its secret: one number, or several joined. */
function bySubscription(all: readonly { number: string; secrets: unknown }[]): Record<string, string[]> {
  const numbersOf = new Map<unknown, string[]>()
  const subscriptions: Record<string, unknown[]> = Object.create(null)
  for (const { number, secrets } of all) {
    const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets]
    for (const secret of list) numbersOf.set(secret, [...(numbersOf.get(secret) ?? []), number])
    // Keep the empty entry, so that createKeyring refuses the number by its name.
    if (list.length === 0) subscriptions[number] = []
  }
  for (const [secret, numbers] of numbersOf) {
    ;(subscriptions[subscriptionOf(numbers)] ??= []).push(secret)
  }
  return subscriptions as Record<string, string[]>
}

/** A subscription has several secrets during a rotation (SIG-06). @throws SwitchhookError `options_invalid` */
export function createKeyring(secrets: Record<string, string | readonly string[]>): Keyring {
  // Refuse a bare string: it has entries too, and each of its letters would become a secret.
  if (!isRecord(secrets)) throw refuse('signing secrets', 'expected an object of secrets by subscription')
  const keys = Object.entries(secrets).flatMap(([subscription, given]) => {
    const name = `signingSecret of "${subscription}"`
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    if (list.length === 0) throw refuse(name, 'it is missing')
    return list.map((secret) => ({ subscription, key: keyOf(secret, name) }))
  })
  if (keys.length === 0) throw refuse('signingSecret', 'it is missing')
  return { keys }
}

/**
 * Makes a key of a secret. HMAC accepts an empty key, so an empty secret would let anybody in. Blank ends are a copying
 * mistake (SIG-08).
 *
 * @param name names the holder of the secret in the error, which never shows the secret.
 */
function keyOf(secret: unknown, name: string): KeyObject {
  if (typeof secret !== 'string') throw refuse(name, `expected text, got ${typeof secret}`)
  if (secret.trim() === '') throw refuse(name, 'it is empty')
  if (secret.trim() !== secret)
    throw refuse(name, 'it begins or ends with white space, perhaps the line break of a file')
  return createSecretKey(Buffer.from(secret, 'utf8'))
}

function refuse(name: string, reason: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `${name}: ${reason}; copy it from the dashboard (Developer, Events)`)
}
