import { type AnyBot, internalsOf } from '../receive/bot-internals.ts'
import type { Body, BodyLimits } from '../receive/http.ts'
import { type EndpointOptions, endpointOf } from './endpoint.ts'

/**
 * The bot as a function of the fetch standard, for Hono, Next and whatever else speaks `Request` and `Response`.
 * It acts on every request that it is given, whatever its path: choosing them is up to the framework. It reads
 * the body itself, so give it the request unread.
 *
 * ```ts
 * const receive = webhook(bot)
 * app.all('/webhooks/messages', (c) => receive(c.req.raw))      // Hono
 * await bot.start()
 * ```
 *
 * A delivery is stored before its answer and handled after it. A serverless function that is frozen after its answer
 * can store but not handle: a handler that began stands still until another process takes the delivery over. So start
 * the bot there with the role 'receive', and over the same database in a long-lived process with the role 'work'.
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
 * Reads the exact bytes of a fetch `Request`. A declared length over the limit is refused early; the real length is
 * counted.
 *
 * The rest of a refused body is left unread and not cancelled: hosts over node:http end the connection with a cancelled
 * stream, and the answer with it. Nothing more is pulled, so nothing more piles up.
 */
function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  // If somebody has begun to read the body, or has taken it, its end may never come.
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

/** Ends when the reader's lock is released: the read under way is then rejected. */
async function readAll(reader: Reader, { maxBytes, take }: BodyLimits): Promise<Body> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { bytes: Buffer.concat(chunks, length) }
      // Decoded text is no longer bytes, and has no byte length to count.
      if (!(value instanceof Uint8Array)) return { problem: 'already_parsed' }
      length += value.byteLength
      if (length > maxBytes) return { problem: 'too_large' }
      if (!take(value.byteLength)) return { problem: 'too_many' }
      chunks.push(value)
    }
  } catch {
    return { problem: 'aborted' }
  }
}
