import { SwitchhookError } from '../base/errors.ts'
import { isPublicHost } from '../base/host.ts'
import { kindOf } from '../base/value.ts'
import {
  codePoints,
  HEADER_MEDIA,
  type Interactive,
  isMessageType,
  LIMITS,
  type MessageMember,
  OUTBOUND_KINDS,
  type SendRequest,
} from './contract.ts'
import type { Built, Content, OneTimeCode, Template, Wire } from './content.ts'
import { textOf } from './interactive.ts'
import { codeIn, codeProblems, revealed } from './one-time-code.ts'
import { digitsOf } from './recipient.ts'

/**
 * The exact bytes of a send, as a JSON string. They are the same at each attempt and in every process, because a
 * service that compares bodies under a key may compare bytes (IDEM-07). Those of a one-time code contain the code: keep
 * them only in memory, and store `encodeWithheld`.
 *
 * @throws SwitchhookError `content_invalid` if a limit is broken, the recipient is not a phone number, or no builder
 * made the content.
 */
export function encodeSend(content: Content | Template | OneTimeCode, to: string): string {
  return JSON.stringify(wireOf(content, to))
}

/**
 * The body of a one-time code with `[code withheld]` instead of the code: for disks, lists and logs, never for sending
 * (OTP-06). It is the same for every code to one recipient, so it does not distinguish codes. Validates nothing.
 */
export function encodeWithheld(content: Content | Template | OneTimeCode, to: string): string {
  return JSON.stringify({ to: digitsOf(to), ...wireIn(content) })
}

/** The body of a send, in the service's format and always with `type` (SEND-02). Refuses the same as `encodeSend`. */
export function wireOf(content: Content | Template | OneTimeCode, to: string): SendRequest {
  const code = codeIn(content)
  const visible = wireIn(content)
  if (code === undefined && isCode(content))
    throw new SwitchhookError('content_invalid', 'a one-time code is a copy without the code: make a new one')
  const wire = code === undefined ? visible : revealed(visible, code)
  const send: SendRequest = { to: digitsOf(to), ...wire }
  const problems = [...problemsOf(send), ...(code === undefined ? [] : codeProblems(code))]
  if (problems.length > 0) throw new SwitchhookError('content_invalid', problems.join('; '))
  return send
}

/** A copy by JSON or by spread looks like a code, and would send `[code withheld]` to a phone. */
function isCode(content: Content | Template | OneTimeCode): boolean {
  return typeof content !== 'string' && (content as OneTimeCode | null)?.kind === 'code'
}

function wireIn(content: Content | Template | OneTimeCode): Wire {
  if (typeof content === 'string') return textOf(content, 'a text').wire
  const wire = (content as Partial<Built<Template>> | null | undefined)?.wire
  if (wire !== undefined) return wire
  const expected = 'a content must be a string, or made by a builder such as text(), image() or buttons()'
  throw new SwitchhookError('content_invalid', `${expected}, got ${kindOf(content)}`)
}

/**
 * The service's limits that a send's body breaks, each with its place, the value and the fix. Lengths are counted in
 * code points. Repeats no text of the message.
 */
function problemsOf(send: SendRequest): string[] {
  return [
    ...outsideLimit('to', send.to.length, LIMITS.to, 'digits', 'write it in full international format'),
    ...missingMembers(send),
    ...FILLED.flatMap((path) => valuesAt(send, path)).flatMap(blank),
    ...LENGTHS.flatMap(({ path, limit, advice }) =>
      valuesAt(send, path).flatMap(({ place, value }) =>
        outsideLimit(place, codePoints(value), limit, 'characters', advice),
      ),
    ),
    ...(send.interactive ? interactiveProblems(send.interactive) : []),
    ...FETCHED.flatMap((path) => valuesAt(send, path)).flatMap(({ place, value }) => {
      const problem = addressProblem(value)
      return problem === undefined ? [] : [`${place}: ${problem}`]
    }),
  ]
}

interface Limit {
  readonly min?: number
  readonly max: number
}

const SHORTEN = 'shorten it, nothing is cut'

type Path = readonly Step[]

interface Step {
  readonly name: string
  /** True if the member is a list, and the rest of the path applies to each item. */
  readonly each: boolean
}

/** `[]` stands for each item. */
function pathOf(text: string): Path {
  return text.split('.').map((step) => ({ name: step.replace('[]', ''), each: step.endsWith('[]') }))
}

const LENGTH_TABLE: readonly (readonly [path: string, limit: Limit, advice: string])[] = [
  ['text', LIMITS.text, 'send it in parts of your choice, nothing is cut'],
  ['media_caption', LIMITS.mediaCaption, 'send a separate text'],
  ['interactive.body', LIMITS.interactiveBody, 'send the rest as a text before it'],
  ['interactive.footer', LIMITS.interactiveFooter, SHORTEN],
  ['interactive.buttons[].id', LIMITS.buttonId, SHORTEN],
  ['interactive.buttons[].title', LIMITS.buttonTitle, SHORTEN],
  ['interactive.button_text', LIMITS.listButtonText, SHORTEN],
  ['interactive.sections[].title', LIMITS.sectionTitle, SHORTEN],
  ['interactive.sections[].rows[].id', LIMITS.rowId, SHORTEN],
  ['interactive.sections[].rows[].title', LIMITS.rowTitle, SHORTEN],
  ['interactive.sections[].rows[].description', LIMITS.rowDescription, SHORTEN],
  ['interactive.cta.display_text', LIMITS.linkTitle, SHORTEN],
  ['interactive.cta.url', LIMITS.linkUrl, 'use a shorter address'],
]

/** The place in a send's body for each length limit of the service. The advice is ours. */
const LENGTHS = LENGTH_TABLE.map(([path, limit, advice]) => ({ path: pathOf(path), limit, advice }))

