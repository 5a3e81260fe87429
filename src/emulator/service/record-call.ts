import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { isObject, parseJson } from '../http/json.ts'
import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import { answerTo } from '../http/server.ts'
import type { Model } from '../model/model.ts'
import type { Calls } from './calls.ts'
import { namesCodeTemplate } from './validation.ts'

export interface RecordCallDeps {
  readonly model: Model
  readonly calls: Calls
  /** Called with each answered call, for the timeline. */
  readonly answered: (about: object) => void
}

/** Answers a call of the API, keeps it for inspection, and reports how it was answered. */
export async function recordCall(
  { model, calls, answered }: RecordCallDeps,
  request: HttpRequest,
  answer: (request: HttpRequest) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const [id, startedAt] = [model.ids.call(), model.clock.wall()]
  const json = request.body.length > 0 ? parseJson(request.body) : undefined
  const redacted = mayHoldCode(model, request.body, json)
  const keep = (result: HttpAnswer, code: string | null) => {
    const { method, path } = request
    const [at, tookMs] = [model.clock.now(), model.clock.wall() - startedAt]
    const kept = redacted ? { ...request, body: Buffer.alloc(0) } : request
    calls.add({ id, at, tookMs, request: kept, redacted, answer: result })
    const { status, spoilt } = result
    const about = { call: id, method, path, status, code, tookMs, customer: customerOf(json) }
    answered({ ...about, ...(spoilt !== undefined && { spoilt }) })
  }
  try {
    const result = await answer({ ...request, call: id })
    keep(result, null)
    return result
  } catch (error) {
    if (error instanceof Refusal) keep(answerTo(error), error.code ?? null)
    throw error
  }
}

function customerOf(json: unknown): string | null {
  const to = isObject(json) ? json['to'] : undefined
  return typeof to === 'string' && RECIPIENT_FORM.test(to) ? to : null
}

/**
 * Tells whether a body may hold a one-time code: in the components of a template that carries codes, or of an unknown
 * one, and in whatever cannot be read. To be asked as the call comes in: templates and numbers change later.
 */
function mayHoldCode({ account, templates }: Model, body: Buffer, json: unknown): boolean {
  if (body.length === 0) return false
  if (!isObject(json)) return true
  const { type, template_name: name, template_language: language, template_components: components } = json
  if (components === undefined && type !== 'template') return false
  const perNumber = account.numbers.map(({ id }) => templates.of(id))
  if (perNumber.some((own) => namesCodeTemplate(json, own))) return true
  if (typeof name !== 'string' || typeof language !== 'string') return true
  return !perNumber.some((own) => own.find(name, language) !== undefined)
}
