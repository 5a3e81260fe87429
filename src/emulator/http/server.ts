import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SwitchhookError } from '../../base/errors.ts'
import { EMULATOR_CLOCK_OFFSET } from '../../contract/index.ts'
import { readBody } from './body.ts'
import { EMULATOR_HEADER, type HttpAnswer, type HttpRequest, Refusal } from './messages.ts'
import { checkHead, hangUp, unreadable } from './unreadable.ts'

export const HOST = '127.0.0.1'

export interface Server {
  readonly port: number
  close(): Promise<void>
}

export interface ServerParts {
  readonly port: number
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>
  readonly clockOffset: () => number
  /** How large the body of a request to this path may be. */
  readonly bodyLimit: (path: string) => number
}

/** Listens on the loopback address alone; port 0 takes a free one. */
export async function listen(parts: ServerParts): Promise<Server> {
  const answer = (request: IncomingMessage, response: ServerResponse) => void respond(parts, request, response)
  const server = createServer({ requireHostHeader: false }, answer)
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) => {
    // One who has left reads nothing, and a stream is not to be written into.
    if (!socket.writable || streaming.has(socket)) return void socket.destroy()
    const refused = answerTo(unreadable(error))
    hangUp(socket, { ...refused, headers: headOf(parts, refused) })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, parts.port)))
    server.listen(parts.port, HOST, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respond(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await readRequest(parts, request).then(parts.answer).catch(answerTo)
  if (response.destroyed) return
  if (answer.spoilt === 'never') return
  if (answer.spoilt === 'reset') return void request.socket.resetAndDestroy()
  if (answer.spoilt === 'cut') return void request.socket.destroy()
  if (answer.stream) {
    streaming.add(request.socket)
    return goOn(parts, answer, answer.stream, response)
  }
  response.writeHead(answer.status, headOf(parts, answer))
  if (answer.spoilt !== 'half') return void response.end(answer.body)
  const bytes = Buffer.from(answer.body)
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => request.socket.destroy())
}

/** The connections on which an answer goes on; every other is written in one go. */
const streaming = new WeakSet<object>()

function headOf(parts: ServerParts, { body, headers }: HttpAnswer): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...EMULATOR_HEADER,
    [EMULATOR_CLOCK_OFFSET]: String(parts.clockOffset()),
    ...headers,
  }
}

/** So much may wait for a reader who does not read; then it is cut off, and may come back. */
const UNREAD_LIMIT_BYTES = 4 * 1_048_576

function goOn(
  parts: ServerParts,
  { status, headers }: HttpAnswer,
  stream: NonNullable<HttpAnswer['stream']>,
  response: ServerResponse,
): void {
  response.writeHead(status, {
    ...EMULATOR_HEADER,
    [EMULATOR_CLOCK_OFFSET]: String(parts.clockOffset()),
    ...headers,
  })
  const stop = stream((text) => {
    response.write(text)
    if (response.writableLength > UNREAD_LIMIT_BYTES) response.destroy()
  })
  response.on('close', stop)
}

async function readRequest(parts: ServerParts, request: IncomingMessage): Promise<HttpRequest> {
  checkHead(request)
  const [path = '/', ...query] = (request.url ?? '/').split('?')
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    headers: request.headers,
    body: await readBody(request, parts.bodyLimit(path)),
  }
}

/** What an error is answered with: the rules' own refusals, or 500. */
export function answerTo(error: unknown): HttpAnswer {
  if (error instanceof Refusal)
    return { status: error.status, body: JSON.stringify(error.body), headers: error.headers }
  // A connection that the sender gave up is no bug; nobody reads this answer.
  if (!isAborted(error)) process.emitWarning(error instanceof Error ? error : String(error))
  return {
    status: 500,
    body: JSON.stringify({ code: 'internal_error', message: 'The emulator failed: a bug of its own.' }),
  }
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}

function explained(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error
  return new SwitchhookError(
    'port_in_use',
    `The emulator cannot listen on ${HOST}:${port}: the port is in use. Stop what uses it, or choose another port (0 takes a free one).`,
    { cause: error },
  )
}
