import { isRecord } from '../../base/value.ts'
import { API_PREFIX, ENDPOINTS, IDEMPOTENCY_KEY, PHONE_NUMBER_ID, RECIPIENT_FORM } from '../../service/endpoints.ts'
import { type HttpAnswer, type HttpRequest, Refusal, ok, parseJson, refuse } from '../http/messages.ts'
import { answerTo } from '../http/server.ts'
import type { ConnectedNumber } from '../model/account.ts'
import type { Assumptions } from '../model/assumptions.ts'
import type { Model } from '../model/model.ts'
import type { Timeline } from '../timeline.ts'
import { admit, malformed, namesCodeTemplate } from './checks.ts'
import { description, docsPage } from './openapi.ts'
import { listTemplates } from './list-templates.ts'
import { sendMessage } from './send-endpoint.ts'
import { isUtf8 } from 'node:buffer'
import { maskToken } from '../../base/mask.ts'
import { iso } from '../model/emulated-clock.ts'

interface Route {
  readonly method: string
  readonly run: (model: Model, request: HttpRequest, number: ConnectedNumber) => HttpAnswer | Promise<HttpAnswer>
}

const ROUTES: ReadonlyMap<string, Route> = new Map(
  [
    { ...ENDPOINTS.send, run: sendMessage },
    { ...ENDPOINTS.templates, run: listTemplates },
    { ...ENDPOINTS.description, run: describe },
    { ...ENDPOINTS.docs, run: docsPage },
  ].map(({ path, method, run }) => [API_PREFIX + path, { method, run }]),
)

function describe(): HttpAnswer {
  return ok(description())
}

export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
}

interface RecordedModel extends Model {
  readonly calls: Calls
  readonly record: Timeline['add']
}

/** Answers a request to the API. The call is kept, and gets an entry on the timeline. */
export async function answerAndRecord(model: RecordedModel, request: HttpRequest): Promise<HttpAnswer> {
  const [id, startedAt] = [model.ids.call(), model.clock.wall()]
  const json = request.body.length > 0 ? parseJson(request.body) : undefined
  const redacted = mayContainCode(model, request.body, json)
  const keep = (result: HttpAnswer, code: string | null) => {
    const { method, path } = request
    const [at, tookMs] = [model.clock.now(), model.clock.wall() - startedAt]
    model.calls.add(callView({ id, at, tookMs, request, redacted, answer: result }))
    const { status, spoilt } = result
    const about = { call: id, method, path, status, code, tookMs, customer: customerOf(json) }
    model.record({ kind: 'api', ...about, ...(spoilt !== undefined && { spoilt }) })
  }
  try {
    const result = await answerApi(model, { ...request, call: id })
    keep(result, null)
    return result
  } catch (error) {
    if (error instanceof Refusal) keep(answerTo(error), error.code ?? null)
    throw error
  }
}

/** Answers a request to one of the service's endpoints. Nothing else exists under the prefix (GEN-08, GEN-14). */
export async function answerApi(model: Model, request: HttpRequest): Promise<HttpAnswer> {
  const route = ROUTES.get(request.path)
  if (route === undefined) throw refuse(404, 'not_found', 'This endpoint does not exist.')
  const { method, run } = route
  if (method !== request.method)
    throw refuse(405, 'method_not_allowed', `The method must be ${method}.`, { Allow: method })
  // The description needs no token if the assumption `description` is `open` (GEN-11).
  const show = [describe, docsPage].find((one) => one === run)
  if (show && model.assumptions.description === 'open') return show()
  const number = admit(model.account, request.headers)
  if (model.assumptions.emptyHeaders === 'refuse') refuseEmptyHeaders(request, model.assumptions)
  return run(model, request, number)
}

function refuseEmptyHeaders({ headers }: HttpRequest, { validation }: Assumptions): void {
  const empty = [IDEMPOTENCY_KEY, PHONE_NUMBER_ID].filter((name) => headers[name.toLowerCase()] === '')
  const findings = empty.map((name) => ({ path: [name], message: 'must not be empty', type: 'value_error' }))
  if (findings.length > 0) throw malformed(findings, validation, 'header')
}

function customerOf(json: unknown): string | null {
  const to = isRecord(json) ? json['to'] : undefined
  return typeof to === 'string' && RECIPIENT_FORM.test(to) ? to : null
}

/**
 * True if a body may contain a one-time code: if it has components of a template for codes or of an unknown template,
 * or cannot be read. Call this when the request arrives, because templates and numbers change later.
 */
function mayContainCode({ account, templates }: Model, body: Buffer, json: unknown): boolean {
  if (body.length === 0) return false
  if (!isRecord(json)) return true
  const { type, template_name: name, template_language: language, template_components: components } = json
  if (components === undefined && type !== 'template') return false
  const perNumber = account.numbers.map(({ id }) => templates.of(id))
  if (perNumber.some((own) => namesCodeTemplate(json, own))) return true
  if (typeof name !== 'string' || typeof language !== 'string') return true
  return !perNumber.some((own) => own.find(name, language) !== undefined)
}

export type Calls = ReturnType<typeof createCalls>

const MAX_CALLS = 5_000

export function createCalls() {
  const calls = new Map<string, CallView>()
  return {
    add(call: CallView): void {
      calls.set(call.id, call)
      const [oldest = ''] = calls.keys()
      if (calls.size > MAX_CALLS) calls.delete(oldest)
    },
    byId: (id: string) => calls.get(id),
  }
}

export type CallView = ReturnType<typeof callView>

interface Call {
  readonly id: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly tookMs: number
  readonly request: HttpRequest
  readonly redacted: boolean
  readonly answer: HttpAnswer
}

function callView({ id, at, tookMs, request, redacted, answer }: Call) {
  const { method, path, query } = request
  return {
    id,
    at: iso(at),
    tookMs,
    method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    status: answer.status,
    ...(answer.spoilt !== undefined && { spoilt: answer.spoilt }),
    request: {
      headers: redactHeaders(request),
      body: redacted || !isUtf8(request.body) ? null : request.body.toString('utf8'),
    },
    response: { headers: answer.headers ?? {}, body: answer.body },
  }
}

function redactHeaders({ headers }: HttpRequest): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return Object.fromEntries(texts.map(([name, text]) => [name, name === 'authorization' ? maskHeader(text) : text]))
}

function maskHeader(authorization: string): string {
  const [scheme = '', ...rest] = authorization.split(' ')
  return rest.length > 0 ? `${scheme} ${maskToken(rest.join(' '))}` : maskToken(authorization)
}
