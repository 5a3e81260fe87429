import { API_ERRORS, ruleOf } from '../contract/index.ts'
import type { ApiError } from './api-error.ts'
import { hintOf } from './hints.ts'
import { typeOf } from './error-types.ts'
import { type Answer, nameOf } from './call.ts'
import { asRecord, jsonOf } from './json.ts'
import { keyHash } from './key.ts'
import { oneLine } from './one-line.ts'
import { maskedRawOf } from './raw.ts'
import { retryAfterMs } from './retry-after.ts'

const SHOWN_CHARACTERS = 500
/** No more of an answer than this is searched for what must not be shown, and no more is shown. */
const READ_CHARACTERS = 65_536

/**
 * An answer that is no success, as one family of errors (ERR-02): flat errors, `detail` arrays, errors without a
 * code, and bodies that are no JSON, from a proxy for instance.
 */
export function refusalOf(answer: Answer): ApiError {
  const { status, call } = answer
  // The service, or a proxy before it, may repeat the request: what it held is taken out before anything is cut.
  const body = jsonOf(answer.text, (text) => (isKnown(text) ? text : answer.scrub(text.slice(0, READ_CHARACTERS))))
  const { message, detail, phoneNumberIds, ...parts } = partsOf(body)
  const code = parts.code ?? (status === 422 && detail.length > 0 ? 'validation_error' : undefined)
  const said = [message, ...detail].filter((part) => part !== undefined).join('; ')
  const told = said === '' && body === undefined ? plain(answer.scrub(answer.text.slice(0, READ_CHARACTERS))) : said
  const head = `${nameOf(call)} was refused: ${code === undefined ? status : `${status} ${short(code)}`}`
  const hint = hintOf(status, code, { phoneNumberIds, phoneNumberId: call.phoneNumberId })
  const rule = ruleOf(status, code)
  return new (typeOf(status, code))({
    message: `${head}${told && `: ${short(told)}`}${hint && ` (${hint})`}`,
    status,
    code,
    rule: call.method === 'POST' ? rule : { ...rule, outcome: 'not_sent' },
    detail,
    phoneNumberIds,
    idempotencyKeyHash: keyHash(call.idempotencyKey),
    retryAfterMs: retryAfterMs(answer.headers),
    raw: () => maskedRawOf(answer),
  })
}

/** A code is branched on: a message that has the same words in it must not change it. */
function isKnown(text: string): boolean {
  return Object.hasOwn(API_ERRORS, text)
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
  const steps: unknown[] = Array.isArray(loc) ? loc : []
  const place = steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return typeof step === 'string' ? `${path}${path === '' ? '' : '.'}${step}` : path
  }, '')
  const reason = [msg, type].find(isFilled) ?? 'refused'
  return short(place === '' ? reason : `${place}: ${reason}`)
}

/** What a proxy said, where that is a line and no page. */
function plain(text: string): string {
  const line = oneLine(text.slice(0, 2 * SHOWN_CHARACTERS))
  if (line === '') return 'with an empty body'
  return line.startsWith('<') ? 'with a page instead of JSON, so it may come from a proxy' : line
}

function short(text: string): string {
  const line = oneLine(text)
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
