import PQueue from 'p-queue'
import { type Clock, endsWithin, type Random, type Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { isRecord, type MaybeAsync } from '../base/value.ts'
import { type Client, createClient } from '../client/client.ts'
import {
  createKeyring,
  createKeySource,
  type Keyring,
  type KeysOfNumbers,
  type KeySource,
  NumberUnavailable,
} from './inbox/signature.ts'
import type { OwnNumber } from './inbox/read-delivery.ts'
import {
  isNumberName,
  NUMBER_CHECKS,
  type NumberOptions,
  type NumberSettings,
  type NumberSource,
  type Source,
} from './number-options.ts'
import type { Store } from '../store/store.ts'
import { optionsInvalid, SwitchhookError, reasonOf, isA, readError } from '../base/errors.ts'
import { numberNamesOf } from '../store/work/subscriptions.ts'
import { checkMembers } from './option-checks.ts'
import { LRUCache } from 'lru-cache'

export interface Numbers {
  readonly count: number
  readonly canSend: boolean
  /** @throws SwitchhookError `options_invalid` if a secret is empty or has blank ends. */
  keys(): KeysOfNumbers
  client(name: string): MaybeAsync<Client | undefined>
  clientAfterRefusal?(name: string, refused: Client, since: number): Promise<Client | undefined>
  ofSubscription(subscription: string): readonly OwnNumber[]
  learn?(subscriptions: readonly string[]): Promise<unknown>
}

export interface NumberDeps {
  readonly baseUrl: string | undefined
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly fetch: typeof fetch | undefined
  readonly log: Log
}

export function numbersOfTable(numbers: readonly NumberSettings[], deps: NumberDeps): Numbers {
  const clients = new Map(numbers.map((number) => [number.name, clientOf(number, deps)]))
  const sources = numbers.map(({ name: number, signingSecret: secrets }) => ({
    number,
    secrets: typeof secrets === 'function' ? () => secrets({ number }) : secrets,
  }))
  return {
    count: numbers.length,
    canSend: [...clients.values()].some((client) => client !== undefined),
    keys: () => createKeySource(sources, deps.clock.machine, deps.timers),
    client: (name) => clients.get(name),
    ofSubscription(subscription) {
      const names = numberNamesOf(subscription)
      const own = numbers.filter(({ name }) => names.includes(name))
      return own.map(({ name, phoneNumberId }) => ({ name, phoneNumberId }))
    },
  }
}

type Sending = Pick<NumberSettings, 'name' | 'accessToken' | 'phoneNumberId'>

/** Undefined if the number has no token, or the bot has no address to send to. */
function clientOf({ name, accessToken, phoneNumberId }: Sending, deps: NumberDeps): Client | undefined {
  if (accessToken === undefined || deps.baseUrl === undefined) return undefined
  return createClient({
    baseUrl: deps.baseUrl,
    accessToken: typeof accessToken === 'function' ? () => accessToken({ number: name }) : accessToken,
    ...(phoneNumberId !== undefined && { phoneNumberId }),
    ...(deps.fetch && { fetch: deps.fetch }),
    timers: deps.timers,
    random: deps.random,
    onOffset: (offset) => deps.clock.adopt(offset),
  })
}

/** A number that the app's `numbers.find` returned. Its secrets are in memory only as key objects. */
interface FoundNumber {
  readonly name: string
  readonly keyring: Keyring
  readonly accessToken: Source<string> | undefined
  readonly phoneNumberId: string | undefined
  readonly client: Client | undefined
}

export interface NumberSourceDeps extends NumberDeps {
  readonly store: Pick<Store, 'hasDeliveriesOf'>
  failed(name: string, why: string, failures: number): void
}

export function numbersOfSource(source: NumberSource, deps: NumberSourceDeps): Numbers {
  const cache: NumberCache<FoundNumber> = new NumberCache<FoundNumber>({
    ...deps,
    find: (name) => findIn(source, name),
    read: (name, found) => readNumber(name, found, cache.lastKnown(name), deps),
  })
  const get = async (name: string) => (isNumberName(name) ? await cache.get(name) : undefined)

  return {
    count: Number.POSITIVE_INFINITY,
    canSend: deps.baseUrl !== undefined,
    keys: () => ({ all: undefined, at: (name) => (isNumberName(name) ? keysOf(name, cache, deps) : undefined) }),
    async client(name) {
      const number = await get(name)
      if (!number)
        throw noToken(
          `numbers.find() returns no number "${name}", so nothing can be sent: add the number again, or drop its sends with \`switchhook outbox resolve ID --drop\``,
        )
      if (number.accessToken !== undefined && !number.client)
        throw noToken(
          `number "${name}" has an access token, but no address to send to: set SWITCHHOOK_BASE_URL (or the option baseUrl)`,
        )
      return number.client
    },
    async clientAfterRefusal(name, refused, since) {
      const number = await cache.renewed(name, since)
      return number?.client === refused ? undefined : number?.client
    },
    ofSubscription: (subscription) =>
      numberNamesOf(subscription).map((name) => ({ name, phoneNumberId: cache.lastKnown(name)?.phoneNumberId })),
    async learn(subscriptions) {
      const unknown = new Set(subscriptions.flatMap(numberNamesOf).filter((name) => !cache.lastKnown(name)))
      if (unknown.size > 0) await endsWithin(LEARN_WITHIN_MS, deps.timers, Promise.allSettled([...unknown].map(get)))
    },
  }
}

/** The longest wait for unknown numbers. Deliveries of other numbers wait too. */
const LEARN_WITHIN_MS = 1_000

/** The keys of one number, for one delivery at its endpoint. */
async function keysOf(
  name: string,
  cache: NumberCache<FoundNumber>,
  { clock, store }: NumberSourceDeps,
): Promise<KeySource | undefined> {
  const since = clock.monotonic()
  const number = await cache.get(name, () => store.hasDeliveriesOf(name))
  return (
    number && {
      complete: () => true,
      live: async () => number.keyring,
      async renewed() {
        const now = await cache.renewed(name, since)
        return now === number ? undefined : now?.keyring
      },
    }
  )
}

/** Also calls the function `signingSecret`, if the source returns one. */
async function findIn(source: NumberSource, name: string): Promise<unknown> {
  const found: unknown = await source.find(name)
  if (!isRecord(found) || typeof found['signingSecret'] !== 'function') return found
  const { signingSecret } = found as { signingSecret: (about: { number: string }) => unknown }
  return { ...found, signingSecret: await signingSecret({ number: name }) }
}

/** @throws SwitchhookError `options_invalid`, whose message does not show the values. */
function readNumber(name: string, found: unknown, before: FoundNumber | undefined, deps: NumberDeps): FoundNumber {
  const what = `numbers.find('${name}')`
  checkMembers(found, what, NUMBER_CHECKS)
  const { signingSecret, accessToken, phoneNumberId } = found as NumberOptions & { signingSecret?: string | string[] }
  if (signingSecret === undefined)
    throw optionsInvalid(`${what}.signingSecret: missing, so deliveries cannot be verified`)
  const number = { name, accessToken, phoneNumberId, keyring: createKeyring({ [name]: signingSecret }) }
  const isSame = before && before.accessToken === accessToken && before.phoneNumberId === phoneNumberId
  return { ...number, client: isSame ? before.client : clientOf(number, deps) }
}

function noToken(why: string): SwitchhookError {
  return new SwitchhookError('no_access_token', why)
}

export interface NumberCacheDeps<T> {
  find(name: string): Promise<unknown>
  /** @throws an error whose message may be shown. */
  read(name: string, found: unknown): T
  /** Uses only its monotonic time, so that no step of a wall clock keeps an old secret valid. */
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timers: Timers
  /** Reports that the source failed: at most once a minute, with the number of failures since the last report. */
  failed(name: string, why: string, failures: number): void
}

/** How long a result is used. After that it is used for as long again, while the source is called. */
const FRESH_MS = 60_000
/** How long a number stays usable while the source fails. */
const KEPT_MS = 24 * 60 * 60_000
/** A slower call of the source counts as failed. */
const ANSWER_WITHIN_MS = 5_000
/** After this time a name that did not exist is looked up again. */
const UNKNOWN_FOR_MS = 10_000
/** The wait before another call after a failure. For an unknown number it is shorter: its deliveries get 503. */
const KNOWN_AGAIN_MS = 10_000
const UNKNOWN_AGAIN_MS = 1_000
/** The shortest time between two lookups after wrong signatures. A forger must not keep the app's database busy. */
const RENEW_EVERY_MS = 30_000
const MOST_KNOWN = 100_000
/** The most unknown names in memory. Anybody can invent names. */
const MOST_UNKNOWN = 1_000
const LOOKUPS_AT_ONCE = 32
const MOST_WAITING = 2_000
const REPORT_EVERY_MS = 60_000
const NEVER = Number.NEGATIVE_INFINITY

interface Entry<T> {
  readonly number: T
  /** The monotonic time at which the lookup began. */
  readonly at: number
  nextAt: number
  renewedAt: number
}

export class NumberCache<T> {
  readonly #o: NumberCacheDeps<T>
  readonly #known = new LRUCache<string, Entry<T>>({ max: MOST_KNOWN })
  /** Names that do not exist now, or for which the source has failed. */
  readonly #without = new LRUCache<string, { until: number; error?: NumberUnavailable }>({ max: MOST_UNKNOWN })
  /** The running lookups. Callers of one name share one. */
  readonly #lookups = new Map<string, Promise<T | undefined>>()
  readonly #maybeInvented = new PQueue({ concurrency: LOOKUPS_AT_ONCE })
  /** For names that are in use, which must not wait behind names that a stranger may have invented. */
  readonly #inUse = new PQueue({ concurrency: LOOKUPS_AT_ONCE })
  #reportedAt = NEVER
  #failures = 0

  constructor(o: NumberCacheDeps<T>) {
    this.#o = o
  }

  /**
   * Returns a number; undefined if it does not exist. A known number is returned at once, and renewed in the
   * background.
   *
   * @param isInUse called if this process does not know the name; false if a stranger may have invented the name.
   * @throws NumberUnavailable
   */
  async get(name: string, isInUse = async () => true): Promise<T | undefined> {
    const entry = this.#usable(name)
    if (!entry) return this.#getUnknown(name, isInUse)
    if (this.#now() < entry.nextAt) return entry.number
    const answer = this.#lookUp(name)
    answer.catch(() => {})
    // An older entry may lack a new secret, or its number may have been removed: wait for the answer.
    return this.#now() - entry.at < 2 * FRESH_MS ? entry.number : answer
  }

  /** Returns the last known state of the number, however old. Does not call the source. */
  lastKnown(name: string): T | undefined {
    return this.#known.peek(name)?.number
  }

  /**
   * Returns the number as the source knew it after the monotonic time `since`. Calls the source for this, at most every
   * 30 s. If the source fails, the number is unchanged. Undefined if it does not exist.
   */
  async renewed(name: string, since: number): Promise<T | undefined> {
    // First wait for a running lookup, because its answer may be older than `since`.
    for (let running = this.#lookups.get(name); running; running = this.#lookups.get(name))
      await running.catch(() => {})
    const entry = this.#usable(name)
    if (!entry || entry.at > since || this.#now() - entry.renewedAt < RENEW_EVERY_MS) return entry?.number
    entry.renewedAt = this.#now()
    return this.#lookUp(name)
  }

  #now() {
    return this.#o.clock.monotonic()
  }

  #usable(name: string): Entry<T> | undefined {
    const entry = this.#known.get(name)
    if (entry && this.#now() - entry.at < KEPT_MS) return entry
    // The entry is too old. Its secrets must not stay in memory.
    if (entry) this.#known.delete(name)
    return undefined
  }

  #lookUp(name: string, turn = (run: () => Promise<T | undefined>) => run()): Promise<T | undefined> {
    const running = this.#lookups.get(name) ?? turn(() => this.#ask(name)).finally(() => this.#lookups.delete(name))
    this.#lookups.set(name, running)
    return running
  }

  async #ask(name: string): Promise<T | undefined> {
    const at = this.#now()
    try {
      const number = await this.#answerTo(name)
      const { renewedAt = NEVER } = this.#known.peek(name) ?? {}
      if (number !== undefined) this.#known.set(name, { number, at, nextAt: at + FRESH_MS, renewedAt })
      else {
        this.#known.delete(name)
        this.#without.set(name, { until: this.#now() + UNKNOWN_FOR_MS })
      }
      return number
    } catch (cause) {
      // Of an app's error only the class is shown: its message may contain a secret.
      const why = isA(cause, InvalidNumber) ? cause.message : `numbers.find() failed with ${readError(cause).name}`
      this.#tell(name, why)
      const entry = this.#usable(name)
      if (entry) {
        entry.nextAt = this.#now() + KNOWN_AGAIN_MS
        return entry.number
      }
      const error = unavailable(name, why)
      this.#without.set(name, { until: this.#now() + UNKNOWN_AGAIN_MS, error })
      throw error
    }
  }

  async #answerTo(name: string): Promise<T | undefined> {
    let found: unknown
    const finding = this.#o.find(name).then((it) => void (found = it))
    // A call that fails after its time limit, when nobody waits for it, must be no unhandled rejection.
    finding.catch(() => {})
    if (!(await endsWithin(ANSWER_WITHIN_MS, this.#o.timers, finding)))
      throw new InvalidNumber(`numbers.find() gave no answer within ${ANSWER_WITHIN_MS / 1_000} s`)
    if (found === undefined || found === null) return undefined
    try {
      return this.#o.read(name, found)
    } catch (error) {
      throw new InvalidNumber(reasonOf(error))
    }
  }

  #tell(name: string, why: string): void {
    this.#failures++
    if (this.#now() - this.#reportedAt < REPORT_EVERY_MS) return
    this.#o.failed(name, why, this.#failures)
    this.#reportedAt = this.#now()
    this.#failures = 0
  }

  async #getUnknown(name: string, isInUse: () => Promise<boolean>): Promise<T | undefined> {
    const none = this.#without.get(name)
    if (none && this.#now() < none.until) {
      if (none.error) throw none.error
      return undefined
    }
    return this.#lookUp(name, async (run) => {
      const queue = (await isInUse().catch(() => false)) ? this.#inUse : this.#maybeInvented
      if (queue === this.#maybeInvented && queue.size >= MOST_WAITING)
        throw unavailable(name, 'too many unknown names are looked up', true)
      return queue.add(run)
    })
  }
}

function unavailable(name: string, why: string, tooMany = false): NumberUnavailable {
  return new NumberUnavailable(`number "${name}" is not known now: ${why}`, { tooMany })
}

/** An error whose message is our own, and may be shown. */
class InvalidNumber extends Error {}
