import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import { LIMITS } from './contract.ts'

/**
 * The digits of a phone number in full international format. Removes one leading `+`, spaces, hyphens and parentheses.
 * Letters, `@`, hidden user ids such as `US.1349…`, a leading 0, a `(0)` and a JavaScript number throw
 * `content_invalid`, which never repeats the number. The number of digits is checked when something is sent.
 */
export function digitsOf(to: string): string {
  if (typeof (to as unknown) !== 'string') refuse(`must be a string of digits, got ${kindOf(to)}`)
  if (/^[1-9][0-9]*$/.test(to)) return to
  // (0) is dialled only within the country. With it, the number would be another one.
  if (/\(\s*0\s*\)/.test(to)) refuse('contains (0): write it in full international format, without it')
  const digits = to.replaceAll(/[\s()-]/g, '').replace(/^\+/, '')
  if (/^[A-Za-z]{1,3}\.\d/.test(digits))
    refuse('is a hidden user id, not a phone number: the service cannot send to it')
  if (/[@\p{L}]/u.test(digits)) refuse('must be a phone number, got letters or @')
  if (!/^[0-9]+$/.test(digits))
    refuse('must contain only digits, besides one leading +, spaces, hyphens and parentheses')
  if (digits.startsWith('0'))
    refuse('begins with 0: write it in full international format, country code first, without 0 or 00 before it')
  return digits
}

/** No phone number has more digits (E.164), although the service accepts 20 characters. */
const LONGEST_NUMBER = 15

/** The digits of a bot's customer: 6 to 15, because a customer has a phone number. */
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
