import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { isRecord, type MaybeAsync } from '../base/value.ts'
import {
  aFunction,
  type Check,
  checkMembers,
  type Checks,
  type Environment,
  refuse,
  text,
  textListSource,
  textSource,
  type Variables,
  withVariables,
} from './option-checks.ts'

/** A value, or a function that returns it for a number. A token's function is called for every attempt to send. */
export type Source<T> = T | ((about: { number: string }) => MaybeAsync<T>)

/** The options of one number. */
export interface NumberOptions {
  /** Default `SWITCHHOOK_ACCESS_TOKEN`. Without a token the bot receives, and a reply throws `no_access_token`. */
  accessToken?: Source<string>
  /**
   * The signing secret, or several valid ones during a rotation. Default `SWITCHHOOK_SIGNING_SECRET`, which may list
   * several with commas. A function's result is cached. After a wrong signature the function is called again, at most
   * every 30 s. Until it first returns, deliveries get 503.
   */
  signingSecret?: Source<string | readonly string[]>
  /** The number's id at the service. Default `SWITCHHOOK_PHONE_NUMBER_ID`. Needed if several numbers share a token. */
  phoneNumberId?: string
}

export const NUMBER_CHECKS: Checks<NumberOptions> = {
  accessToken: textSource,
  signingSecret: textListSource,
  phoneNumberId: text,
}

const NUMBER_VARIABLES: Variables<NumberOptions> = {
  accessToken: 'SWITCHHOOK_ACCESS_TOKEN',
  signingSecret: 'SWITCHHOOK_SIGNING_SECRET,',
  phoneNumberId: 'SWITCHHOOK_PHONE_NUMBER_ID',
}

/**
 * Numbers that the app stores itself, such as a platform's tenants. Each is looked up by name when it is first needed,
 * so you can add, change or remove one without a restart. Each process caches the results.
 */
export interface NumberSource {
  /**
   * Returns the options of a number, or `undefined` or `null` for an unknown name. A result is used for a minute, and
   * for another one while `find` is called again. If it throws or takes longer than 5 s, the last known options stay in
   * use, for a day. Called at most once at a time for each name.
   */
  find(name: string): MaybeAsync<NumberOptions | null | undefined>
}

/** The option `numbers`: numbers by name, or a source that looks them up. */
export type NumbersOption = Record<string, NumberOptions> | NumberSource

export function isSource(numbers: NumbersOption | undefined): numbers is NumberSource {
  return typeof numbers?.['find' as keyof typeof numbers] === 'function'
}

const NAME_FORM = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Names of lanes and subscriptions contain number names, separated by characters that no number name has. */
export function isNumberName(name: unknown): boolean {
  return typeof name === 'string' && NAME_FORM.test(name)
}

export const numbersOption: Check = (value, option) => {
  if (!isRecord(value) || Object.keys(value).length === 0)
    throw refuse(option, 'an object of numbers by name, or one with find()', value)
  if (isSource(value as unknown as NumbersOption)) return checkMembers(value, option, { find: aFunction })
  for (const [name, number] of Object.entries(value)) {
    if (!isNumberName(name)) throw refuse(`${option}: the name "${name}"`, 'letters, digits, - and _', name)
    checkMembers(number, `${option}.${name}`, NUMBER_CHECKS)
  }
}

/** Refuses options such as `accessToken` beside `numbers`. @throws SwitchhookError `options_invalid` */
export function refuseOptionsOfOne(options: NumberOptions & { readonly numbers?: NumbersOption }): void {
  if (options.numbers === undefined) return
  for (const option of Object.keys(NUMBER_CHECKS) as (keyof NumberOptions)[])
    if (options[option] !== undefined)
      throw optionsInvalid(
        isSource(options.numbers)
          ? `${option}: with a source of numbers, return it from find() for each number`
          : `${option}: with several numbers, set it for each of them as numbers.NAME.${option}`,
      )
}

export interface NumberSettings {
  readonly name: string
  readonly accessToken: Source<string> | undefined
  readonly signingSecret: Source<string | readonly string[]>
  readonly phoneNumberId: string | undefined
}

export type NumbersSettings = readonly NumberSettings[] | NumberSource

export function isSourceSettings(numbers: NumbersSettings): numbers is NumberSource {
  return !Array.isArray(numbers)
}

/** Applies defaults, and to a single number the environment. @throws SwitchhookError `environment_missing` */
export function numbersFrom(
  { numbers: given, ...single }: NumberOptions & { readonly numbers?: NumbersOption },
  baseUrl: string | undefined,
  environment: Environment,
): NumbersSettings {
  if (isSource(given)) return given
  const numbers = given
    ? Object.entries(given).map(([name, number]) => ({ name, ...settingsOf(number) }))
    : [{ name: 'default', ...settingsOf(withVariables(single, NUMBER_VARIABLES, NUMBER_CHECKS, environment)) }]
  const missing = numbers
    .filter(({ signingSecret }) => signingSecret === undefined)
    .map(({ name }) =>
      name === 'default'
        ? 'SWITCHHOOK_SIGNING_SECRET (or the option signingSecret)'
        : `the option numbers.${name}.signingSecret`,
    )
  if (baseUrl === undefined && numbers.some(({ accessToken }) => accessToken !== undefined))
    missing.push('SWITCHHOOK_BASE_URL (or the option baseUrl): an access token is set, but no address to send to')
  if (missing.length > 0)
    throw new SwitchhookError('environment_missing', `the bot cannot start without: ${missing.join('; ')}`)
  return numbers as NumberSettings[]
}

function settingsOf({ accessToken, signingSecret, phoneNumberId }: NumberOptions) {
  return { accessToken, signingSecret, phoneNumberId }
}
