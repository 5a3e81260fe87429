import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import { LIMITS } from './contract.ts'

/** Blanks, hyphens, brackets and invisible marks, which documents and web pages have around and within numbers. */
const MARKS =
  /[\s\p{Z}\p{Pd}\u2043\u2212()[\]{}（）［］\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu

/** A number without the characters of `MARKS`, and without a `+` or `00` in front of it. */
export function unmarked(number: string): string {
  return number.replaceAll(MARKS, '').replace(/^[+＋]?(?:00)?(?=\d)/, '')
}

/**
 * The digits of a phone number in full international format. Removes what is pasted along: one leading `+` or `00`,
 * blanks, hyphens, brackets and invisible marks. Letters, `@`, hidden user ids such as `US.1349…`, a leading 0, a `(0)`
 * and a JavaScript number throw `content_invalid`, which never repeats the number. The number of digits is checked when
 * something is sent.
 */
export function digitsOf(to: string): string {
  if (typeof (to as unknown) !== 'string') refuse(`must be a string of digits, got ${kindOf(to)}`)
  if (/^[1-9][0-9]*$/.test(to)) return to
  // (0) is dialled only within the country. With it the number would be another customer's.
  if (/[([{（［]\s*0\s*[)\]}）］]/.test(to)) refuse('contains (0): write it in full international format, without it')
  const digits = unmarked(to)
  if (/^[A-Za-z]{1,3}\.\d/.test(digits))
    refuse('is a hidden user id, not a phone number: the service cannot send to it')
  if (/[@\p{L}]/u.test(digits)) refuse(`must be a phone number, got letters or @ (${wrongIn(digits)})`)
  if (!/^[0-9]+$/.test(digits))
    refuse(
      digits === ''
        ? 'must be a phone number, got no digits'
        : `must contain only digits, besides one leading + or 00, blanks, hyphens and brackets; got ${wrongIn(digits)}`,
    )
  if (digits.startsWith('0'))
    refuse('begins with 0: write it in full international format, country code first, without 0 before it')
  return digits
}

const MOST_SHOWN = 3

/** Returns code points: they reveal a letter that resembles a digit, and an invisible character. */
function wrongIn(digits: string): string {
  const wrong = [...new Set(digits.replaceAll(/[0-9]/g, ''))]
  const shown = wrong
    .slice(0, MOST_SHOWN)
    .map((char) => `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)
  return `${shown.join(', ')}${wrong.length > MOST_SHOWN ? ' …' : ''}`
}

/** No phone number has more digits (E.164), although the service accepts 20 characters. */
const LONGEST_NUMBER = 15

/** Like `digitsOf`, and checks how many digits the number has. */
export function recipient(to: string): string {
  const digits = digitsOf(to)
  const { min } = LIMITS.to
  if (digits.length < min || digits.length > LONGEST_NUMBER)
    refuse(`must have ${min} to ${LONGEST_NUMBER} digits, got ${digits.length}`)
  return digits
}

function refuse(why: string): never {
  throw new SwitchhookError('content_invalid', `the recipient ${why}`)
}

/** A recipient in a list: the phone number, and values for `{name}` in texts and in parameters of templates. */
export interface Recipient {
  to: string | number
  [name: string]: unknown
}
