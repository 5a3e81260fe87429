import type { Clock, Random, Timers } from '../base/clock.ts'
import { type Client, createClient } from '../client/index.ts'
import type { SecretSource } from '../receive/key-source.ts'
import type { NumberSettings, Settings } from './settings.ts'

interface Around {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly fetch: typeof fetch | undefined
}

/** Where the live secrets of a number come from. */
export function secretsOf({ name, signingSecret }: NumberSettings): SecretSource {
  const secrets = typeof signingSecret === 'function' ? () => signingSecret({ number: name }) : signingSecret
  return { number: name, secrets }
}

/** The token that a number would send with now; a function that fails gives none. */
export function tokensOf({ numbers }: Settings) {
  return async (name: string): Promise<string | undefined> => {
    const token = numbers.find((number) => number.name === name)?.accessToken
    if (typeof token !== 'function') return token
    return Promise.resolve()
      .then(() => token({ number: name }))
      .catch(() => undefined)
  }
}

/** A client for each number that has a token. */
export function clientsOf(settings: Settings, around: Around): Map<string, Client> {
  const clients = new Map<string, Client>()
  const { baseUrl } = settings
  if (baseUrl === undefined) return clients
  for (const { name, accessToken, phoneNumberId } of settings.numbers)
    if (accessToken !== undefined)
      clients.set(
        name,
        createClient({
          baseUrl,
          accessToken: typeof accessToken === 'function' ? () => accessToken({ number: name }) : accessToken,
          ...(phoneNumberId !== undefined && { phoneNumberId }),
          ...(around.fetch && { fetch: around.fetch }),
          timers: around.timers,
          random: around.random,
          onOffset: (offset) => around.clock.adopt(offset),
        }),
      )
  return clients
}

/** The numbers of a subscription: several where they share a secret. */
export function numbersNamed(numbers: readonly NumberSettings[], names: readonly string[]) {
  return numbers.filter(({ name }) => names.includes(name)).map(({ name, phoneNumberId }) => ({ name, phoneNumberId }))
}
