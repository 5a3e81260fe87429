import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Elsewhere,
  joinedParts,
  comparable,
  healthAnswer,
  type NodeRequest,
  pathOf,
  sendAnswer,
  toIncoming,
} from '../http.ts'
import { type AnyBot, internalsOf, endpointOf, type EndpointOptions } from '../../bot-internals.ts'

type Next = (error?: unknown) => void

export type ExpressRequest = NodeRequest & { readonly params: Readonly<Record<string, string>> }

/**
 * The bot as Express middleware. It answers only at its exact mount path, and reads the body itself: mount it before
 * any body parser, or see `keepRawBody`.
 *
 * ```ts
 * app.use('/webhooks/messages', webhook(bot))
 * app.use(express.json())
 * ```
 *
 * Each number can have its own endpoint: `app.use('/webhooks/:number', webhook(bot, { number: (request) =>
 * request.params.number }))`.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function webhook(
  bot: AnyBot,
  o: EndpointOptions<ExpressRequest> = {},
): (request: NodeRequest, response: ServerResponse, next: Next) => void {
  const internals = internalsOf(bot)
  const endpoint = endpointOf(o, internals)
  const passed = new WeakSet<IncomingMessage>()
  return function middleware(request, response, next) {
    const incoming = { ...toIncoming(request, response), ...endpoint(request as ExpressRequest) }
    if (!isAtMountPath(request, middleware)) {
      if (!passed.has(request)) void internals.elsewhere({ ...incoming, ...passedOn(request, response) })
      passed.add(request)
      return next()
    }
    answered.add(request)
    internals.receive(incoming).then((answer) => sendAnswer(response, answer), next)
  }
}

/** The requests that some mount of the bot answers, so that no other mount reports them as misplaced. */
const answered = new WeakSet<IncomingMessage>()

/** Copies the body while the app reads it. The body and the status are known when the app has answered. */
function passedOn(
  request: RoutedRequest,
  response: ServerResponse,
): Pick<Elsewhere, 'path' | 'right' | 'readBody' | 'answeredWith'> {
  const { baseUrl = '', originalUrl = '', route } = request
  const path = pathOf(originalUrl)
  return {
    path,
    right: baseUrl || (route ? path : '/'),
    readBody: ({ take, maxBytes }) =>
      new Promise((resolve) => {
        const parts = joinedParts()
        const see = (chunk: Buffer | string) => {
          const fits = parts.length() + chunk.length <= maxBytes
          if (typeof chunk !== 'string' && fits && take(chunk.length)) parts.add(chunk)
        }
        // The stream's own `on` would begin to read the body.
        EventEmitter.prototype.on.call(request, 'data', see)
        response.once('close', () => resolve({ bytes: parts.bytes() }))
      }),
    answeredWith: () => (answered.has(request) ? undefined : response.statusCode),
  }
}

/**
 * For apps whose parser must come first. Keeps the exact bytes beside the parsed body.
 *
 * ```ts
 * app.use(express.json({ verify: keepRawBody }))
 * ```
 */
export function keepRawBody(request: IncomingMessage, _response: unknown, body: Buffer): void {
  ;(request as NodeRequest).rawBody = body
}

/**
 * Answers load balancers and probes. 200 while deliveries can be stored and the bot is not stopping, else 503. After
 * a delivery could not be stored: 503 for ten seconds, or until another one is stored. `oldestWaitingSeconds` is how
 * long the message that is handled next has waited. A process with the role 'work' is healthy, and answers no
 * delivery.
 *
 * ```ts
 * app.get('/health', health(bot))
 * ```
 */
export function health(bot: AnyBot): (request: IncomingMessage, response: ServerResponse) => void {
  const internals = internalsOf(bot)
  return (_request, response) => sendAnswer(response, healthAnswer(internals))
}

type RoutedRequest = NodeRequest & {
  readonly baseUrl?: string
  readonly originalUrl?: string
  readonly route?: { readonly path?: unknown; readonly stack?: readonly { readonly handle?: unknown }[] }
}

/**
 * True if a request is at the exact path of a middleware. Under `app.use(path)` Express removes the mount path. Under
 * `app.post(path)` it sets `request.route`, which stays set after a route that only passed the request on.
 */
function isAtMountPath(request: RoutedRequest, middleware: unknown): boolean {
  const path = pathOf(request.url)
  if (path === '/' || path === '') return true
  const { route } = request
  if (!route) return false
  return (
    route.stack?.some(({ handle }) => handle === middleware) === true ||
    // An app may wrap the middleware in a function, so that it is not in the list. Then the route's path must match.
    [route.path].flat().some((pattern) => typeof pattern === 'string' && matches(pattern, path))
  )
}

/** `:name` matches one segment. A wildcard matches nothing. */
function matches(pattern: string, path: string): boolean {
  const [wanted = [], given = []] = [pattern, path].map((one) => comparable(one).split('/'))
  return wanted.length === given.length && wanted.every((one, at) => one.startsWith(':') || one === given[at])
}
