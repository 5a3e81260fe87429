import type { Clock, Random, Timers } from '../base/clock.ts'
import { SwitchhookError } from '../base/errors.ts'
import { isRecord, type MaybeAsync } from '../base/value.ts'
import { type Client, createClient } from '../client/index.ts'
import { numberNamesOf, type SecretSource } from '../receive/keys.ts'
import {
  type Check,
  checkMembers,
  type Environment,
  listVariable,
  type OptionTable,
  refuse,
  settingsOf,
  text,
  textListSource,
  textSource,
  variable,
} from './option-table.ts'

/** A value, or a function that gives it for a number. The function of a token is called for every attempt to send. */
export type Source<T> = T | ((about: { number: string }) => MaybeAsync<T>)

/** The options of one number. */
export interface NumberOptions {
  /**
   * The number's token; default `SWITCHHOOK_ACCESS_TOKEN`. Without a token a bot receives and handles, and replying is
   * the error `no_access_token`.
   */
  accessToken?: Source<string>
  /**
   * The signing secret, or several live ones while a new one is being introduced. Default `SWITCHHOOK_SIGNING_SECRET`,
   * with commas between several. The answer of a function is kept; a wrong signature makes it be called again, at most
   * every 30 s. Until it has answered, deliveries are turned away with 503.
   */
  signingSecret?: Source<string | readonly string[]>
  /**
   * The number's id at the service; default `SWITCHHOOK_PHONE_NUMBER_ID`. Needed if several numbers have the same token.
   */
  phoneNumberId?: string
}

export const NUMBER_OPTIONS = {
  accessToken: {
    check: textSource,
    environment: variable('SWITCHHOOK_ACCESS_TOKEN'),
    setting: (given) => given,
  },
  signingSecret: {
    check: textListSource,
    environment: listVariable('SWITCHHOOK_SIGNING_SECRET'),
    setting: (given) => given,
  },
  phoneNumberId: {
    check: text,
    environment: variable('SWITCHHOOK_PHONE_NUMBER_ID'),
    setting: (given) => given,
  },
} satisfies OptionTable<NumberOptions>

/** Checks the option `numbers`: an object of numbers by name. */
export const namedNumbers: Check = (value, option) => {
  if (!isRecord(value) || Object.keys(value).length === 0) throw refuse(option, 'an object of numbers by name', value)
  for (const [name, number] of Object.entries(value)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name))
      throw refuse(`${option}: the name "${name}"`, 'letters, digits, - and _', name)
    checkMembers(number, `${option}.${name}`, NUMBER_OPTIONS)
  }
}

export interface NumberSettings {
  readonly name: string
  readonly accessToken: Source<string> | undefined
  readonly signingSecret: Source<string | readonly string[]>
  readonly phoneNumberId: string | undefined
}

/**
 * Completes the bot's numbers: the named ones, or one called `default`, which is the only one to use the environment.
 *
 * @throws SwitchhookError `environment_missing`, with all that is missing at once.
 */
export function numbersFrom(
  options: NumberOptions & { readonly numbers?: Readonly<Record<string, NumberOptions>> },
  baseUrl: string | undefined,
  environment: Environment,
): NumberSettings[] {
  const numbers = options.numbers
    ? Object.entries(options.numbers).map(([name, number]) => ({ name, ...settingsOf(NUMBER_OPTIONS, number, {}) }))
    : [{ name: 'default', ...settingsOf(NUMBER_OPTIONS, options, environment) }]
  const missing = numbers
    .filter(({ signingSecret }) => signingSecret === undefined)
    .map(({ name }) =>
      name === 'default'
        ? 'SWITCHHOOK_SIGNING_SECRET (or the option signingSecret)'
        : `the option numbers.${name}.signingSecret`,
    )
  if (baseUrl === undefined && numbers.some(({ accessToken }) => accessToken !== undefined))
    missing.push('SWITCHHOOK_BASE_URL (or the option baseUrl): an access token is given, but not where to send')
  if (missing.length > 0)
    throw new SwitchhookError('environment_missing', `the bot cannot start without: ${missing.join('; ')}`)
  return numbers as NumberSettings[]
}

/** The secrets of a number, for the receiver. */
export function secretsOf({ name, signingSecret }: NumberSettings): SecretSource {
  const secrets = typeof signingSecret === 'function' ? () => signingSecret({ number: name }) : signingSecret
  return { number: name, secrets }
}

/** The numbers that a subscription's deliveries may belong to: several if they share a secret. */
export function numbersOf(numbers: readonly NumberSettings[], subscription: string) {
  const names = numberNamesOf(subscription)
  return numbers.filter(({ name }) => names.includes(name)).map(({ name, phoneNumberId }) => ({ name, phoneNumberId }))
}

/** Gives the present token of a number, by name; undefined if its function fails. */
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
