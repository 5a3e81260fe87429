/** A number that a person writes from, read as people write one: `+255 712 000 101`. Undefined where it is none. */
export function readDigits(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replaceAll(/[\s().-]/g, '')
  return /^[1-9]\d{5,14}$/.test(digits) ? digits : undefined
}
