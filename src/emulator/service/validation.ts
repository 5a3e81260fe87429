import type { z } from 'zod'
import { API_ERRORS, sendSchema } from '../../contract/index.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { describeFindings, type Finding, isObject, type JsonObject, MAX_FINDINGS, parseJson } from '../http/json.ts'
import { type HttpRequest, Refusal } from '../http/messages.ts'
import type { SentBody } from '../model/keys.ts'
import type { Templates } from '../model/templates.ts'
import { apiRefusal } from './refusals.ts'

/** A checked send, with its type filled in. */
export type Send = z.output<typeof sendSchema>

interface TypedFinding extends Finding {
  readonly type: string
}

/** Reads the JSON object of a request, or refuses a malformed body. */
export function readBody(
  { headers, body }: HttpRequest,
  { validation: form, contentType }: Pick<Assumptions, 'validation' | 'contentType'>,
): SentBody {
  const type = headers['content-type'] ?? ''
  if (contentType === 'required' && !/^application\/json\s*(;|$)/i.test(type))
    throw malformed([{ path: [], message: 'Content-Type must be application/json', type: 'content_type' }], form)
  const json = parseJson(body)
  if (!isObject(json))
    throw malformed([{ path: [], message: 'the body must be a JSON object', type: 'json_invalid' }], form)
  return { raw: body, json }
}

/** Reads a send out of its JSON, or refuses it with all that is wrong with its form. */
export function readSend(
  json: JsonObject,
  templates: Pick<Templates, 'find'>,
  { validation }: Pick<Assumptions, 'validation'>,
): Send {
  const read = sendSchema.safeParse(json)
  if (read.success) return read.data
  const findings = read.error.issues.filter(
    ({ path }) => !(path[0] === 'template_components' && isCodeSend(json, templates)),
  )
  // The findings filtered out are judged later. Nothing else is wrong, so the JSON has the form of a send.
  if (findings.length === 0) return json as unknown as Send
  throw malformed(
    findings.map(({ path, message, code }) => ({ path, message, type: code })),
    validation,
  )
}

/** Tells whether the components are those of a one-time code, whose breaches have an error of their own (OTP-05). */
function isCodeSend(json: JsonObject, templates: Pick<Templates, 'find'>): boolean {
  return json['type'] === 'template' && namesCodeTemplate(json, templates)
}

/** Tells whether a body may hold a one-time code, even if its type, forgotten or mistaken, does not read the template. */
export function namesCodeTemplate(json: JsonObject, templates: Pick<Templates, 'find'>): boolean {
  const { template_name: name, template_language: language } = json
  if (typeof name !== 'string' || typeof language !== 'string') return false
  return templates.find(name, language)?.category === 'AUTHENTICATION'
}

/** The refusal of a malformed request, in one of the service's two forms (SEND-23). */
export function malformed(
  findings: readonly TypedFinding[],
  form: Assumptions['validation'],
  where: 'body' | 'query' | 'header' = 'body',
): Refusal {
  if (form === 'detail')
    return new Refusal(API_ERRORS.validation_error.status, {
      detail: findings
        .slice(0, MAX_FINDINGS)
        .map(({ path, message, type }) => ({ loc: [where, ...path], msg: message, type })),
    })
  return apiRefusal('validation_error', describeFindings(findings))
}
