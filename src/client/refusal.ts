import { asRecord, parseJson } from '../base/value.ts'
import { API_ERRORS, type ApiErrorCode, ruleOf } from '../service/error-table.ts'
import { ApiError, oneLine } from './api-errors.ts'
import type { ServiceAnswer, AnswerHeaders } from './transport.ts'
import { keyHash } from './key-from.ts'

const SHOWN_CHARACTERS = 500
/** The most checks of a `detail`, and the most numbers, that an error lists. */
const LONGEST_LIST = 20

/** Reads a refusal in all its forms (ERR-02). */
export function refusalOf(answer: ServiceAnswer): ApiError {
  const { status, call } = answer
  const body = parseJson(answer.text)
  const { message, detail, phoneNumberIds, ...parts } = partsOf(body, (text) => shownText(text, answer))
  const code = parts.code ?? (status === 422 && detail.length > 0 ? 'validation_error' : undefined)
  const reasons = [message, ...detail].filter((part) => part !== undefined).join('; ')
  const reason = reasons === '' && body === undefined ? plainText(shownText(answer.text, answer)) : reasons
  const head = `${call.method} ${call.path} was refused: ${code === undefined ? status : `${status} ${code}`}`
  const hint = hintOf(status, code, { phoneNumberIds, phoneNumberId: call.phoneNumberId })
  const rule = ruleOf(status, code)
  return new ApiError({
    message: `${head}${reason && `: ${shortened(reason)}`}${hint && ` (${hint})`}`,
    status,
    code,
    rule: call.method === 'POST' ? rule : { ...rule, outcome: 'not_sent' },
    detail,
    phoneNumberIds,
    idempotencyKeyHash: keyHash(call.idempotencyKey),
    retryAfterMs: retryAfterMs(answer.headers),
  })
}

/** Redacts the text, because the service or a proxy in front of it may repeat the request. */
function shownText(text: string, { redact }: ServiceAnswer): string {
  return Object.hasOwn(API_ERRORS, text) ? text : shortened(redact(text))
}

/** The service answers `{ code, message }` or `{ detail: [] }`, perhaps one level deeper. */
function partsOf(body: unknown, shown: (text: string) => string) {
  const flat = asRecord(body)
  const inner = asRecord(flat['error'])
  const deep = asRecord(flat['detail'])
  const text = (values: readonly unknown[]) => {
    const found = values.find(isFilled)
    return found === undefined ? undefined : shown(found)
  }
  const members = (name: string) => [flat, inner, deep].map((at) => at[name])
  const ids: readonly unknown[] = members('phone_number_ids').find(Array.isArray) ?? []
  const detail: readonly unknown[] = Array.isArray(flat['detail']) ? flat['detail'] : []
  return {
    code: text(members('code')),
    message: text([...members('message'), flat['error'], flat['detail']]),
    detail: detail.slice(0, LONGEST_LIST).map((item) => shown(detailOf(item))),
    phoneNumberIds: ids
      .slice(0, LONGEST_LIST)
      .filter((id) => typeof id === 'string' || Number.isSafeInteger(id))
      .map((id) => shown(String(id))),
  }
}

/** Leaves out the members `input` and `ctx`, which may contain the whole body. */
function detailOf(item: unknown): string {
  if (typeof item === 'string') return item
  const { loc, msg, type } = asRecord(item)
  const steps: readonly unknown[] = Array.isArray(loc) ? loc.slice(0, LONGEST_LIST) : []
  const place = steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return typeof step === 'string' ? `${path}${path === '' ? '' : '.'}${step}` : path
  }, '')
  const reason = [msg, type].find(isFilled) ?? 'refused'
  return place === '' ? reason : `${place}: ${reason}`
}

function plainText(line: string): string {
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

/** A proxy may request a wait (SEND-22). A date counts from the answer's own `Date`, so no clock is needed. */
function retryAfterMs(headers: AnswerHeaders): number | undefined {
  const value = String(headers['retry-after'] ?? '').trim()
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - Date.parse(String(headers['date'] ?? ''))
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const HINTS: Partial<Record<ApiErrorCode, string>> = {
  not_authenticated:
    'was the number reconnected, or is it a dashboard API key? Copy the token from Developer, Credentials',
  plan_feature_locked: "the team's plan must grant API access",
  account_suspended: 'the workspace is suspended; nothing is sent until the service lifts that',
  plan_limit_reached: 'this number is new to the workspace; sends to known ones continue',
  outside_messaging_window: 'send a template',
  idempotency_in_progress: 'repeat the identical request after a short pause',
  idempotency_key_reused:
    'another body was accepted or is in flight under this key; a different message needs a new key',
  template_not_found: "it is not on the number's account, or the upstream platform did not answer",
  invalid_template: 'name and language must equal an approved template exactly; branch on `sendable` of the list',
}

interface Numbers {
  readonly phoneNumberIds: readonly string[]
  readonly phoneNumberId: string | undefined
}

function hintOf(status: number, code: string | undefined, numbers: Numbers): string {
  if (code === 'ambiguous_number')
    return `set phoneNumberId to one of the token's numbers${numbers.phoneNumberIds.map((id) => ` ${id}`).join(',')}`
  if (code === 'number_not_for_token') return `phoneNumberId was ${numbers.phoneNumberId ?? 'not set'}`
  if (code !== undefined && Object.hasOwn(HINTS, code)) return HINTS[code as ApiErrorCode] as string
  if (status === 404) return 'this is not part of the API; does baseUrl point to the service?'
  if (status >= 300 && status < 400) return 'redirects are not followed; set baseUrl to the final address'
  return ''
}
