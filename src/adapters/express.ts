import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../receive/body.ts'
import { type AnyBot, internalsOf } from '../receive/bot-internals.ts'
import { isAtMountPath } from './mount-path.ts'
import { send } from './send.ts'

type Request = IncomingMessage & { body?: unknown; rawBody?: unknown }
type Next = (error?: unknown) => void

/**
 * The bot as Express middleware. It answers at the very path where it is mounted and nowhere below it, and
 * reads the body itself: mount it before any body parser, or see `keepRawBody`.
 *
 * ```ts
 * app.use('/webhooks/messages', webhook(bot))
 * app.use(express.json())
 * ```
 */
export function webhook(bot: AnyBot): (request: Request, response: ServerResponse, next: Next) => void {
  const mounted = internalsOf(bot)
  return function middleware(request, response, next) {
    if (!isAtMountPath(request, middleware)) return next()
    const incoming = {
      method: request.method ?? '',
      headers: request.headers,
      readBody: (limits: Parameters<typeof readBody>[1]) => readBody(request, limits),
    }
    mounted.receive(incoming).then((answer) => send(response, answer), next)
  }
}

/**
 * For apps whose parser cannot move: `express.json({ verify: keepRawBody })` keeps the exact bytes beside what
 * it parses.
 */
export function keepRawBody(request: IncomingMessage, _response: unknown, body: Buffer): void {
  ;(request as Request).rawBody = body
}

/**
 * 200 while deliveries can be stored and the bot is not about to stop, else 503: for load balancers and probes. That they
 * can is told by the last of them: one that was turned away with 503 counts for ten seconds, or until another is stored.
 */
export function health(bot: AnyBot): (request: IncomingMessage, response: ServerResponse) => void {
  const mounted = internalsOf(bot)
  return (_request, response) => {
    const ready = mounted.ready()
    send(response, {
      status: ready ? 200 : 503,
      headers: { 'content-type': 'application/json' },
      body: ready ? '{"status":"ready"}' : '{"status":"unavailable"}',
    })
  }
}
