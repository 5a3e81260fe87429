import { API_PREFIX, ENDPOINTS } from '../../contract/index.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'
import type { Model } from '../model/model.ts'
import type { ConnectedNumber } from '../model/account.ts'
import { admit } from './checks.ts'
import { showDocs } from './docs.ts'
import { listTemplates } from './list-templates.ts'
import { describeApi } from './openapi.ts'
import { sendMessage } from './send.ts'

interface Route {
  readonly method: string
  readonly run: (model: Model, request: HttpRequest, number: ConnectedNumber) => HttpAnswer | Promise<HttpAnswer>
}

const ROUTES: ReadonlyMap<string, Route> = new Map(
  [
    { ...ENDPOINTS.send, run: sendMessage },
    { ...ENDPOINTS.templates, run: listTemplates },
  ].map(({ path, method, run }) => [API_PREFIX + path, { method, run }]),
)

/** The endpoints that describe the service: by assumption open to all, since a browser cannot send a token (GEN-11). */
const DESCRIPTIONS: ReadonlyMap<string, () => HttpAnswer> = new Map([
  [API_PREFIX + ENDPOINTS.description.path, describeApi],
  [API_PREFIX + ENDPOINTS.docs.path, showDocs],
])

export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
}

/** Answers a request to one of the service's endpoints; nothing else exists under the prefix (GEN-08, GEN-14). */
export async function answerApi(model: Model, request: HttpRequest): Promise<HttpAnswer> {
  const description = DESCRIPTIONS.get(request.path)
  const route = ROUTES.get(request.path)
  const method = route?.method ?? 'GET'
  if (route === undefined && description === undefined) throw refuse(404, 'not_found', 'There is no such endpoint.')
  if (method !== request.method)
    throw refuse(405, 'method_not_allowed', `The method must be ${method}.`, { Allow: method })
  if (description && model.assumptions.description === 'open') return description()
  const number = admit(model.account, request.headers)
  return description ? description() : (route as Route).run(model, request, number)
}
