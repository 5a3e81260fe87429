import type { Clock, Random, Timers } from '../base/clock.ts'
import { type Client, createClient } from '../client/index.ts'
import { numberNamesOf, type SecretSource } from '../receive/keys.ts'
import type { NumberSettings } from './numbers.ts'

/** The secrets of a number, for the receiver. */
export function secretsOf({ name, signingSecret }: NumberSettings): SecretSource {
  const secrets = typeof signingSecret === 'function' ? () => signingSecret({ number: name }) : signingSecret
  return { number: name, secrets }
}

/** The numbers that a subscription's deliveries may belong to: several if they share a secret. */
export function numbersOfSubscription(numbers: readonly NumberSettings[], subscription: string) {
  const names = numberNamesOf(subscription)
  return numbers.filter(({ name }) => names.includes(name)).map(({ name, phoneNumberId }) => ({ name, phoneNumberId }))
}

/**
 * Gives the present token of a number, by name; undefined if its function fails. The error is dropped, since this token
 * is only compared with an earlier one (AUTH-02): the next attempt to send calls the function again and reports it.
 */
export function tokensOf(numbers: readonly NumberSettings[]) {
  return async (name: string): Promise<string | undefined> => {
    const token = numbers.find((number) => number.name === name)?.accessToken
    if (typeof token !== 'function') return token
    return Promise.resolve()
      .then(() => token({ number: name }))
      .catch(() => undefined)
  }
}

/** Makes a client for each number that has a token. */
export function clientsOf(
  { numbers, baseUrl }: { readonly numbers: readonly NumberSettings[]; readonly baseUrl: string | undefined },
  deps: { clock: Clock; timers: Timers; random: Random; fetch: typeof fetch | undefined },
): Map<string, Client> {
  const clients = new Map<string, Client>()
  if (baseUrl === undefined) return clients
  for (const { name, accessToken, phoneNumberId } of numbers)
    if (accessToken !== undefined)
      clients.set(
        name,
        createClient({
          baseUrl,
          accessToken: typeof accessToken === 'function' ? () => accessToken({ number: name }) : accessToken,
          ...(phoneNumberId !== undefined && { phoneNumberId }),
          ...(deps.fetch && { fetch: deps.fetch }),
          timers: deps.timers,
          random: deps.random,
          onOffset: (offset) => deps.clock.adopt(offset),
        }),
      )
  return clients
}
