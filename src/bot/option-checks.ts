import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'

/** Throws if a value does not fit. Names its kind and never shows it: it may be a misplaced secret. */
export type Check = (value: unknown, name: string) => void

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
        `${prefix}${member}: this option does not exist; the options are ${Object.keys(checks).join(', ')}`,
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
  if (Array.isArray(value)) return 'a list with another value'
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
  // A number is shown here, because it is not a secret.
  throw refuse(name, 'a whole number from 1 on', value, typeof value === 'number' ? String(value) : undefined)
}

export const duration: Check = (value, name) => {
  try {
    toMs(value as Duration)
  } catch {
    throw refuse(name, "a span such as '30s', or milliseconds", value)
  }
}

/** Zero does not mean "never": each attempt would end at once, and each reply would be too late. */
export const positiveDuration: Check = (value, name) => {
  duration(value, name)
  if (toMs(value as Duration) <= 0) throw refuse(name, "a span above zero such as '30s'", value)
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === 'function'
}

/** Tells whether two words differ by one edit: a letter added, left out or changed, or two neighbours swapped. */
function isOneEditAway(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [one, other] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const swapped = one.length === 2 && other === `${one[1]}${one[0]}`
  return swapped || (one.length <= 1 && other.length <= 1)
}

/**
 * The known names that a misspelt name may mean, quoted and joined by `or`: it has one wrong letter, differs only in case
 * or separators, or is a part of one, such as `message` or `delivered`. Undefined if it is known, or unlike all of them.
 */
export function misspelt(name: string, all: readonly string[]): string | undefined {
  if (all.includes(name)) return undefined
  const letters = lettersOf(name)
  const meant = all.filter(
    (known) => isOneEditAway(name, known) || lettersOf(known) === letters || known.split(/[.:]/).includes(name),
  )
  // `message` is a part of many names: the events are enough.
  const events = meant.filter((known) => !known.includes(':'))
  const named = (events.length > 0 ? events : meant).map((known) => `'${known}'`)
  return named.length === 0 ? undefined : named.join(' or ')
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}

// ── tables ──────────────────────────────────────────────────────────────────────────────────────────

/** One row of a table of options. To add an option, add a member to the interface and a row here, in `options.ts`. */
export interface Option<Given> {
  readonly check: Check
  readonly environment?: Variable<Given>
  /** Turns a checked value into the bot's setting, and undefined into the default. */
  readonly setting: (given: Given | undefined) => unknown
}

/** A table with a row for each member of an interface. The compiler names a missing one. */
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

/** An environment variable with one value. An empty one counts as missing. */
export function variable(name: string): Variable<string> {
  return { name, read: (environment) => environment[name]?.trim() || undefined }
}

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

/** Fills in options from the environment and the defaults. Values from the environment are checked like options. */
export function settingsOf<T extends Table>(table: T, options: object, environment: Environment): SettingsOf<T> {
  const settings = Object.entries(table).map(([name, option]) => {
    const given: unknown = options[name as keyof typeof options]
    const found = given === undefined ? option.environment?.read(environment) : undefined
    return [name, found === undefined ? option.setting(given as never) : settingFromVariable(name, option, found)]
  })
  return Object.fromEntries(settings) as SettingsOf<T>
}

/** Checks a value from the environment. An error names the variable too, because the app did not set the option. */
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

export function optionalMs(given: Duration | undefined): number | undefined {
  return given === undefined ? undefined : toMs(given)
}
