import type { Timers } from '../../base/clock.ts'
import { type HttpAnswer, type HttpRequest, ok, refuse } from '../http/messages.ts'
import { snapshotSchema } from '../snapshot.ts'
import { snapshotOf, type State } from '../state.ts'
import { streamTimeline } from '../timeline.ts'
import type { World } from '../world.ts'
import { changeAccount, showAccount } from './account.ts'
import { changeClock, type ClockView, showClock } from './clock.ts'
import {
  listCustomers,
  moveStatus,
  payOrder,
  setHandset,
  showCodes,
  showHandset,
  showThread,
  writeMessage,
} from './customers.ts'
import { changeAgent, escalateByHand, replyFromDashboard, showAgent } from './dashboard.ts'
import { listDeliveries, redeliver, showDelivery } from './deliveries.ts'
import { fireEvent, listEvents, listExamples } from './events.ts'
import { changeAssumptions, showAssumptions, showFidelity } from './fidelity.ts'
import { logged } from './log.ts'
import { CONTROL_PREFIX, readControl } from './request.ts'
import { changeFaults, explainSend, forgetKeys, listKeys, releaseKeys, showCall, showFaults } from './sends.ts'
import { listSubscriptions, register, unsubscribe } from './subscriptions.ts'
import { changeTemplate, createTemplate, listAllTemplates } from './templates.ts'

interface ControlDeps {
  readonly world: World
  readonly timers: Timers
}

interface Route {
  readonly method: string
  /** Segments under the prefix; one that begins with `:` takes any value. */
  readonly path: string
  readonly run: (state: State, request: HttpRequest, value: string, world: World) => unknown
}

export const STATE_PATH = `${CONTROL_PREFIX}/state`
const STREAM_PATH = `${CONTROL_PREFIX}/stream`

const ROUTES: readonly Route[] = [
  { method: 'GET', path: 'customers', run: listCustomers },
  { method: 'POST', path: 'customers/:digits/messages', run: writeMessage },
  { method: 'GET', path: 'customers/:digits/thread', run: showThread },
  { method: 'GET', path: 'customers/:digits/codes', run: showCodes },
  { method: 'POST', path: 'customers/:digits/statuses', run: moveStatus },
  { method: 'GET', path: 'customers/:digits/handset', run: showHandset },
  { method: 'PUT', path: 'customers/:digits/handset', run: setHandset },
  { method: 'POST', path: 'customers/:digits/replies', run: replyFromDashboard },
  { method: 'POST', path: 'customers/:digits/escalate', run: escalateByHand },
  { method: 'POST', path: 'customers/:digits/orders', run: payOrder },
  { method: 'GET', path: 'agent', run: showAgent },
  { method: 'PUT', path: 'agent', run: changeAgent },
  { method: 'GET', path: 'events', run: listEvents },
  { method: 'POST', path: 'events', run: fireEvent },
  { method: 'GET', path: 'events/examples', run: listExamples },
  { method: 'GET', path: 'state', run: snapshotOf },
  { method: 'PUT', path: 'state', run: (_, request, __, world) => restoreState(world, request) },
  { method: 'DELETE', path: 'state', run: (_, __, ___, world) => showClock(world.renew()) },
  { method: 'GET', path: 'clock', run: showClock },
  { method: 'POST', path: 'clock', run: changeClock },
  { method: 'GET', path: 'timeline', run: (_, __, ___, world) => ({ items: world.timeline.list() }) },
  { method: 'GET', path: 'calls/:id', run: showCall },
  { method: 'GET', path: 'deliveries', run: listDeliveries },
  { method: 'GET', path: 'deliveries/:id', run: showDelivery },
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

function restoreState(world: World, request: HttpRequest): ClockView {
  return showClock(world.renew(readControl(request, snapshotSchema)))
}

export async function answerControl({ world, timers }: ControlDeps, request: HttpRequest): Promise<HttpAnswer> {
  if (request.path === STREAM_PATH) return streamTimeline(world.timeline, timers, request)
  const { route, value } = routeOf(request)
  const answer = async () => ok(await route.run(world.state, request, value, world))
  return request.method === 'GET' ? answer() : logged(world.timeline, request, answer)
}

function routeOf(request: HttpRequest): { route: Route; value: string } {
  const given = request.path.slice(CONTROL_PREFIX.length + 1).split('/')
  const matching = ROUTES.flatMap((route) => {
    const value = matchPath(route.path.split('/'), given)
    return value === undefined ? [] : [{ route, value }]
  })
  if (matching.length === 0) throw refuse(404, 'not_found', 'There is no such control route.')
  const found = matching.find(({ route }) => route.method === request.method)
  const methods = matching.map(({ route }) => route.method).join(', ')
  if (!found) throw refuse(405, 'method_not_allowed', `The method must be ${methods}.`, { Allow: methods })
  return found
}

/** The value of the path's one variable segment (empty if it has none), or undefined if the paths differ. */
function matchPath(path: readonly string[], given: readonly string[]): string | undefined {
  if (path.length !== given.length) return undefined
  let value = ''
  for (const [index, segment] of path.entries()) {
    const here = given[index] ?? ''
    if (segment.startsWith(':')) value = here
    else if (segment !== here) return undefined
  }
  return value
}
