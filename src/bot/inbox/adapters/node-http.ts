import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, type Body, type BodyLimits, type Incoming, joinedParts } from '../http.ts'
import type { BotInternals } from '../../bot-internals.ts'

/** `body`, `rawBody`: body parsers add them. */
export type NodeRequest = IncomingMessage & { body?: unknown; rawBody?: unknown }

export function toIncoming(request: NodeRequest, response: ServerResponse): Incoming {
  const { headers } = request
  return {
    method: request.method ?? '',
    // Node gives every name in lower case, so other spellings need no search.
    headers: { get: (name) => headers[name], keys: () => Object.keys(headers) },
    readBody: (limits) => readBody(request, limits),
    answeredWith: () => (response.headersSent ? response.statusCode : undefined),
  }
}

/**
 * Reads the exact bytes of a body. If a parser has read it, its Buffer counts (`rawBody`, or a Buffer `body`). Parsed
 * JSON does not, because its bytes cannot be restored.
 */
function readBody(request: NodeRequest, limits: BodyLimits): Promise<Body> {
  const kept = [request.rawBody, request.body].find((one) => one instanceof Uint8Array)
  if (kept) return Promise.resolve(kept.byteLength > limits.maxBytes ? { problem: 'too_large' } : { bytes: kept })
  // If somebody began to read the body, its first part is missing, and the event of its end may never come.
  if (request.readableDidRead || request.readableEncoding !== null || !request.readable)
    return Promise.resolve({ problem: 'already_parsed' })
  if (Number(request.headers['content-length']) > limits.maxBytes) return Promise.resolve({ problem: 'too_large' })
  return new Promise((resolve) => {
    const parts = joinedParts()
    const settle = (body: Body) => {
      cancel()
      request.off('readable', read)
      resolve(body)
    }
    const cancel = limits.timers.after(limits.deadlineMs, () => settle({ problem: 'timeout' }))
    // Reads all that has arrived as one part. The event `data` would come for each part that was sent.
    function read() {
      const part: Buffer | null = request.read()
      if (part === null) return
      if (!limits.take(part.byteLength)) settle({ problem: 'too_many' })
      else if (parts.length() + part.byteLength > limits.maxBytes) settle({ problem: 'too_large' })
      else parts.add(part)
    }
    request.on('readable', read)
    request.once('end', () => settle({ bytes: parts.bytes() }))
    for (const event of ['error', 'close']) request.once(event, () => settle({ problem: 'aborted' }))
  })
}

/** Writes an answer, unless the client has disconnected, or the app has answered, for example after a time-out. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return
  response.statusCode = answer.status
  for (const name in answer.headers) response.setHeader(name, answer.headers[name] ?? '')
  response.setHeader('content-length', Buffer.byteLength(answer.body))
  response.end(answer.body)
}

/** Proxies may send a whole address, with scheme and host. */
export function pathOf(url = ''): string {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}

export function isSamePath(one: string, other: string): boolean {
  return comparable(one) === comparable(other)
}

/** Express ignores case and a final slash. */
export function comparable(path: string): string {
  return path.toLowerCase().replace(/\/$/, '')
}

export function healthAnswer(internals: BotInternals): Answer {
  const ready = internals.ready()
  return {
    status: ready ? 200 : 503,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      status: ready ? 'ready' : 'unavailable',
      oldestWaitingSeconds: Math.floor(internals.waitedMs() / 1_000),
      role: internals.role(),
    }),
  }
}
