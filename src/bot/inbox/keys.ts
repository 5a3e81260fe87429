import { createSecretKey, type KeyObject } from 'node:crypto'
import { realTimers, type Timers } from '../../base/clock.ts'
import { reasonOf, SwitchhookError, readError } from '../../base/errors.ts'
import { isRecord, type MaybeAsync } from '../../base/value.ts'
import { numberNamesOf, subscriptionOf } from '../../store/work/subscriptions.ts'

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
  /** The keys of all numbers, for an endpoint that serves any number; undefined if nobody knows all. */
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
export function keyOf(secret: unknown, name: string): KeyObject {
  if (typeof secret !== 'string') throw refuse(name, `expected text, got ${typeof secret}`)
  if (secret.trim() === '') throw refuse(name, 'it is empty')
  if (secret.trim() !== secret)
    throw refuse(name, 'it begins or ends with white space, perhaps the line break of a file')
  return createSecretKey(Buffer.from(secret, 'utf8'))
}

function refuse(name: string, reason: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `${name}: ${reason}; copy it from the dashboard (Developer, Events)`)
}
