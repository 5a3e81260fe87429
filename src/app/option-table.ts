import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import type { Check } from '../base/option-checks.ts'

/** One row of a table of options. A new option is a member of an interface and a row beside it, in `options.ts`. */
export interface Option<Given> {
  readonly check: Check
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

export function optionalMs(given: Duration | undefined): number | undefined {
  return given === undefined ? undefined : toMs(given)
}
