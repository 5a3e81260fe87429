import { Secret } from '../base/mask.ts'
import { asRecord } from '../base/value.ts'
import { codePoints, LIMITS } from './contract.ts'
import { built, type Built, type OneTimeCode, string, type Wire } from './content.ts'
import type { Lang, OneTimeCodes, TemplateName } from './template.ts'

/** Replaces a one-time code wherever it would appear, as in the service's own records (OTP-06). */
export const CODE_WITHHELD = '[code withheld]'

const builder = 'oneTimeCode()'

/** `wire` contains `CODE_WITHHELD` in place of the code. Only `codeIn` returns the code itself. */
type BuiltCode = Built<OneTimeCode> & { readonly code: Secret }

/**
 * A one-time code, sent with an approved template of category `AUTHENTICATION`. The upstream platform writes the
 * template's text, and you pass only the code (OTP-01). Name and language must match exactly.
 *
 * The code is a string of 1 to 15 characters, so that leading zeros stay. It has no newline or tab, no space at its
 * ends, no four spaces in a row, no link or domain, and no emoji (OTP-03, OTP-04). This is checked when it is sent.
 * Nothing prints it: inspectors, `JSON.stringify` and errors show `[code withheld]`.
 *
 *     await client.messages.send(phone, oneTimeCode('login_code', 'sw', '004711'), { idempotencyKey: keyFrom('login', attempt) })
 *
 * @throws SwitchhookError `content_invalid` if an argument is not a string.
 */
export function oneTimeCode<N extends TemplateName<OneTimeCodes>>(
  name: N,
  language: Lang<N, OneTimeCodes>,
  code: string,
): OneTimeCode {
  const argument = { builder, path: 'the code' }
  const named = {
    name: string({ builder, path: 'the name' }, name),
    language: string({ builder, path: 'the language' }, language),
  }
  const secret = new Secret(string(argument, code, 'a number loses its leading zeros'), CODE_WITHHELD)
  return built({ kind: 'code' as const, code: secret }, wireWith(named, CODE_WITHHELD))
}

/** The code of a content; undefined for any other content. Callers must keep it only in memory. */
export function codeIn(content: unknown): string | undefined {
  const secret = (content as Partial<BuiltCode> | null | undefined)?.code
  return secret instanceof Secret ? secret.reveal() : undefined
}

export function revealed(wire: Wire, code: string): Wire {
  return wireWith({ name: wire['template_name'], language: wire['template_language'] }, code)
}

/** Passes the code only once: the service copies it into the template's button itself (OTP-02). */
function wireWith({ name, language }: { name: unknown; language: unknown }, code: string): Wire {
  return {
    type: 'template',
    template_name: name,
    template_language: language,
    template_components: [{ type: 'body', parameters: [{ type: 'text', text: code }] }],
  }
}

/** Returns the body text of a template that has only one. It may be a one-time code: only the service knows. */
export function onlyBodyText(components: unknown): string | undefined {
  const all: unknown[] = Array.isArray(components) ? components : []
  const bodies = all.map(asRecord).filter((one) => one['type'] === 'body')
  const parameters: unknown = bodies.length === 1 ? bodies[0]?.['parameters'] : undefined
  const { text } = asRecord(Array.isArray(parameters) && parameters.length === 1 ? parameters[0] : undefined)
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** True if a template has one body text, which could be a code, and no header. */
export function mayBeForCode(components: unknown): boolean {
  const text = onlyBodyText(components)
  const hasHeader = Array.isArray(components) && components.some((one) => asRecord(one)['type'] === 'header')
  return text !== undefined && !hasHeader && codeProblems(text).length === 0
}

// Matches `bit.ly` and `shop.example`. Only the service knows which such words are domains.
const DOMAIN = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.\p{L}{2,}(?![\p{L}\p{N}])/u
// Matches no digits, although `\p{Emoji}` includes them.
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\u{fe0f}|\u{20e3}/u

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\n\t]/, 'contains a newline or a tab'],
  [/^ | $/, 'begins or ends with a space'],
  [/ {4}/, 'contains four spaces in a row'],
  [/https?:\/\/|www\./i, 'contains a link'],
  [DOMAIN, 'reads as a domain'],
  [EMOJI, 'contains an emoji'],
]

/** The rules that a code breaks (OTP-03, OTP-04), without repeating the code. */
export function codeProblems(code: string): string[] {
  const { min, max } = LIMITS.code
  const length = codePoints(code)
  return [
    ...(length < min ? [`code: empty, at least ${min} character`] : []),
    ...(length > max ? [`code: ${length} characters, at most ${max}`] : []),
    ...FORBIDDEN.filter(([form]) => form.test(code)).map(([, why]) => `code: ${why}`),
  ]
}
