import { endsWithin } from '../base/clock.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'
import type { Client } from '../client/index.ts'
import { createNumberCache, type NumberCache, NumberUnavailable } from '../numbers/number-cache.ts'
import {
  createKeyring,
  type Keyring,
  type KeySource,
  numberNamesOf,
  SecretsUnknown,
  TooManyNames,
} from '../receive/keys.ts'
import { clientOf, type NumberDeps, type Numbers, tokenOf } from './number-parts.ts'
import { isNumberName, NUMBER_OPTIONS, type NumberOptions, type NumberSourceSettings, type Source } from './numbers.ts'
import { checkMembers } from './option-table.ts'

/** A number as its source gave it, ready for use. Its secrets are kept as key objects alone. */
interface FoundNumber {
  readonly name: string
  readonly keyring: Keyring
  readonly accessToken: Source<string> | undefined
  readonly phoneNumberId: string | undefined
  readonly client: Client | undefined
}

export interface NumberSourceDeps extends NumberDeps {
  /** See `NumberCacheDeps`. */
  failed(name: string, why: string, failures: number): void
}

/** The numbers of a source: each is asked for by its name when it is needed, and kept. */
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
      if (number.accessToken !== undefined && !number.client) throw nowhereToSend(name)
      return number.client
    },
    async clientAfterRefusal(name, refused, since) {
      const number = await cache.renewed(name, { since })
      return number?.client === refused ? undefined : number?.client
    },
    // Asked every few seconds while a number is stopped. One that nobody has is asked for by the probe of each minute.
    async token(name) {
      return cache.lastKnown(name) && (await get(name).then(tokenOf, () => undefined))
    },
    ofSubscription: (subscription) =>
      numberNamesOf(subscription).map((name) => ({ name, phoneNumberId: cache.lastKnown(name)?.phoneNumberId })),
    async learn(subscriptions) {
      const unknown = new Set(subscriptions.flatMap(numberNamesOf).filter((name) => !cache.lastKnown(name)))
      if (unknown.size > 0) await endsWithin(LEARN_WITHIN_MS, deps.timers, Promise.allSettled([...unknown].map(get)))
    },
  }
}

/** The longest wait for numbers that are not known yet: deliveries of other numbers wait too. */
const LEARN_WITHIN_MS = 1_000
/**
 * The shortest time between two questions out of doubt: a forger must not be able to have the app's database answer
 * more often for a number.
 */
const DOUBT_EVERY_MS = 30_000

/** The keys of one number, for one delivery at its endpoint. A secret that was changed a moment ago is asked for. */
async function keysOf(
  name: string,
  cache: NumberCache<FoundNumber>,
  { clock }: NumberSourceDeps,
): Promise<KeySource | undefined> {
  const since = clock.monotonic()
  const number = await cache.get(name, { fromOutside: true }).catch((error: unknown) => {
    if (!(error instanceof NumberUnavailable)) throw error
    throw error.crowded ? new TooManyNames(error.message) : new SecretsUnknown(error.message)
  })
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

/** A function of secrets is part of the question, and is called whenever the number is asked for. */
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
    throw optionsInvalid(`${what}.signingSecret: it is missing, and no delivery can be verified`)
  const number = { name, accessToken, phoneNumberId, keyring: createKeyring({ [name]: signingSecret }) }
  const isSame = before && before.accessToken === accessToken && before.phoneNumberId === phoneNumberId
  return { ...number, client: isSame ? before.client : clientOf(number, deps) }
}

function nowhereToSend(name: string): SwitchhookError {
  return new SwitchhookError(
    'no_access_token',
    `number "${name}" has an access token, but there is nowhere to send: set SWITCHHOOK_BASE_URL (or the option baseUrl)`,
  )
}

function noNumber(name: string): SwitchhookError {
  return new SwitchhookError(
    'no_access_token',
    `numbers.find() gives no number "${name}", so nothing can be sent: add it again, or end its sends with \`switchhook outbox resolve ID --drop\``,
  )
}
