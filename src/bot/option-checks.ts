import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError, isA } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'

/** Throws if a value does not fit. The error never shows the value, which may be a misplaced secret. */
export type Check = (value: unknown, name: string) => void

export type Checks<Options> = { readonly [K in keyof Options]-?: Check }

export function checkMembers(given: unknown, name: string, checks: Readonly<Record<string, Check>>): void {
  if (!isRecord(given)) throw refuse(name, 'an object', given)
  const prefix = name === '' ? '' : `${name}.`
  for (const [member, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, member) ? checks[member] : undefined
    if (!check)
      throw optionsInvalid(
        `${prefix}${member}: this option does not exist; the options are ${Object.keys(checks).join(', ')}`,
      )
    if (value !== undefined) check(value, prefix + member)
  }
}

export function refuse(
  name: string,
  expected: string,
  value: unknown,
  got: string = shownType(value),
): SwitchhookError {
  return optionsInvalid(`${name}: expected ${expected}, got ${got}`)
}

function shownType(value: unknown): string {
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
  // Unlike a text, a number is no misplaced secret, so the error may show it.
  throw refuse(name, 'a whole number from 1 on', value, typeof value === 'number' ? String(value) : undefined)
}

export const duration: Check = (value, name) => {
  try {
    toMs(value as Duration)
  } catch {
    throw refuse(name, "a span such as '30s', or milliseconds", value)
  }
}

/** Zero would not mean "never": each attempt would end at once, and each reply would be too late. */
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
 * Returns the known names that a misspelt name may mean, quoted and joined by `or`: it has one wrong letter, differs in
 * case or separators, or is a part of one, such as `delivered`. Undefined if it is known, or unlike all of them.
 */
export function misspelt(name: string, all: readonly string[]): string | undefined {
  if (all.includes(name)) return undefined
  const letters = lettersOf(name)
  const meant = all.filter(
    (known) => isOneEditAway(name, known) || lettersOf(known) === letters || known.split(/[.:]/).includes(name),
  )
  // Leaves out the statuses if an event fits too, because `message` is a part of many names.
  const events = meant.filter((known) => !known.includes(':'))
  const named = (events.length > 0 ? events : meant).map((known) => `'${known}'`)
  return named.length === 0 ? undefined : named.join(' or ')
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}

// ── variables ───────────────────────────────────────────────────────────────────────────────────────

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment variables of options. `'A,'`: the variable A lists several values with commas. */
export type Variables<Options> = { readonly [K in keyof Options]?: string }

/** Adds options from the environment to the app's, and checks them. An empty variable counts as missing. */
export function withVariables<Options extends object>(
  options: Options,
  variables: Variables<Options>,
  checks: Readonly<Record<keyof Options, Check>>,
  environment: Environment,
): Options {
  const all = { ...options }
  for (const option of Object.keys(variables) as (keyof Options & string)[]) {
    if (options[option] !== undefined) continue
    const name = variables[option] ?? ''
    const found = name.endsWith(',') ? listIn(environment[name.slice(0, -1)]) : environment[name]?.trim() || undefined
    if (found === undefined) continue
    checkVariable(found, { option, variable: name.replace(',', ''), check: checks[option] })
    all[option] = found as Options[typeof option]
  }
  return all
}

function listIn(text = ''): string[] | undefined {
  const entries = text.split(',').flatMap((entry) => entry.trim() || [])
  return entries.length > 0 ? entries : undefined
}

/** The error also names the variable, because the app did not set the option. */
function checkVariable(
  found: unknown,
  { option, variable, check }: { readonly option: string; readonly variable: string; readonly check: Check },
): void {
  try {
    check(found, option)
  } catch (error) {
    if (!isA(error, SwitchhookError)) throw error
    throw optionsInvalid(`${error.message} (from ${variable})`, { cause: error })
  }
}

export function optionalMs(given: Duration | undefined): number | undefined {
  return given === undefined ? undefined : toMs(given)
}
