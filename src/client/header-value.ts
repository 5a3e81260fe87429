import { SwitchhookError } from '../base/errors.ts'

const LONGEST = 255

/** A value that a header carries unchanged: printable ASCII, no space at its ends, at most 255 characters. */
export function headerValue(name: string, value: unknown): string {
  const refuse = (why: string): never => {
    throw new SwitchhookError('options_invalid', `${name}: expected ${why}`)
  }
  if (typeof value !== 'string') return refuse(`a string, got ${value === null ? 'null' : typeof value}`)
  if (value.trim() === '') return refuse('a value, got a blank string')
  if (!/^[\x20-\x7e]*$/.test(value)) return refuse('printable ASCII characters alone')
  // A header loses the spaces at its ends, so two keys would become one.
  if (value !== value.trim()) return refuse('no space at its beginning or end')
  if (value.length > LONGEST) return refuse(`at most ${LONGEST} characters, got ${value.length}: make it by keyFrom()`)
  return value
}
