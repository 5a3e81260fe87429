import { isRecord } from '../../base/value.ts'
import { API_ERRORS, type ApiErrorCode } from '../../service/error-table.ts'
import { PHONE_NUMBER_ID } from '../../service/endpoints.ts'
import { sendSchema } from '../../service/send-request.ts'
import {
  type Finding,
  type HttpRequest,
  type JsonObject,
  Refusal,
  carriesToken,
  describeFindings,
  parseJson,
} from '../http/messages.ts'
import type { Account, ConnectedNumber } from '../model/account.ts'
import type { z } from 'zod'
import type { Assumptions } from '../model/assumptions.ts'
import type { SentBody } from '../model/keys.ts'
import type { Templates } from '../model/templates.ts'

export function apiRefusal(code: ApiErrorCode, message: string): Refusal {
  return new Refusal(API_ERRORS[code].status, { code, message })
}

export function codelessRefusal(message: string): Refusal {
  return new Refusal(400, { message })
}

/** Returns the number that a request acts for, or refuses the request (AUTH-01 to AUTH-06, SEND-19). */
export function admit(account: Account, headers: HttpRequest['headers']): ConnectedNumber {
  const ofToken = account.numbers.filter((number) => carriesToken(headers.authorization, number.token))
  // A missing and an unknown token get the same answer (AUTH-01).
  if (ofToken.length === 0) throw apiRefusal('not_authenticated', 'The access token is missing or not valid.')
  if (account.suspended) throw apiRefusal('account_suspended', 'The workspace is suspended.')
  if (!account.plan.api) throw apiRefusal('plan_feature_locked', "The team's plan does not grant API access.")
  // An empty header counts as absent (GEN-16).
  return chooseNumber(ofToken, headers[PHONE_NUMBER_ID.toLowerCase()] || undefined)
}

function chooseNumber(ofToken: readonly ConnectedNumber[], id: string | string[] | undefined): ConnectedNumber {
  const [first, ...more] = ofToken
  const wanted = id === undefined && more.length === 0 ? first : ofToken.find((number) => number.id === id)
  if (wanted !== undefined) return wanted
  if (id !== undefined) throw apiRefusal('number_not_for_token', `The token does not hold the number ${String(id)}.`)
  const { status, body } = apiRefusal(
    'ambiguous_number',
    `The token is held by ${ofToken.length} numbers: name one in ${PHONE_NUMBER_ID}.`,
  )
  throw new Refusal(status, { ...body, phone_number_ids: ofToken.map((number) => number.id) })
}

export type Send = z.output<typeof sendSchema>

interface TypedFinding extends Finding {
  readonly type: string
}

export function readBody(
  { headers, body }: HttpRequest,
  { validation: form, contentType }: Pick<Assumptions, 'validation' | 'contentType'>,
): SentBody {
  const type = headers['content-type'] ?? ''
  if (contentType === 'required' && !/^application\/json\s*(;|$)/i.test(type))
    throw malformed([{ path: [], message: 'Content-Type must be application/json', type: 'content_type' }], form)
  const json = parseJson(body)
  if (!isRecord(json))
    throw malformed([{ path: [], message: 'the body must be a JSON object', type: 'json_invalid' }], form)
  return { raw: body, json }
}

export function readSend(
  json: JsonObject,
  templates: Pick<Templates, 'find'>,
  { validation }: Pick<Assumptions, 'validation'>,
): Send {
  const read = sendSchema.safeParse(json)
  if (read.success) return read.data
  const findings = read.error.issues.filter(
    ({ path }) =>
      !(path[0] === 'template_components' && json['type'] === 'template' && namesCodeTemplate(json, templates)),
  )
  // Components of a template for codes are checked later, because their errors have another code (OTP-05).
  if (findings.length === 0) return json as unknown as Send
  throw malformed(
    findings.map(({ path, message, code }) => ({ path, message, type: code })),
    validation,
  )
}

/** True if a body names a template for one-time codes, whatever its type is. */
export function namesCodeTemplate(json: JsonObject, templates: Pick<Templates, 'find'>): boolean {
  const { template_name: name, template_language: language } = json
  if (typeof name !== 'string' || typeof language !== 'string') return false
  return templates.find(name, language)?.category === 'AUTHENTICATION'
}

export function malformed(
  findings: readonly TypedFinding[],
  form: Assumptions['validation'],
  where: 'body' | 'query' | 'header' = 'body',
): Refusal {
  if (form === 'detail')
    return new Refusal(API_ERRORS.validation_error.status, {
      detail: findings.map(({ path, message, type }) => ({ loc: [where, ...path], msg: message, type })),
    })
  return apiRefusal('validation_error', describeFindings(findings))
}
