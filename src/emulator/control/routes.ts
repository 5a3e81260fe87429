import { z } from 'zod'
import type { Timers } from '../../base/clock.ts'
import { type HttpAnswer, type HttpRequest, ok, refuse } from '../http/messages.ts'
import { streamTimeline } from '../timeline.ts'
import type { World } from '../world.ts'
import { needsToken } from './guard.ts'
import { logged } from './log.ts'
import { CONTROL_PREFIX } from './request.ts'
import { ROUTES, type Run } from './route-table.ts'

interface ControlDeps {
  readonly world: World
  readonly timers: Timers
}

const STREAM_PATH = `${CONTROL_PREFIX}/stream`

interface Route {
  readonly method: string
  readonly path: string
  readonly run: Run
  readonly does: string
}

const ALL: readonly Route[] = Object.entries({
  'GET ': [() => ({ items: LISTED }), 'These routes.'] as const,
  'GET forms': [
    () => ({ items: forms() }),
    'Each change that takes a body, with the JSON Schema of the body.',
  ] as const,
  ...ROUTES,
}).map(([name, [run, does]]) => {
  const [method = '', path = ''] = name.split(' ')
  return { method, path, run, does }
})

type RouteView = {
  readonly method: string
  readonly path: string
  readonly does: string
  /** Asked without the control token, it answers 401. */
  readonly needsToken: boolean
}

const LISTED: readonly RouteView[] = [
  ...ALL.map(({ method, path, does }) => ({
    method,
    path: path === '' ? CONTROL_PREFIX : `${CONTROL_PREFIX}/${path}`,
    does,
  })),
  { method: 'GET', path: STREAM_PATH, does: 'The same as it happens, as server-sent events.' },
].map((route) => ({ ...route, needsToken: needsToken(route) }))

type Form = {
  readonly method: string
  readonly path: string
  readonly does: string
  /** JSON Schema, from which the page makes a form. */
  readonly schema: object
}

function forms(): Form[] {
  return ALL.flatMap(({ method, path, run, does }) => {
    if (run.schema === undefined) return []
    const schema = z.toJSONSchema(run.schema, { io: 'input', unrepresentable: 'any' })
    return [{ method, path: `${CONTROL_PREFIX}/${path}`, does, schema }]
  })
}

export async function answerControl({ world, timers }: ControlDeps, request: HttpRequest): Promise<HttpAnswer> {
  if (request.path === STREAM_PATH) return streamTimeline(world.timeline, timers, request)
  const { run, value } = routeOf(request)
  const answer = async () => ok((await run(world.state, request, value, world)) ?? {})
  return request.method === 'GET' ? answer() : logged(world.timeline, request, answer)
}

function routeOf({ method, path }: HttpRequest): { run: Run; value: string } {
  const given = path.slice(CONTROL_PREFIX.length + 1).split('/')
  const matching = ALL.flatMap(({ method: takes, path: form, run }) => {
    const value = matchPath(form.split('/'), given)
    return value === undefined ? [] : [{ takes, run, value }]
  })
  if (matching.length === 0)
    throw refuse(404, 'not_found', `There is no such control route: GET ${CONTROL_PREFIX} lists them.`)
  const found = matching.find(({ takes }) => takes === method)
  const methods = matching.map(({ takes }) => takes).join(', ')
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
