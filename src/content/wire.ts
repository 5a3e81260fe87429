import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import type { MessageType, SendRequest } from '../contract/index.ts'
import { codeIn, revealed } from './code.ts'
import { codeProblems } from './code-rules.ts'
import type { Built, Content, OneTimeCode, Template, Wire } from './content.ts'
import { withExtra } from './extra.ts'
import { doubtsOf, problemsOf } from './problems.ts'
import { digitsOf } from './recipient.ts'
import { textOf } from './text.ts'

export interface EncodeOptions {
  /**
   * What becomes of a content that passes a limit of the service: `strict` (default) throws, `warn` tells and
   * encodes it, `off` encodes it. What is no content, and a recipient that is no phone number, is refused always.
   */
  readonly validation?: Validation | undefined
  /** Hears each problem under `warn`, and doubts under `strict` too; no text of the message is in it. */
  readonly warn?: ((problem: string) => void) | undefined
  /** Members of the body that this release does not know: an additive field needs no new version of the API. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

export type Validation = 'strict' | 'warn' | 'off'

/**
 * The exact bytes of a send, as a JSON string: serialised once, and the same at each attempt, since a service that
 * compares bodies under a key may compare bytes (IDEM-07). The same content has the same bytes in every process.
 * Those of a one-time code hold the code: keep them in memory alone, and `encodeWithheld` on disk.
 *
 * @throws SwitchhookError `content_invalid` where a limit is passed (under `strict`), the recipient is no phone
 * number, or no builder made the content; `options_invalid` where `extra` names a member that is known.
 */
export function encodeSend(content: Content | Template | OneTimeCode, to: string, options?: EncodeOptions): string {
  return JSON.stringify(wireOf(content, to, options))
}

/**
 * The same body as `encodeSend` makes of a one-time code, with `[code withheld]` where the code stands: for disks,
 * lists and logs, never for sending (OTP-06). Every code for one recipient has the same withheld body, so it tells
 * no two codes apart; nothing is validated. Of any other content it is what `encodeSend` makes under `off`.
 */
export function encodeWithheld(content: Content | Template | OneTimeCode, to: string): string {
  return JSON.stringify({ to: digitsOf(to), ...wireIn(content) })
}

/** The body of a send, in the service's spelling and always with `type` (SEND-02); as `encodeSend`. */
export function wireOf(
  content: Content | Template | OneTimeCode,
  to: string,
  options: EncodeOptions = {},
): SendRequest {
  const code = codeIn(content)
  const shown = wireIn(content)
  if (code === undefined && isCode(content))
    throw new SwitchhookError(
      'content_invalid',
      'a one-time code: the code is not in it, so it is a copy: make it anew',
    )
  const wire = code === undefined ? shown : revealed(shown, code)
  const send: SendRequest = withExtra({ to: digitsOf(to), ...wire }, options.extra)
  judge([...problemsOf(send), ...(code === undefined ? [] : codeProblems(code))], doubtsOf(send), options)
  return send
}

/** A copy by JSON or by spread looks like a code, and would send `[code withheld]` to a phone. */
function isCode(content: Content | Template | OneTimeCode): boolean {
  return typeof content !== 'string' && (content as OneTimeCode | null)?.kind === 'code'
}

function judge(problems: string[], doubts: string[], { validation = 'strict', warn }: EncodeOptions): void {
  if (validation === 'off') return
  if (validation === 'strict' && problems.length > 0) throw new SwitchhookError('content_invalid', problems.join('; '))
  for (const problem of [...problems, ...doubts]) warn?.(problem)
}

function wireIn(content: Content | Template | OneTimeCode): Wire {
  if (typeof content === 'string') return textOf(content, 'a text').wire
  const wire = (content as Partial<Built<Template>> | null | undefined)?.wire
  if (wire !== undefined) return wire
  throw new SwitchhookError(
    'content_invalid',
    `a content must be a string, or made by ${inWords(Object.values(BUILDERS).flat())}, got ${kindOf(content)}`,
  )
}

/** The builders that make each type of message. */
const BUILDERS: Readonly<Record<MessageType, readonly string[]>> = {
  text: ['text()'],
  interactive: ['buttons()', 'list()', 'link()'],
  image: ['image()'],
  video: ['video()'],
  document: ['document()'],
  audio: ['audio()'],
  template: ['template()', 'oneTimeCode()'],
}

function inWords(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
}
