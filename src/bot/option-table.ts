import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import type { Check } from './option-checks.ts'

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
