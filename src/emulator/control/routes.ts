import { type HttpAnswer, type HttpRequest, ok, refuse } from '../http/messages.ts'
import type { State } from '../state.ts'
import { changeAccount, showAccount } from './account.ts'
import { changeAssumptions, showAssumptions, showFidelity } from './assumptions.ts'
import { changeClock, showClock } from './clock.ts'
import { customerCodes, customerThread, customerWrites } from './customers.ts'
import { listDeliveries, redeliver } from './deliveries.ts'
import { explainSend } from './explain.ts'
import { changeFaults, showFaults } from './faults.ts'
import { forgetKeys, listKeys, releaseKeys } from './keys.ts'
import { listSubscriptions, register, unsubscribe } from './subscriptions.ts'
import { changeTemplate, createTemplate, listAllTemplates } from './templates.ts'

export const CONTROL_PREFIX = '/_emulator'

interface Route {
  readonly method: string
  /** Segments under the prefix; one that begins with `:` takes any value. */
  readonly path: string
  readonly run: (state: State, request: HttpRequest, value: string) => unknown
}

const ROUTES: readonly Route[] = [
  { method: 'POST', path: 'customers/:digits/messages', run: customerWrites },
  { method: 'GET', path: 'customers/:digits/thread', run: customerThread },
  { method: 'GET', path: 'customers/:digits/codes', run: customerCodes },
  { method: 'GET', path: 'clock', run: showClock },
  { method: 'POST', path: 'clock', run: changeClock },
  { method: 'GET', path: 'deliveries', run: listDeliveries },
  { method: 'POST', path: 'deliveries/:id/redeliver', run: redeliver },
  { method: 'GET', path: 'subscriptions', run: listSubscriptions },
  { method: 'POST', path: 'subscriptions', run: register },
  { method: 'DELETE', path: 'subscriptions', run: (state, request) => unsubscribe(state, request) },
  { method: 'DELETE', path: 'subscriptions/:id', run: unsubscribe },
  { method: 'GET', path: 'templates', run: listAllTemplates },
  { method: 'POST', path: 'templates', run: createTemplate },
  { method: 'PATCH', path: 'templates', run: (state, request) => changeTemplate(state, request) },
  { method: 'PATCH', path: 'templates/:id', run: changeTemplate },
  { method: 'GET', path: 'faults', run: showFaults },
  { method: 'PUT', path: 'faults', run: changeFaults },
  { method: 'GET', path: 'keys', run: listKeys },
  { method: 'POST', path: 'keys/release', run: releaseKeys },
  { method: 'POST', path: 'keys/forget', run: forgetKeys },
  { method: 'GET', path: 'account', run: showAccount },
  { method: 'PUT', path: 'account', run: changeAccount },
  { method: 'POST', path: 'explain', run: explainSend },
  { method: 'GET', path: 'fidelity', run: showFidelity },
  { method: 'GET', path: 'assumptions', run: showAssumptions },
  { method: 'PUT', path: 'assumptions', run: changeAssumptions },
]

export function isControlPath(path: string): boolean {
  return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)
}

export async function answerControl(state: State, request: HttpRequest): Promise<HttpAnswer> {
  const given = request.path.slice(CONTROL_PREFIX.length + 1).split('/')
  const there = ROUTES.flatMap((route) => {
    const value = matched(route.path.split('/'), given)
    return value === undefined ? [] : [{ route, value }]
  })
  if (there.length === 0) throw refuse(404, 'not_found', 'There is no such control route.')
  const found = there.find(({ route }) => route.method === request.method)
  const methods = there.map(({ route }) => route.method).join(', ')
  if (!found) throw refuse(405, 'method_not_allowed', `The method must be ${methods}.`, { Allow: methods })
  return ok(await found.route.run(state, request, found.value))
}

/** The value of the path's one variable segment (empty where it has none), or undefined where it is another path. */
function matched(path: readonly string[], given: readonly string[]): string | undefined {
  if (path.length !== given.length) return undefined
  let value = ''
  for (const [index, segment] of path.entries()) {
    const here = given[index] ?? ''
    if (segment.startsWith(':')) value = here
    else if (segment !== here) return undefined
  }
  return value
}
