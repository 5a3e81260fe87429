import { Secret } from '../base/mask.ts'
import { codePoints, LIMITS } from '../contract/index.ts'
import { built, type Built, type OneTimeCode, string, type Wire } from './content.ts'
import type { Lang, OneTimeCodes, TemplateName } from './template.ts'

/** Stands wherever a one-time code would appear, as in the service's own records (OTP-06). */
export const CODE_WITHHELD = '[code withheld]'

const builder = 'oneTimeCode()'

/** The visible wire form holds `CODE_WITHHELD`; the code itself comes from `codeIn` alone. */
type BuiltCode = Built<OneTimeCode> & { readonly code: Secret }

/**
 * A one-time code, sent with an approved template whose category is `AUTHENTICATION`: the template's whole text
 * is the upstream platform's, only the code is given (OTP-01). Its name and language are matched exactly.
 *
 * The code is a string of 1 to 15 characters, so that leading zeros stay: no newline or tab, no space at its ends,
 * no four spaces in a row, no link or domain, no emoji (OTP-03, OTP-04); that is checked when it is sent. Nothing
 * prints it: inspectors, `JSON.stringify` and errors show `[code withheld]`.
 *
 *     await client.messages.send(phone, oneTimeCode('login_code', 'sw', '004711'), { idempotencyKey: keyFrom('login', attempt) })
 *
 * @throws SwitchhookError `content_invalid` if an argument is no string.
 */
export function oneTimeCode<N extends TemplateName<OneTimeCodes>>(
  name: N,
  language: Lang<N, OneTimeCodes>,
  code: string,
): OneTimeCode {
  const place = { builder, path: 'the code' }
  const named = {
    name: string({ builder, path: 'the name' }, name),
    language: string({ builder, path: 'the language' }, language),
  }
  const secret = new Secret(string(place, code, 'a number loses its leading zeros'), CODE_WITHHELD)
  return built({ kind: 'code' as const, code: secret }, wireWith(named, CODE_WITHHELD))
}

/** The code of a content, undefined for any other content. Callers must keep it in memory alone. */
export function codeIn(content: unknown): string | undefined {
  const secret = (content as Partial<BuiltCode> | null | undefined)?.code
  return secret instanceof Secret ? secret.reveal() : undefined
}

/** The wire form with the code in it: for sending, and for nothing else. */
export function revealed(wire: Wire, code: string): Wire {
  return wireWith({ name: wire['template_name'], language: wire['template_language'] }, code)
}

/** Exactly one text parameter in one body component; the service copies the code into the button itself (OTP-02). */
function wireWith({ name, language }: { name: unknown; language: unknown }, code: string): Wire {
  return {
    type: 'template',
    template_name: name,
    template_language: language,
    template_components: [{ type: 'body', parameters: [{ type: 'text', text: code }] }],
  }
}

// Labels and a top level of letters: `bit.ly`, `shop.example`. The service decides which of them are domains.
const DOMAIN = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.\p{L}{2,}(?![\p{L}\p{N}])/u
// `\p{Emoji}` includes the digits; these are shown as pictures on every phone.
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\u{fe0f}|\u{20e3}/u

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\n\t]/, 'holds a newline or a tab'],
  [/^ | $/, 'begins or ends with a space'],
  [/ {4}/, 'holds four spaces in a row'],
  [/https?:\/\/|www\./i, 'holds a link'],
  [DOMAIN, 'reads as a domain'],
  [EMOJI, 'holds an emoji'],
]

/** The rules that a code breaks (OTP-03, OTP-04), in words that do not repeat it. */
export function codeProblems(code: string): string[] {
  const { min, max } = LIMITS.code
  const length = codePoints(code)
  return [
    ...(length < min ? [`code: empty, at least ${min} character`] : []),
    ...(length > max ? [`code: ${length} characters, at most ${max}`] : []),
    ...FORBIDDEN.filter(([form]) => form.test(code)).map(([, why]) => `code: ${why}`),
  ]
}
