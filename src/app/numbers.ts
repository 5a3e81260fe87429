import { SwitchhookError } from '../base/errors.ts'
import { isRecord, type MaybeAsync } from '../base/value.ts'
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
