import { type AnyBot, internalsOf, type EndpointOptions, endpointOf } from '../../bot-internals.ts'
import { type Body, type BodyLimits, joinedParts } from '../http.ts'

/**
 * The bot as a fetch-standard function, for Hono, Next and other frameworks with `Request` and `Response`. It handles
 * every request that you pass, whatever its path. It reads the body itself, so pass the request unread.
 *
 * ```ts
 * const receive = webhook(bot)
 * app.all('/webhooks/messages', (c) => receive(c.req.raw)) // Hono
 * await bot.start()
 * ```
 *
 * A delivery is stored before its answer and handled after it. A serverless function that is frozen after its answer
 * can store but not handle. So start the bot there with the role 'receive', and in a long-lived process over the same
 * database with the role 'work'.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function webhook(bot: AnyBot, o: EndpointOptions<Request> = {}): (request: Request) => Promise<Response> {
  const internals = internalsOf(bot)
  const endpoint = endpointOf(o, internals)
  return async (request) => {
    const { status, headers, body } = await internals.receive({
      method: request.method,
      headers: request.headers,
      readBody: (limits) => readBody(request, limits),
      ...endpoint(request),
    })
    return new Response(body, { status, headers })
  }
}

type Reader = { read(): Promise<{ done: boolean; value?: unknown }>; releaseLock(): void }

/**
 * Reads the exact bytes of a body. The rest of a refused body stays unread. It is not cancelled, because hosts over
 * `node:http` close the connection of a cancelled stream before they answer.
 */
function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  if (request.bodyUsed || request.body?.locked) return Promise.resolve({ problem: 'already_parsed' })
  if (Number(request.headers.get('content-length')) > limits.maxBytes) return Promise.resolve({ problem: 'too_large' })
  if (!request.body) return Promise.resolve({ bytes: new Uint8Array() })
  const reader: Reader = request.body.getReader()
  return new Promise((resolve) => {
    const cancel = limits.timers.after(limits.deadlineMs, () => {
      resolve({ problem: 'timeout' })
      reader.releaseLock()
    })
    void readAll(reader, limits).then((body) => {
      cancel()
      resolve(body)
      reader.releaseLock()
    })
  })
}

/** Reads to the end, or until the caller releases the reader's lock, which rejects the pending read. */
async function readAll(reader: Reader, { maxBytes, take }: BodyLimits): Promise<Body> {
  const parts = joinedParts()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { bytes: parts.bytes() }
      // If this part is a text, it was decoded before, so its exact bytes are not known.
      if (!(value instanceof Uint8Array)) return { problem: 'already_parsed' }
      if (parts.length() + value.byteLength > maxBytes) return { problem: 'too_large' }
      if (!take(value.byteLength)) return { problem: 'too_many' }
      parts.add(value)
    }
  } catch {
    return { problem: 'aborted' }
  }
}
