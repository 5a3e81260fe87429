import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import { isMessageType, type MessageMember, readsMember, type SendRequest, sendSchema } from './contract.ts'
import type { Built, Content, OneTimeCode, Template, Wire } from './content.ts'
import { textOf } from './interactive.ts'
import { codeIn, codeProblems, revealed } from './one-time-code.ts'
import { digitsOf } from './recipient.ts'
import { isUnseen, UNSEEN } from './unseen.ts'

/**
 * The exact bytes of a send, as a JSON string: the same at each attempt and in every process, because a service may
 * compare bytes under a key (IDEM-07). Those of a one-time code contain the code: store `encodeWithheld` instead.
 *
 * @throws SwitchhookError `content_invalid` if a limit is broken, the recipient is not a phone number, or no builder
 * made the content.
 */
export function encodeSend(content: Content | Template | OneTimeCode, to: string): string {
  return JSON.stringify(wireOf(content, to))
}

/** The bytes of a one-time code for disks, lists and logs (OTP-06): the same for every code to one recipient. */
export function encodeWithheld(content: Content | Template | OneTimeCode, to: string): string {
  return JSON.stringify({ to: digitsOf(to), ...wireIn(content) })
}

/** Makes the body of a send, always with `type` (SEND-02). @throws as `encodeSend` */
export function wireOf(content: Content | Template | OneTimeCode, to: string): SendRequest {
  const code = codeIn(content)
  const visible = wireIn(content)
  // A copy of a one-time code, by JSON or by spread, contains `[code withheld]` in place of the code.
  if (code === undefined && typeof content !== 'string' && (content as OneTimeCode | null)?.kind === 'code')
    throw new SwitchhookError('content_invalid', 'a one-time code is a copy without the code: make a new one')
  const wire = code === undefined ? visible : revealed(visible, code)
  const send: SendRequest = { to: digitsOf(to), ...wire }
  const problems = [...problemsOf(send), ...(code === undefined ? [] : codeProblems(code))]
  if (problems.length > 0) throw new SwitchhookError('content_invalid', problems.join('; '))
  return send
}

function wireIn(content: Content | Template | OneTimeCode): Wire {
  if (typeof content === 'string') return textOf(content, 'a text').wire
  const wire = (content as Partial<Built<Template>> | null | undefined)?.wire
  if (wire !== undefined) return wire
  const expected = 'a content must be a string, or made by a builder such as text(), image() or buttons()'
  throw new SwitchhookError('content_invalid', `${expected}, got ${kindOf(content)}`)
}

/** Returns the problems of a send, without its texts. */
function problemsOf(send: SendRequest): string[] {
  // A content of an unknown type comes from another release of this package. Only the service can check it.
  if (!isMessageType(send.type)) return []
  const issues = sendSchema.safeParse(send).error?.issues ?? []
  const found = issues.map(({ path, message }) => {
    const value = path.reduce<unknown>(
      (at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step],
      send,
    )
    const isCut = LABELS.has(path.at(-1) ?? '') && message.startsWith('must have') && value !== ''
    return `${pathText(path)}: ${message}${isCut ? ": pass fit: 'ellipsis' to its builder, which cuts it" : ''}`
  })
  return [...new Set([...found, ...unseenProblems(send)])]
}

/** The members that `fit` cuts. */
const LABELS: ReadonlySet<PropertyKey> = new Set(['title', 'description', 'button_text', 'media_caption'])

const SHOWN: ReadonlySet<string> = new Set(['body', 'footer', 'title', 'description', 'button_text', 'display_text'])

/** The service's limits count invisible characters, but the upstream platform refuses a text of nothing else. */
function unseenProblems(send: SendRequest): string[] {
  const members = Object.keys(UNSEEN_IN) as MessageMember[]
  return members.filter((one) => readsMember(send.type ?? 'text', one)).flatMap((one) => UNSEEN_IN[one](send))
}

/** The problems of each member. Templates are checked by the service. */
const UNSEEN_IN: Readonly<Record<MessageMember, (send: SendRequest) => string[]>> = {
  text: ({ text }) => (isUnseen(text) ? ['text: is required for type text'] : []),
  media_caption: ({ media_caption: caption }) => (isUnseen(caption) ? ['media_caption: must not be blank'] : []),
  media_url: () => [],
  media_filename: () => [],
  template_name: () => [],
  template_language: () => [],
  template_components: () => [],
  interactive: ({ interactive }) => {
    const problems: string[] = []
    const visit = (value: unknown, path: readonly PropertyKey[]): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, each] of Object.entries(value)) {
        const at = [...path, Array.isArray(value) ? Number(name) : name]
        if (SHOWN.has(name) && isUnseen(each)) problems.push(`${pathText(at)}: must not be blank`)
        visit(each, at)
      }
    }
    visit(interactive, ['interactive'])
    const titles = (interactive?.buttons ?? []).map(({ title }) => title.normalize('NFKC').replaceAll(UNSEEN, ''))
    if (new Set(titles).size < titles.length) problems.push('interactive.buttons: titles must not repeat')
    return problems
  },
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('')
}
