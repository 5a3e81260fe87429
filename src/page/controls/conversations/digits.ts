import { PHONE_FORM } from '../../../contract/phones.ts'

/** A number that a person writes from, read as people write one: `+255 712 000 101`. Undefined where it is none. */
export function readDigits(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replaceAll(/[\s().-]/g, '')
  return PHONE_FORM.test(digits) ? digits : undefined
}
