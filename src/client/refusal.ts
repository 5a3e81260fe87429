import { ruleOf } from '../contract/index.ts'
import type { ApiError } from './api-error.ts'
import { hintOf } from './hints.ts'
import { typeOf } from './error-types.ts'
import { type Answer, nameOf } from './call.ts'
import { asRecord, jsonOf } from './json.ts'

const SHOWN_CHARACTERS = 500

/**
 * An answer that is no success, as one family of errors (ERR-02): flat errors, `detail` arrays, errors without a
 * code, and bodies that are no JSON, from a proxy for instance.
 */
export function refusalOf(answer: Answer): ApiError {
  const { status } = answer
  const body = jsonOf(answer.text)
  const parts = partsOf(body)
  const detail = parts.detail.map(answer.scrub)
  const code =
    parts.code ?? (status === 422 && Array.isArray(asRecord(body)['detail']) ? 'validation_error' : undefined)
  const said = [parts.message, ...detail].filter((part) => part !== undefined)
  const told = said.length > 0 ? said.join('; ') : body === undefined ? plain(answer) : ''
  const head = `${nameOf(answer.call)} was refused: ${code === undefined ? status : `${status} ${answer.scrub(code)}`}`
  const phoneNumberIds = parts.phoneNumberIds.map(answer.scrub)
  const hint = hintOf(status, code, { phoneNumberIds, phoneNumberId: answer.call.phoneNumberId })
  const message = [head, short(answer.scrub(told)), hint].filter((part) => part !== '').join(': ')
  const rule =
    answer.call.method === 'POST' ? ruleOf(status, code) : { ...ruleOf(status, code), outcome: 'not_sent' as const }
  return new (typeOf(status, code))({
    message,
    status,
    code: code === undefined ? code : answer.scrub(code),
    rule,
    detail,
    phoneNumberIds,
  })
}

interface Parts {
  readonly code: string | undefined
  readonly message: string | undefined
  readonly detail: readonly string[]
  readonly phoneNumberIds: readonly string[]
}

/** The service says `{ code, message }` or `{ detail: [] }`; the same one level deeper is understood too. */
function partsOf(body: unknown): Parts {
  const flat = asRecord(body)
  const inner = asRecord(flat['error'])
  const deep = asRecord(flat['detail'])
  const one = (name: string) => [flat, inner, deep].map((at) => at[name]).find(isFilled)
  const bare = [flat['error'], flat['detail']].find(isFilled)
  const ids = [flat, inner, deep].map((at) => at['phone_number_ids']).find(Array.isArray) ?? []
  return {
    code: one('code'),
    message: one('message') ?? bare,
    detail: Array.isArray(flat['detail']) ? flat['detail'].map(detailOf) : [],
    phoneNumberIds: (ids as unknown[]).filter((id) => typeof id === 'string' || Number.isSafeInteger(id)).map(String),
  }
}

/** Place and reason alone: an item's `input` and `ctx` may hold the whole body. */
function detailOf(item: unknown): string {
  if (typeof item === 'string') return short(item)
  const { loc, msg, type } = asRecord(item)
  const place = (Array.isArray(loc) ? loc : []).reduce<string>(
    (path, step) =>
      typeof step === 'number' ? `${path}[${step}]` : path === '' ? String(step) : `${path}.${String(step)}`,
    '',
  )
  const reason = [msg, type].find(isFilled) ?? 'refused'
  return short(place === '' ? reason : `${place}: ${reason}`)
}

/** What a proxy said, where that is a line and no page. */
function plain({ text }: Answer): string {
  const line = text
    .slice(0, 2 * SHOWN_CHARACTERS)
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (line === '') return 'with an empty body'
  return line.startsWith('<') ? 'with a page instead of JSON, so it may come from a proxy' : line
}

function short(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
