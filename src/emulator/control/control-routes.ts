import { z } from 'zod'
import { type HttpAnswer, type HttpRequest, Refusal, carriesToken, ok, refuse } from '../http/messages.ts'
import { HOST } from '../http/server.ts'
import { streamTimeline } from '../timeline.ts'
import type { World } from '../world.ts'
import { OPERATIONS } from './operations.ts'
import { CONTROL_PREFIX, type Operation, checked, get, isControlPath, readJson } from './request.ts'

const STREAM_PATH = `${CONTROL_PREFIX}/stream`

const LISTS = [
  get('', 'These routes.', () => ({ items: [...ALL.map(routeOf), STREAM] })),
  get('forms', 'Each change, with the JSON Schema of its body.', () => ({
    items: ALL.filter(({ method }) => method !== 'GET').map(formOf),
  })),
]

const ALL: readonly Operation[] = [...LISTS, ...Object.values(OPERATIONS)] as readonly unknown[] as Operation[]

const STREAM = { method: 'GET', path: STREAM_PATH, does: 'The timeline as server-sent events.', needsToken: true }

function routeOf({ method, path: name, does }: Operation) {
  const path = pathOf(name)
  return { method, path, does, needsToken: needsToken({ method, path }) }
}

function formOf({ method, path, does, schema }: Operation) {
  return { method, path: pathOf(path), does, schema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) }
}

function pathOf(name: string): string {
  return name === '' ? CONTROL_PREFIX : `${CONTROL_PREFIX}/${name}`
}

export async function answerControl(world: World, request: HttpRequest): Promise<HttpAnswer> {
  if (request.path === STREAM_PATH) return streamTimeline(world.timeline, request)
  const { operation, value } = findOperation(request)
  const given = operation.method === 'GET' ? {} : readJson(request)
  return ok((await perform(world, operation, { given, value })) ?? {})
}

function findOperation({ method, path }: HttpRequest): { operation: Operation; value: string } {
  const matching = ALL.flatMap((operation) => {
    const found = new RegExp(`^${pathOf(operation.path).replace(/:\w+/, '([^/]*)')}$`).exec(path)
    return found ? [{ operation, value: found[1] ?? '' }] : []
  })
  if (matching.length === 0)
    throw refuse(404, 'not_found', `This control route does not exist: GET ${CONTROL_PREFIX} lists them.`)
  const found = matching.find(({ operation }) => operation.method === method)
  const methods = matching.map(({ operation }) => operation.method).join(', ')
  if (!found) throw refuse(405, 'method_not_allowed', `The method must be ${methods}.`, { Allow: methods })
  return found
}

const LOOPBACK_NAMES = [HOST, 'localhost', '[::1]']

/** Reads that need no token, because they reveal no conversation. */
const OPEN_READS = ['', '/clock', '/assumptions'].map((path) => CONTROL_PREFIX + path)

const TOKEN_NEEDED =
  "This needs Authorization: Bearer with this run's control token. `switchhook dev` and `switchhook emulator` print it " +
  'and write it to .switchhook/dev.json. createEmulator() returns it as controlToken.'

function needsToken({ method, path }: Pick<HttpRequest, 'method' | 'path'>): boolean {
  return method !== 'GET' || !OPEN_READS.includes(path)
}

/**
 * Refuses a request that may not use the control API or the page. The control API can make the app act as if a customer
 * wrote, so web pages must not reach it. A request with a foreign Origin is from a web page. One with a foreign Host
 * may be too: anybody can let a domain point to this machine. Other programs and users of this machine lack the token.
 */
export function guardControl(
  request: HttpRequest,
  guard: { readonly port: number; readonly controlToken: string },
): void {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${guard.port}`)
  const { host = '', origin } = request.headers
  if (!hosts.includes(host.toLowerCase()))
    throw refuse(403, 'forbidden_host', `The control API answers only at ${hosts.join(', ')}.`)
  if (origin !== undefined && !hosts.map((name) => `http://${name}`).includes(origin.toLowerCase()))
    throw refuse(403, 'forbidden_origin', 'The control API does not answer other origins.')
  if (!isControlPath(request.path)) return
  if (needsToken(request) && !carriesToken(request.headers.authorization, guard.controlToken))
    throw refuse(401, 'not_authorized', TOKEN_NEEDED)
}

/** Runs an operation of the control API. A change gets an entry on the timeline. @throws Refusal */
export async function perform<In extends z.ZodType, Out>(
  world: World,
  operation: Operation<In, Out>,
  { given, value = '' }: { readonly given: unknown; readonly value?: string },
): Promise<Awaited<Out>> {
  const run = async () => operation.run(world, checked(given, operation.schema), value)
  if (operation.method === 'GET') return await run()
  const { method } = operation
  const path = `${CONTROL_PREFIX}/${operation.path.replace(/:\w+/, value)}`
  try {
    const result = await run()
    world.timeline.add({ kind: 'control', method, path, status: 200 })
    return result
  } catch (error) {
    if (error instanceof Refusal)
      world.timeline.add({ kind: 'control', method, path, status: error.status, code: error.code ?? null })
    throw error
  }
}
