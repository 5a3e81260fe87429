import { codePoints, LIMITS } from '../contract/index.ts'

// Labels and a top level of letters: `bit.ly`, `shop.example`. What may be a domain or not, the service decides.
const DOMAIN = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.\p{L}{2,}(?![\p{L}\p{N}])/u
// `\p{Emoji}` has the digits in it; these are shown as pictures on every phone.
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\u{fe0f}|\u{20e3}/u

const RULES: readonly (readonly [RegExp, string])[] = [
  [/[\n\t]/, 'holds a newline or a tab'],
  [/^ | $/, 'begins or ends with a space'],
  [/ {4}/, 'holds four spaces in a row'],
  [/https?:\/\/|www\./i, 'holds a link'],
  [DOMAIN, 'reads as a domain'],
  [EMOJI, 'holds an emoji'],
]

/** Which rules a code breaks (OTP-03, OTP-04), in words that do not repeat it. */
export function codeProblems(code: string): string[] {
  const { min, max } = LIMITS.code
  const length = codePoints(code)
  return [
    ...(length < min ? [`code: empty, at least ${min} character`] : []),
    ...(length > max ? [`code: ${length} characters, at most ${max}`] : []),
    ...RULES.filter(([form]) => form.test(code)).map(([, why]) => `code: ${why}`),
  ]
}
