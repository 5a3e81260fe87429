import { API_PREFIX, ENDPOINTS, PHONE_NUMBER_ID } from '../../contract/index.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'
import { carriesToken } from '../http/token.ts'
import type { State } from '../state.ts'
import { listTemplates } from './list-templates.ts'
import { apiRefusal, notAuthenticated } from './refusals.ts'
import { sendMessage } from './send.ts'

type Rule = (state: State, request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>

const ROUTES = new Map<string, { readonly method: string; readonly run: Rule }>([
  [API_PREFIX + ENDPOINTS.send.path, { method: ENDPOINTS.send.method, run: sendMessage }],
  [API_PREFIX + ENDPOINTS.templates.path, { method: ENDPOINTS.templates.method, run: listTemplates }],
])

export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
}

/** The service's two endpoints; nothing else exists under the prefix (GEN-08, GEN-14). */
export async function answerApi(state: State, request: HttpRequest): Promise<HttpAnswer> {
  const route = ROUTES.get(request.path)
  if (route === undefined) throw refuse(404, 'not_found', 'There is no such endpoint.')
  if (route.method !== request.method)
    throw refuse(405, 'method_not_allowed', `The method must be ${route.method}.`, { Allow: route.method })
  if (!carriesToken(request.headers.authorization, state.accessToken)) throw notAuthenticated()
  const named = request.headers[PHONE_NUMBER_ID.toLowerCase()]
  if (named !== undefined && named !== state.number.id)
    throw apiRefusal('number_not_for_token', `The token does not hold the number ${String(named)}.`)
  return route.run(state, request)
}
