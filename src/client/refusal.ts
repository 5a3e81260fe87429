import { API_ERRORS, type ApiErrorCode, ruleOf } from '../contract/index.ts'
import { type Answer, asRecord, jsonOf, oneLine, retryAfterMs } from './answer.ts'
import type { ApiError } from './api-error.ts'
import { nameOf } from './call.ts'
import { errorClassOf } from './error-types.ts'
import { keyHash } from './key.ts'
import { redactedRawOf } from './redact.ts'

const SHOWN_CHARACTERS = 500
/** No more of an answer than this is searched for what must not be shown, and no more is shown. */
const READ_CHARACTERS = 65_536

/**
 * The error for an answer that is no success, one family for all forms (ERR-02): flat errors, `detail` arrays, errors
 * without a code, and bodies that are no JSON, from a proxy for instance.
 */
export function refusalOf(answer: Answer): ApiError {
  const { status, call } = answer
  // The service, or a proxy before it, may repeat the request: what the request held is hidden before anything is cut.
  const body = jsonOf(answer.text, (text) =>
    Object.hasOwn(API_ERRORS, text) ? text : answer.redact(text.slice(0, READ_CHARACTERS)),
  )
  const { message, detail, phoneNumberIds, ...parts } = partsOf(body)
  const code = parts.code ?? (status === 422 && detail.length > 0 ? 'validation_error' : undefined)
  const reasons = [message, ...detail].filter((part) => part !== undefined).join('; ')
  const reason =
    reasons === '' && body === undefined ? plainText(answer.redact(answer.text.slice(0, READ_CHARACTERS))) : reasons
  const head = `${nameOf(call)} was refused: ${code === undefined ? status : `${status} ${shortened(code)}`}`
  const hint = hintOf(status, code, { phoneNumberIds, phoneNumberId: call.phoneNumberId })
  const rule = ruleOf(status, code)
  return new (errorClassOf(status, code))({
    message: `${head}${reason && `: ${shortened(reason)}`}${hint && ` (${hint})`}`,
    status,
    code,
    rule: call.method === 'POST' ? rule : { ...rule, outcome: 'not_sent' },
    detail,
    phoneNumberIds,
    idempotencyKeyHash: keyHash(call.idempotencyKey),
    retryAfterMs: retryAfterMs(answer.headers),
    raw: () => redactedRawOf(answer),
  })
}

/** The service answers `{ code, message }` or `{ detail: [] }`; the same one level deeper is understood too. */
function partsOf(body: unknown) {
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
  if (typeof item === 'string') return shortened(item)
  const { loc, msg, type } = asRecord(item)
  const steps: unknown[] = Array.isArray(loc) ? loc : []
  const place = steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return typeof step === 'string' ? `${path}${path === '' ? '' : '.'}${step}` : path
  }, '')
  const reason = [msg, type].find(isFilled) ?? 'refused'
  return shortened(place === '' ? reason : `${place}: ${reason}`)
}

/** The text of a body that is no JSON, unless it is a page. */
function plainText(text: string): string {
  const line = oneLine(text.slice(0, 2 * SHOWN_CHARACTERS))
  if (line === '') return 'with an empty body'
  return line.startsWith('<') ? 'with a page instead of JSON, so it may come from a proxy' : line
}

function shortened(text: string): string {
  const line = oneLine(text)
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

const HINTS: Partial<Record<ApiErrorCode, string>> = {
  not_authenticated:
    'was the number reconnected, or is it a dashboard API key? Take the token from Developer, Credentials',
  plan_feature_locked: "the team's plan must grant API access",
  account_suspended: 'the workspace is suspended; nothing is sent until that is lifted',
  plan_limit_reached: 'this number is new to the workspace; sends to known ones go on',
  outside_messaging_window: 'send a template',
  idempotency_in_progress: 'repeat the identical request after a short pause',
  idempotency_key_reused:
    'another body was accepted or is in flight under this key; a different message needs a key of its own',
  template_not_found: "it is not on the number's account, or the upstream platform could not be asked",
  invalid_template: 'name and language must equal an approved template exactly; branch on `sendable` of the list',
}

interface Numbers {
  readonly phoneNumberIds: readonly string[]
  readonly phoneNumberId: string | undefined
}

/** Advice on what to do about a refusal; empty if there is none. */
function hintOf(status: number, code: string | undefined, numbers: Numbers): string {
  if (code === 'ambiguous_number')
    return `set phoneNumberId to one of the token's numbers${numbers.phoneNumberIds.map((id) => ` ${id}`).join(',')}`
  if (code === 'number_not_for_token') return `phoneNumberId was ${numbers.phoneNumberId ?? 'not set'}`
  if (code !== undefined && Object.hasOwn(HINTS, code)) return HINTS[code as ApiErrorCode] as string
  if (status === 404) return 'this is not part of the API; does baseUrl point to the service?'
  if (status >= 300 && status < 400) return 'redirects are not followed; put the final address into baseUrl'
  return ''
}
