import type { Clock, Random, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { MaybeAsync } from '../base/value.ts'
import { type Client, createClient } from '../client/index.ts'
import { createKeySource, type KeysOfNumbers, numberNamesOf, type SecretSource } from '../receive/keys.ts'
import type { NumberSettings, Source } from './numbers.ts'

/** The numbers of a bot, as its parts ask for them: of a table, or of a source. */
export interface Numbers {
  /** How many there are, or may be. */
  readonly count: number
  /** Any of them can send. */
  readonly canSend: boolean
  /** @throws SwitchhookError `options_invalid` if a secret is empty or has blank ends. */
  keys(): KeysOfNumbers
  /** See `SendDeps`. */
  client(name: string): MaybeAsync<Client | undefined>
  /** See `SendDeps`. */
  clientAfterRefusal?(name: string, refused: Client, since: number): Promise<Client | undefined>
  /** See `OutboxDeps`. */
  token(name: string): Promise<string | undefined>
  /** See `IngestRules`. */
  ofSubscription(subscription: string): readonly OwnNumber[]
  /** See `IngestRules`. */
  learn?(subscriptions: readonly string[]): Promise<unknown>
}

interface OwnNumber {
  readonly name: string
  readonly phoneNumberId: string | undefined
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
    token: (name) => tokenOf(numbers.find((number) => number.name === name)),
    // Several if they share a secret.
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

/**
 * The present token of a number; undefined if it has none, or if its function fails. The error is dropped, since this token is
 * only compared with an earlier one (AUTH-02): the next attempt to send calls the function again and reports it.
 */
export async function tokenOf(number: Sending | undefined): Promise<string | undefined> {
  const token: Source<string> | undefined = number?.accessToken
  if (typeof token !== 'function') return token
  return Promise.resolve()
    .then(() => token({ number: number?.name ?? '' }))
    .catch(() => undefined)
}

/** The client of a number; undefined if it has no token, or nowhere to send. */
export function clientOf({ name, accessToken, phoneNumberId }: Sending, deps: NumberDeps): Client | undefined {
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
