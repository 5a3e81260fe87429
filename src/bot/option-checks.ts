import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'

/**
 * Throws if a value does not fit, with the option's name, the expected form, and the kind of the given value. Does not
 * show the value, because it may be a misplaced secret.
 */
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

/** The edits from one word to another: a letter added, left out or changed, or two neighbours swapped. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const changed = (row[column - 1] ?? 0) + (b[column - 1] === a[line - 1] ? 0 : 1)
      const swapped = a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1]
      const edits = [changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1]
      next.push(Math.min(...edits, ...(swapped ? [(before[column - 2] ?? 0) + 1] : [])))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

/**
 * The known names that a misspelt name may mean, quoted and joined by `or`: it has one wrong letter, differs only in case
 * or separators, or is a part of one, such as `message` or `delivered`. Undefined if it is known, or unlike all of them.
 */
export function misspelt(name: string, all: readonly string[]): string | undefined {
  if (all.includes(name)) return undefined
  const letters = lettersOf(name)
  const meant = all.filter(
    (known) => distance(name, known) <= 1 || lettersOf(known) === letters || known.split(/[.:]/).includes(name),
  )
  // `message` is a part of many names: the events are enough.
  const events = meant.filter((known) => !known.includes(':'))
  const named = (events.length > 0 ? events : meant).map((known) => `'${known}'`)
  return named.length === 0 ? undefined : named.join(' or ')
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}
