import { type AnyBot, internalsOf } from '../receive/bot-internals.ts'
import { readStream } from './read-stream.ts'

/**
 * The bot as a function of the fetch standard, for Hono, Next and whatever else speaks `Request` and `Response`.
 * It acts on every request that it is given, whatever its path: which those are is the framework's matter. It reads
 * the body itself, so give it the request unread.
 *
 * ```ts
 * const receive = webhook(bot)
 * app.all('/webhooks/messages', (c) => receive(c.req.raw))      // Hono
 * await bot.start()
 * ```
 *
 * A delivery is stored before its answer and handled after it. A function that is frozen once it has answered can do
 * the first and not the second: what it begins to handle stands still, until another process takes it over. So run
 * the bot, with `bot.start()`, over the same database in a process that lives as well.
 */
export function webhook(bot: AnyBot): (request: Request) => Promise<Response> {
  const mounted = internalsOf(bot)
  return async (request) => {
    const { status, headers, body } = await mounted.receive({
      method: request.method,
      headers: request.headers,
      readBody: (limits) => readStream(request, limits),
    })
    return new Response(body, { status, headers })
  }
}
