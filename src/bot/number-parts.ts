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
  numberNamesOf,
  type SecretSource,
} from './in/keys.ts'
import type { OwnNumber } from './in/ingest.ts'
import {
  isNumberName,
  NUMBER_OPTIONS,
  type NumberOptions,
  type NumberSettings,
  type NumberSourceSettings,
  type Source,
} from './numbers.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { checkMembers } from './option-checks.ts'
import { createNumberCache, type NumberCache } from './number-cache.ts'

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
  return {
    count: numbers.length,
    canSend: [...clients.values()].some((client) => client !== undefined),
    keys: () => createKeySource(numbers.map(secretsOf), deps.clock.machine, deps.timers),
    client: (name) => clients.get(name),
    ofSubscription(subscription) {
      const names = numberNamesOf(subscription)
      const own = numbers.filter(({ name }) => names.includes(name))
      return own.map(({ name, phoneNumberId }) => ({ name, phoneNumberId }))
    },
  }
}

function secretsOf({ name, signingSecret }: NumberSettings): SecretSource {
  const secrets = typeof signingSecret === 'function' ? () => signingSecret({ number: name }) : signingSecret
  return { number: name, secrets }
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

/** A number from its source, ready for use. Its secrets are stored only as key objects. */
interface FoundNumber {
  readonly name: string
  readonly keyring: Keyring
  readonly accessToken: Source<string> | undefined
  readonly phoneNumberId: string | undefined
  readonly client: Client | undefined
}

export interface NumberSourceDeps extends NumberDeps {
  failed(name: string, why: string, failures: number): void
}

export function numbersOfSource(source: NumberSourceSettings, deps: NumberSourceDeps): Numbers {
  const cache: NumberCache<FoundNumber> = createNumberCache<FoundNumber>({
    ...source,
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
      if (!number) throw noNumber(name)
      if (number.accessToken !== undefined && !number.client) throw noAddress(name)
      return number.client
    },
    async clientAfterRefusal(name, refused, since) {
      const number = await cache.renewed(name, { since })
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

/** The longest wait for unknown numbers, because deliveries of other numbers wait too. */
const LEARN_WITHIN_MS = 1_000
/**
 * The shortest time between two lookups after a wrong signature, so that a forger cannot make the app's database answer
 * more often.
 */
const DOUBT_EVERY_MS = 30_000

/** The keys of one number, for one delivery at its endpoint. Looks for a secret that has just changed. */
async function keysOf(
  name: string,
  cache: NumberCache<FoundNumber>,
  { clock }: NumberSourceDeps,
): Promise<KeySource | undefined> {
  const since = clock.monotonic()
  const number = await cache.get(name)
  return (
    number && {
      complete: () => true,
      live: async () => number.keyring,
      async renewed() {
        const now = await cache.renewed(name, { since, atMostEvery: DOUBT_EVERY_MS })
        return now === number ? undefined : now?.keyring
      },
    }
  )
}

/** A function of secrets is part of the lookup, and is called with it. */
async function findIn({ find }: NumberSourceSettings, name: string): Promise<unknown> {
  const found: unknown = await find(name)
  if (!isRecord(found) || typeof found['signingSecret'] !== 'function') return found
  const { signingSecret } = found as { signingSecret: (about: { number: string }) => unknown }
  return { ...found, signingSecret: await signingSecret({ number: name }) }
}

/** @throws SwitchhookError `options_invalid`, without the values. */
function readNumber(name: string, found: unknown, before: FoundNumber | undefined, deps: NumberDeps): FoundNumber {
  const what = `numbers.find('${name}')`
  checkMembers(found, what, NUMBER_OPTIONS)
  const { signingSecret, accessToken, phoneNumberId } = found as NumberOptions & { signingSecret?: string | string[] }
  if (signingSecret === undefined)
    throw optionsInvalid(`${what}.signingSecret: missing, so deliveries cannot be verified`)
  const number = { name, accessToken, phoneNumberId, keyring: createKeyring({ [name]: signingSecret }) }
  const isSame = before && before.accessToken === accessToken && before.phoneNumberId === phoneNumberId
  return { ...number, client: isSame ? before.client : clientOf(number, deps) }
}

function noAddress(name: string): SwitchhookError {
  return new SwitchhookError(
    'no_access_token',
    `number "${name}" has an access token, but no address to send to: set SWITCHHOOK_BASE_URL (or the option baseUrl)`,
  )
}

function noNumber(name: string): SwitchhookError {
  return new SwitchhookError(
    'no_access_token',
    `numbers.find() returns no number "${name}", so nothing can be sent: add the number again, or drop its sends with \`switchhook outbox resolve ID --drop\``,
  )
}
