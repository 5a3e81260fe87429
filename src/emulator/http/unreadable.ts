import { type IncomingMessage, maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type HttpAnswer, type Refusal, refuse } from './messages.ts'

/** An error of Node's HTTP parser. */
type ParseError = Error & { readonly code?: string; readonly reason?: string }

/** What never becomes a request is refused in the form of all errors, and not with Node's empty 400. */
export function unreadable({ code, reason, message }: ParseError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return refuse(431, 'headers_too_large', `The headers have more than ${maxHeaderSize} bytes.`)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse(408, 'timeout', 'The request did not come to its end in time.')
  return refuse(400, 'invalid_request', `The request is no HTTP that can be read: ${reason ?? message}.`)
}

/** What Node itself would refuse of a request that can be read, with an empty answer. */
export function checkHead({ httpVersion, headers }: IncomingMessage): void {
  const close = { Connection: 'close' }
  if (httpVersion === '1.1' && headers.host === undefined)
    throw refuse(400, 'invalid_request', 'The request has no Host header.', close)
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw refuse(417, 'expectation_failed', 'The one expectation that is met is 100-continue.', close)
}

/** Says it where there is no request to answer, and hangs up. */
export function hangUp(socket: Duplex, { status, body, headers }: HttpAnswer): void {
  const head = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body]
  socket.end(lines.join('\r\n'), () => socket.destroy())
}
