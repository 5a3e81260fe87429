import { Secret } from '../base/mask.ts'
import { string } from './check.ts'
import { built, type Built, type OneTimeCode, type Wire } from './content.ts'
import type { Lang, TemplateName } from './template.ts'
import type { OneTimeCodes } from './templates.ts'

/** What stands wherever a one-time code would appear, as in the service's own records (OTP-06). */
export const CODE_WITHHELD = '[code withheld]'

const builder = 'oneTimeCode()'

/** The wire form that can be seen is the withheld one; the code itself must be asked for. */
type BuiltCode = Built<OneTimeCode> & { readonly code: Secret }

/**
 * A one-time code, sent with an approved template whose category is `AUTHENTICATION`: the template's whole text
 * is the upstream platform's, only the code is given (OTP-01). Its name and language are matched exactly.
 *
 * The code is a string of 1 to 15 characters, so that leading zeros stay: no newline or tab, no space at its ends,
 * no four spaces in a row, no link or domain, no emoji (OTP-03, OTP-04); that is checked where it is sent. Nothing
 * prints it: inspectors, `JSON.stringify` and errors show `[code withheld]`.
 *
 *     await client.messages.send(phone, oneTimeCode('login_code', 'sw', '004711'), { idempotencyKey: keyFrom('login', attempt) })
 *
 * @throws SwitchhookError `content_invalid` where an argument is no string.
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

/** The code of a content, or undefined where the content is another. Whoever takes it keeps it in memory alone. */
export function codeIn(content: unknown): string | undefined {
  const secret = (content as Partial<BuiltCode> | null | undefined)?.code
  return secret instanceof Secret ? secret.reveal() : undefined
}

/** The wire form with the code in it: for the way out, and for nothing else. */
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
