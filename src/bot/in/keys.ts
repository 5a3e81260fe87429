import { createSecretKey, type KeyObject } from 'node:crypto'
import { realTimers, type Timers } from '../../base/clock.ts'
import { reasonOf, SwitchhookError, readError } from '../../base/errors.ts'
import { isRecord, type MaybeAsync } from '../../base/value.ts'
import { numberNamesOf, subscriptionOf } from '../../store/rules/numbers.ts'

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
  /** Not looked up, because too many unknown names are requested. Anybody can cause that. */
  readonly crowded: boolean

  constructor(message: string, { crowded = false, ...options }: { cause?: unknown; crowded?: boolean } = {}) {
    super('number_unavailable', message, options)
    this.name = 'NumberUnavailable'
    this.crowded = crowded
  }
}

/** The keys that are valid now. Results of functions are cached. After a wrong signature they are called again. */
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
  /** For the endpoint of one number; undefined if no number has this name. @throws NumberUnavailable */
  at(number: string): MaybeAsync<KeySource | undefined>
}

const RENEW_AFTER_MS = 30_000
/** A function that failed is called again sooner, because every delivery gets 503 until it returns. */
const RETRY_AFTER_MS = 1_000
/** A slower function counts as failed, because deliveries wait for it. */
const ANSWER_WITHIN_MS = 5_000

/** @param machine the machine's time. Deliveries are checked by it too. */
export function createKeySource(
  sources: readonly SecretSource[],
  machine: () => number,
  timers: Timers = realTimers,
): KeysOfNumbers & { readonly all: KeySource } {
  const hasFunctions = sources.some((source) => typeof source.secrets === 'function')
  /** The last secrets of each number. A function that fails or is slow does not affect other numbers. */
  const known = new Map<string, unknown>()
  let keyring: Keyring | undefined = hasFunctions ? undefined : createKeyring(bySubscription(sources))
  let changed = false
  let failure: unknown
  let refreshedAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  function refresh(): Promise<void> {
    refreshing ??= refreshAll().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function refreshAll(): Promise<void> {
    refreshedAt = machine()
    await Promise.all(sources.map(refreshNumber))
    if (known.size === 0) return
    try {
      const all = [...known].map(([number, secrets]) => ({ number, secrets }))
      if (!keyring || changed) keyring = createKeyring(bySubscription(all))
      changed = false
    } catch (cause) {
      failure = new NumberUnavailable(reasonOf(cause), { cause })
    }
  }

  async function refreshNumber({ number, secrets }: SecretSource): Promise<void> {
    try {
      const current = typeof secrets === 'function' ? await callWithin(ANSWER_WITHIN_MS, secrets, timers) : secrets
      changed ||= JSON.stringify(known.get(number)) !== JSON.stringify(current)
      known.set(number, current)
    } catch (error) {
      // The app's message may contain a secret. Ours names the number and no value.
      const { name } = readError(error)
      failure = new NumberUnavailable(`the function of secrets of number "${number}" failed: ${name}`)
    }
  }

  const all: KeySource = {
    complete: () => !hasFunctions || known.size === sources.length,
    async live() {
      if (keyring) return keyring
      // In both directions, because a clock that was set back must not delay the next call.
      if (Math.abs(machine() - refreshedAt) >= RETRY_AFTER_MS || refreshing) await refresh()
      if (!keyring) throw failure
      return keyring
    },
    async renewed(now) {
      if (!hasFunctions || (!refreshing && Math.abs(now - refreshedAt) < RENEW_AFTER_MS)) return undefined
      const before = keyring
      await refresh()
      return keyring === before ? undefined : keyring
    },
  }
  return {
    all,
    at(number) {
      if (!sources.some((source) => source.number === number)) return undefined
      return {
        complete: () => !hasFunctions || known.has(number),
        live: async () => only(number, await all.live()),
        async renewed(now) {
          const ring = await all.renewed(now)
          return ring && only(number, ring)
        },
      }
    },
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
    // Kept, so that createKeyring refuses the number by name.
    if (list.length === 0) subscriptions[number] = []
  }
  for (const [secret, numbers] of numbersOf) {
    ;(subscriptions[subscriptionOf(numbers)] ??= []).push(secret)
  }
  return subscriptions as Record<string, string[]>
}

/** Several during a rotation (SIG-06). @throws SwitchhookError `options_invalid` if one is empty or has blank ends. */
export function createKeyring(secrets: Record<string, string | readonly string[]>): Keyring {
  // A bare string has entries too: each of its letters would become a secret.
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
