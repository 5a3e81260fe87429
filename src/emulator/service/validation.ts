import type { z } from 'zod'
import { API_ERRORS, sendSchema } from '../../contract/index.ts'
import type { Assumptions } from '../assumptions.ts'
import { type JsonObject, isObject, parseJson } from '../http/body.ts'
import { type HttpRequest, Refusal } from '../http/messages.ts'
import { apiRefusal } from './refusals.ts'

/** A send as the rules read it: checked, with its type filled in. */
export type Send = z.output<typeof sendSchema>

interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly type: string
}

/** The JSON object of a request, or the refusal of a malformed body. */
export function readObject(request: HttpRequest, form: Assumptions['validation']): JsonObject {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw malformed([{ path: [], message: 'Content-Type must be application/json', type: 'content_type' }], form)
  const json = parseJson(request.body)
  if (!isObject(json))
    throw malformed([{ path: [], message: 'the body must be a JSON object', type: 'json_invalid' }], form)
  return json
}

export function readSend(json: JsonObject, form: Assumptions['validation']): Send {
  const read = sendSchema.safeParse(json)
  if (read.success) return read.data
  throw malformed(
    read.error.issues.map(({ path, message, code }) => ({ path, message, type: code })),
    form,
  )
}

/** A validation failure in one of the service's two forms (SEND-23). */
export function malformed(findings: readonly Finding[], form: Assumptions['validation']): Refusal {
  if (form === 'detail')
    return new Refusal(API_ERRORS.validation_error.status, {
      detail: findings.map(({ path, message, type }) => ({ loc: ['body', ...path], msg: message, type })),
    })
  const sentences = findings.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
  return apiRefusal('validation_error', sentences.join('; '))
}
