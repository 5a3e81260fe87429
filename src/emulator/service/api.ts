import { API_PREFIX, ENDPOINTS } from '../../contract/index.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'
import type { State } from '../state.ts'
import type { ConnectedNumber } from '../model/account.ts'
import { admitted } from './checks.ts'
import { showDocs } from './docs.ts'
import { listTemplates } from './list-templates.ts'
import { describeApi } from './openapi.ts'
import { sendMessage } from './send.ts'

interface Route {
  readonly method: string
  readonly run: (state: State, request: HttpRequest, number: ConnectedNumber) => HttpAnswer | Promise<HttpAnswer>
}

const ROUTES: ReadonlyMap<string, Route> = new Map(
  [
    { ...ENDPOINTS.send, run: sendMessage },
    { ...ENDPOINTS.templates, run: listTemplates },
  ].map(({ path, method, run }) => [API_PREFIX + path, { method, run }]),
)

/** What describes the service: by assumption open to all, since a browser cannot send a token (GEN-11). */
const DESCRIPTIONS: ReadonlyMap<string, () => HttpAnswer> = new Map([
  [API_PREFIX + ENDPOINTS.description.path, describeApi],
  [API_PREFIX + ENDPOINTS.docs.path, showDocs],
])

export function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
}

/** The service's endpoints; nothing else exists under the prefix (GEN-08, GEN-14). */
export async function answerApi(state: State, request: HttpRequest): Promise<HttpAnswer> {
  const description = DESCRIPTIONS.get(request.path)
  const route = ROUTES.get(request.path)
  const method = route?.method ?? 'GET'
  if (route === undefined && description === undefined) throw refuse(404, 'not_found', 'There is no such endpoint.')
  if (method !== request.method)
    throw refuse(405, 'method_not_allowed', `The method must be ${method}.`, { Allow: method })
  if (description && state.assumptions.description === 'open') return description()
  const number = admitted(state.account, request.headers)
  return description ? description() : (route as Route).run(state, request, number)
}
