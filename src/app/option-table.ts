import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'

/** One row of a table of options. A new option is a member of an interface and a row beside it, in `options.ts`. */
export interface Option<Given> {
  /** Checks the value, wherever it comes from. */
  readonly check: Check
  /** The environment variable that counts if the option is not given. */
  readonly environment?: Variable<Given>
  /** Turns a checked value into the one that the bot works with, and undefined into the option's default. */
  readonly setting: (given: Given | undefined) => unknown
}

/** A table with a row for each member of an interface: the compiler names the one that is missing. */
export type OptionTable<Options> = { readonly [K in keyof Options]-?: Option<Exclude<Options[K], undefined>> }

type Table = Readonly<
  Record<
    string,
    {
      readonly check: Check
      readonly environment?: Variable<unknown>
      readonly setting: (given: never) => unknown
    }
  >
>

export type SettingsOf<T extends Table> = {
  readonly [K in keyof T]: ReturnType<T[K]['setting']>
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Variable<T> {
  readonly name: string
  read(environment: Environment): T | undefined
}

/** An environment variable with one value; an empty one counts as missing. */
export function variable(name: string): Variable<string> {
  return { name, read: (environment) => environment[name]?.trim() || undefined }
}

/** An environment variable with commas between its entries. */
export function listVariable(name: string): Variable<string[]> {
  return {
    name,
    read(environment) {
      const entries = (environment[name] ?? '')
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '')
      return entries.length > 0 ? entries : undefined
    },
  }
}

/** Completes options from the environment and the defaults; values from the environment are checked like options. */
export function settingsOf<T extends Table>(table: T, options: object, environment: Environment): SettingsOf<T> {
  const settings = Object.entries(table).map(([name, option]) => {
    const given: unknown = options[name as keyof typeof options]
    const found = given === undefined ? option.environment?.read(environment) : undefined
    return [name, found === undefined ? option.setting(given as never) : settingFromVariable(name, option, found)]
  })
  return Object.fromEntries(settings) as SettingsOf<T>
}

/** Checks a value from the environment; an error names the variable too, since the app did not give the option. */
function settingFromVariable(name: string, option: Table[string], found: unknown): unknown {
  try {
    option.check(found, name)
    return option.setting(found as never)
  } catch (error) {
    if (!(error instanceof SwitchhookError)) throw error
    const message = `${error.message} (from ${option.environment?.name})`
    throw optionsInvalid(message, { cause: error })
  }
}

/**
 * Throws if a value does not fit, with the option's name, with what was expected, and with the kind of value that came.
 * The value itself is not shown, since it may be a secret in the wrong place.
 */
export type Check = (value: unknown, name: string) => void

/** Checks an object of options against the checks of its members. */
export function checkMembers(
  given: unknown,
  name: string,
  checks: Readonly<Record<string, Check | { readonly check: Check }>>,
): void {
  if (!isRecord(given)) throw refuse(name, 'an object', given)
  const prefix = name === '' ? '' : `${name}.`
  for (const [member, value] of Object.entries(given)) {
    const found = Object.hasOwn(checks, member) ? checks[member] : undefined
    if (!found)
      throw optionsInvalid(
        `${prefix}${member}: there is no such option; the options here are ${Object.keys(checks).join(', ')}`,
      )
    const check = typeof found === 'function' ? found : found.check
    if (value !== undefined) check(value, prefix + member)
  }
}

export function refuse(name: string, expected: string, value: unknown, got: string = kindOf(value)): SwitchhookError {
  return optionsInvalid(`${name}: expected ${expected}, got ${got}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list with something else in it'
  if (value === '') return 'an empty text'
  return typeof value === 'string' ? 'another text' : `a value of type ${typeof value}`
}

export function expecting(expected: string, fits: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!fits(value)) throw refuse(name, expected, value)
  }
}

export function oneOf(...values: readonly unknown[]): Check {
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return expecting(`${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`, (value) => values.includes(value))
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isFunction = (value: unknown): boolean => typeof value === 'function'

export const text = expecting('some text', isText)
export const aFunction = expecting('a function', isFunction)
export const textSource = expecting('some text or a function', (value) => isText(value) || isFunction(value))
export const textListSource = expecting('some text or a function', (value) =>
  Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value) || isFunction(value),
)

export const countFromOne: Check = (value, name) => {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return
  // A number is shown here: it is no secret.
  throw refuse(name, 'a whole number from 1 on', value, typeof value === 'number' ? String(value) : undefined)
}

export const duration: Check = (value, name) => {
  try {
    toMs(value as Duration)
  } catch {
    throw refuse(name, "a span such as '30s', or milliseconds", value)
  }
}

/** Zero does not mean "never": each attempt would be over at once, each reply too late. */
export const positiveDuration: Check = (value, name) => {
  duration(value, name)
  if (toMs(value as Duration) <= 0) throw refuse(name, "a span above zero such as '30s'", value)
}

export function optionalMs(given: Duration | undefined): number | undefined {
  return given === undefined ? undefined : toMs(given)
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === 'function'
}
