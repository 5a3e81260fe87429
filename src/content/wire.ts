import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import type { MessageType, SendRequest } from '../contract/index.ts'
import type { Built, Content, OneTimeCode, Template, Wire } from './content.ts'
import { codeIn, codeProblems, revealed } from './one-time-code.ts'
import { digitsOf } from './recipient.ts'
import { textOf } from './text-and-media.ts'
import { doubtsOf, problemsOf } from './validation.ts'

export interface EncodeOptions {
  /** Called with each doubt about a content that breaks no limit; no text of the message is in it. */
  readonly warn?: ((problem: string) => void) | undefined
}

/**
 * The exact bytes of a send, as a JSON string: serialised once, and the same at each attempt, since a service that
 * compares bodies under a key may compare bytes (IDEM-07). The same content has the same bytes in every process.
 * Those of a one-time code hold the code: keep them in memory alone, and `encodeWithheld` on disk.
 *
 * @throws SwitchhookError `content_invalid` if a limit is broken, the recipient is no phone number, or no builder made
 * the content.
 */
export function encodeSend(content: Content | Template | OneTimeCode, to: string, options?: EncodeOptions): string {
  return JSON.stringify(wireOf(content, to, options))
}

/**
 * The body that `encodeSend` makes of a one-time code, with `[code withheld]` in place of the code: for disks,
 * lists and logs, never for sending (OTP-06). Every code for one recipient has the same withheld body, so it tells
 * no two codes apart; nothing is validated.
 */
export function encodeWithheld(content: Content | Template | OneTimeCode, to: string): string {
  return JSON.stringify({ to: digitsOf(to), ...wireIn(content) })
}

/** The body of a send, in the service's spelling and always with `type` (SEND-02); refuses what `encodeSend` does. */
export function wireOf(
  content: Content | Template | OneTimeCode,
  to: string,
  { warn }: EncodeOptions = {},
): SendRequest {
  const code = codeIn(content)
  const visible = wireIn(content)
  if (code === undefined && isCode(content))
    throw new SwitchhookError(
      'content_invalid',
      'a one-time code: the code is not in it, so it is a copy: make it anew',
    )
  const wire = code === undefined ? visible : revealed(visible, code)
  const send: SendRequest = { to: digitsOf(to), ...wire }
  const problems = [...problemsOf(send), ...(code === undefined ? [] : codeProblems(code))]
  if (problems.length > 0) throw new SwitchhookError('content_invalid', problems.join('; '))
  for (const doubt of warn ? doubtsOf(send) : []) warn?.(doubt)
  return send
}

/** A copy by JSON or by spread looks like a code, and would send `[code withheld]` to a phone. */
function isCode(content: Content | Template | OneTimeCode): boolean {
  return typeof content !== 'string' && (content as OneTimeCode | null)?.kind === 'code'
}

const BUILDERS: Readonly<Record<MessageType, readonly string[]>> = {
  text: ['text()'],
  interactive: ['buttons()', 'list()', 'link()'],
  image: ['image()'],
  video: ['video()'],
  document: ['document()'],
  audio: ['audio()'],
  template: ['template()', 'oneTimeCode()'],
}

function wireIn(content: Content | Template | OneTimeCode): Wire {
  if (typeof content === 'string') return textOf(content, 'a text').wire
  const wire = (content as Partial<Built<Template>> | null | undefined)?.wire
  if (wire !== undefined) return wire
  const builders = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.values(BUILDERS).flat())
  throw new SwitchhookError(
    'content_invalid',
    `a content must be a string, or made by ${builders}, got ${kindOf(content)}`,
  )
}
