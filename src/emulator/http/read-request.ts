import { type IncomingMessage, maxHeaderSize } from 'node:http'
import { getRawBody } from 'raw-body'
import { type HttpRequest, type Refusal, refuse } from './messages.ts'

/** The largest body that is kept; the specification gives no limit, and no send comes near this one. */
export const BODY_LIMIT_BYTES = 1_048_576
/** The largest snapshot: a snapshot of a long day is larger than any send. */
export const SNAPSHOT_LIMIT_BYTES = 128 * BODY_LIMIT_BYTES
/** How much of a body over the limit is still read and thrown away, so that the sender can read the answer. */
const DRAIN_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES

/** Reads a whole request; `bodyLimit` says how large the body of a request to a path may be. */
export async function readRequest(request: IncomingMessage, bodyLimit: (path: string) => number): Promise<HttpRequest> {
  checkHead(request)
  const [path = '/', ...query] = (request.url ?? '/').split('?')
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    headers: request.headers,
    body: await readBody(request, bodyLimit(path)),
  }
}

/** Refuses what Node itself would refuse with an empty answer, although the request can be read. */
function checkHead({ httpVersion, headers }: IncomingMessage): void {
  const close = { Connection: 'close' }
  if (httpVersion === '1.1' && headers.host === undefined)
    throw refuse(400, 'invalid_request', 'The request has no Host header.', close)
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw refuse(417, 'expectation_failed', 'The one expectation that is met is 100-continue.', close)
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null })
  } catch (error) {
    if ((error as { type?: unknown }).type !== 'entity.too.large') throw error
    await drain(request)
    throw refuse(413, 'too_large', `The body has more than ${limit} bytes.`, { Connection: 'close' })
  }
}

async function drain(request: IncomingMessage): Promise<void> {
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop destroys the request.
    if (length > DRAIN_LIMIT_BYTES) return
  }
}

/** An error of Node's HTTP parser. */
type ParseError = Error & { readonly code?: string; readonly reason?: string }

/** Refuses what never became a request in the form of all errors, in place of Node's empty 400. */
export function unreadable({ code, reason, message }: ParseError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return refuse(431, 'headers_too_large', `The headers have more than ${maxHeaderSize} bytes.`)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse(408, 'timeout', 'The request did not come to its end in time.')
  return refuse(400, 'invalid_request', `The request is no HTTP that can be read: ${reason ?? message}.`)
}