const FILLED = ['text', 'media_filename', 'template_name', 'template_language'].map(pathOf)

const FETCHED = ['media_url', ...HEADER_MEDIA.map((medium) => `template_components[].parameters[].${medium}.link`)].map(
  pathOf,
)

const NONE: readonly never[] = []

/** The strings at a path of these tables, each with its place in the body. Absent ones are left out. */
function valuesAt(value: unknown, path: Path, depth = 0, place = ''): readonly { place: string; value: string }[] {
  const step = path[depth]
  if (!step) return typeof value === 'string' ? [{ place, value }] : NONE
  const member = (value as Record<string, unknown> | null | undefined)?.[step.name]
  if (member === undefined || member === null) return NONE
  const here = place === '' ? step.name : `${place}.${step.name}`
  if (!step.each) return valuesAt(member, path, depth + 1, here)
  return (member as readonly unknown[]).flatMap((one, at) => valuesAt(one, path, depth + 1, `${here}[${at}]`))
}

/** The members that the type requires and the body lacks (SEND-03, SEND-05, SEND-11). */
function missingMembers(send: SendRequest): string[] {
  const { type = 'text' } = send
  // A content from another release of this package may have a type that this one does not know.
  const requires: readonly MessageMember[] = isMessageType(type) ? OUTBOUND_KINDS[type].requires : []
  return requires
    .filter((member) => send[member] === undefined || send[member] === null)
    .map((member) => `${member}: missing, required for type ${type}: set it`)
}

function outsideLimit(place: string, count: number, { min = 0, max }: Limit, unit: string, advice: string): string[] {
  if (count < min) return [`${place}: ${count} ${unit}, at least ${min}: fill it`]
  return count > max ? [`${place}: ${count} ${unit}, at most ${max}: ${advice}`] : []
}

function blank({ place, value }: { place: string; value: string }): string[] {
  return value.trim() === '' ? [`${place}: ${codePoints(value)} characters, must not be blank`] : []
}

function interactiveProblems({ type, buttons, sections, cta }: Interactive): string[] {
  switch (type) {
    case 'buttons':
      return buttonProblems(buttons ?? [])
    case 'list':
      return sectionProblems(sections ?? [])
    case 'cta_url':
      return /^https?:\/\//i.test(cta?.url ?? '') && URL.canParse(cta?.url ?? '')
        ? []
        : ['interactive.cta.url: not a full http or https address: begin it with https://']
  }
}

function buttonProblems(buttons: NonNullable<Interactive['buttons']>): string[] {
  const { min, max } = LIMITS.buttons
  const at = 'interactive.buttons'
  const ids = buttons.map(({ id }, index) => ({ id, place: `${at}[${index}].id` }))
  return [
    ...(buttons.length < min ? [`${at}: 0 buttons, at least ${min}: add one`] : []),
    ...(buttons.length > max
      ? [`${at}: ${buttons.length} buttons, at most ${max}: use list() for up to ${LIMITS.rows.max}`]
      : []),
    ...repeats(ids),
  ]
}

function sectionProblems(sections: NonNullable<Interactive['sections']>): string[] {
  const { min, max } = LIMITS.rows
  const at = 'interactive.sections'
  const ids = sections.flatMap(({ rows }, s) => rows.map(({ id }, r) => ({ id, place: `${at}[${s}].rows[${r}].id` })))
  const empty = sections.flatMap(({ rows }, s) =>
    rows.length === 0 ? [`${at}[${s}].rows: 0 rows, at least 1: leave the section out`] : [],
  )
  return [
    ...empty,
    ...(ids.length < min && empty.length === 0 ? [`${at}: 0 rows in total, at least ${min}: add one`] : []),
    ...(ids.length > max
      ? [`${at}: ${ids.length} rows in total, at most ${max}: show fewer, with a row for the rest`]
      : []),
    ...repeats(ids),
  ]
}

function repeats(ids: readonly { readonly id: string; readonly place: string }[]): string[] {
  const first = new Map<string, string>()
  return ids.flatMap(({ id, place }) => {
    const before = first.get(id)
    if (before !== undefined)
      return [`${place}: repeats that of ${before}, so the bot could not distinguish their taps`]
    first.set(id, place)
    return []
  })
}

/**
 * Why the upstream platform cannot fetch an address; undefined if it can: https, without user info, and not on this
 * machine or in a private network (SEND-05). Does not repeat the address, which may be signed.
 */
function addressProblem(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || url.protocol !== 'https:' || !/^https:\/\/\S+$/i.test(address))
    return 'not a full https address: the upstream platform fetches it only by https'
  if (url.username !== '' || url.password !== '') return 'contains a user name or password: it is fetched anonymously'
  if (!isPublicHost(url.hostname))
    return 'points to this machine or a private network: the upstream platform cannot reach it'
  return undefined
}

const ANYBODY = '255000000000'

/**
 * A content that is stored once for many recipients, as JSON. Ids of `tap()` stay unsigned.
 *
 * @throws SwitchhookError `content_invalid` as `encodeSend`, and for a one-time code, which is never stored (OTP-06).
 */
export function jsonOfContent(content: Content | Template): string {
  if (codeIn(content) !== undefined)
    throw new SwitchhookError('content_invalid', 'a one-time code is for one customer, and cannot be announced')
  const { to: _, ...wire } = JSON.parse(encodeSend(content, ANYBODY)) as Record<string, unknown>
  return JSON.stringify(wire)
}

/** The content of such JSON. */
export function contentIn(json: string): Content | Template {
  const wire = JSON.parse(json) as Wire
  const content: Built<Template | Exclude<Content, string>> = {
    kind: wire.type === 'template' ? 'template' : 'text',
    wire,
  }
  return content
}
