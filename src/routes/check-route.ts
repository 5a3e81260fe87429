import { SwitchhookError } from '../base/errors.ts'
import { fold } from './pattern.ts'

/** What cannot work is refused where it is written, not at the first message that meets it. */
export function checkHandler(method: string, handler: unknown): void {
  if (typeof handler !== 'function') throw refuse(method, `expected a handler, got ${kindOf(handler)}`)
}

export function checkFilled(method: string, what: unknown): void {
  if (typeof what !== 'string' || what.trim() === '')
    throw refuse(method, `expected some text as its first argument, got ${kindOf(what)}`)
}

export function checkWords(what: unknown): void {
  if (typeof what === 'function') return
  const words: unknown[] = Array.isArray(what) ? what : [what]
  const good = words.every((word) => word instanceof RegExp || (typeof word === 'string' && fold(word) !== ''))
  if (words.length === 0 || !good)
    throw refuse('hears', `expected a word, a RegExp, a list of them or a predicate, got ${kindOf(what)}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list with something else in it'
  return typeof value === 'string' && fold(value) === '' ? 'an empty text' : typeof value
}

function refuse(method: string, why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `${method}(): ${why}`)
}
