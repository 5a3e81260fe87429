import { holdsWords, isKnownWord, plainName } from '../payload/index.ts'

const WORD = /^[a-z][a-z\d]{0,31}(?:[._/-][a-z\d]{1,31}){0,4}$/i

/** A word that is written as people's names are. */
const NAME = /^[A-Z][a-z]/

const TIME_NAME = /(?:^|_)(?:at|time|timestamp)$/

const TIME =
  /^(?:\d{10}(?:\d{3}){0,2}(?:\.\d{1,9})?|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)$/

/** A run of digits long enough for a phone number. */
export const LONG_DIGITS = /\d{6,}/g

/**
 * True if a member of a payload tells nothing about anybody: a kind, a state or a time. All else was said by somebody
 * or may identify them.
 */
export function isHarmless(name: string, value: string | number): boolean {
  const plain = plainName(name)
  if (TIME_NAME.test(plain)) return TIME.test(String(value))
  if (typeof value !== 'string' || !holdsWords(name) || !WORD.test(value) || value.search(LONG_DIGITS) >= 0)
    return false
  return !NAME.test(value) || isKnownWord(value)
}
