import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import { getRawBody } from 'raw-body'
import { SwitchhookError, readError, reasonOf, textIn } from '../../base/errors.ts'
import { EMULATOR_CLOCK_OFFSET } from '../../service/endpoints.ts'
import { EMULATOR_HEADER, type HttpAnswer, type HttpRequest, LONGEST_FILE_BYTES, Refusal, refuse } from './messages.ts'

export const HOST = '127.0.0.1'

/** The specification has no limit. This limit is far above the size of any send. */
const BODY_LIMIT_BYTES = 1_048_576
const MEDIA_PATH = '/_emulator/media'
const FILE_BODY_LIMIT_BYTES = Math.ceil((LONGEST_FILE_BYTES * 4) / 3) + 65_536

export interface Server {
  readonly port: number
  close(): Promise<void>
}

interface ServerOptions {
  readonly port: number
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>
  readonly clockOffset: () => number
}

export async function listen(options: ServerOptions): Promise<Server> {
  const server = createServer((request, response) => void respond(options, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, options.port)))
    server.listen(options.port, HOST, resolve)
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

async function respond(options: ServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await readRequest(request).then(options.answer).catch(answerTo)
  if (response.destroyed) return
  if (answer.spoilt === 'never') return
  if (answer.spoilt === 'cut') return void request.socket.destroy()
  if (answer.stream) return startStream(options, answer, answer.stream, response)
  response.writeHead(answer.status, headersOf(options, answer))
  response.end(answer.bytes ?? answer.body)
}

async function readRequest(request: IncomingMessage): Promise<HttpRequest> {
  const [path = '/', ...query] = (request.url ?? '/').split('?')
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    headers: request.headers,
    body: await readBody(request),
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const limit = request.url === MEDIA_PATH ? FILE_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null })
  } catch (error) {
    if (textIn(error, 'type') !== 'entity.too.large') throw error
    // Read the rest of the body: a client that is still sending may not read the answer.
    await finished(request.resume())
    throw refuse(413, 'too_large', `The body has more than ${limit} bytes.`, { Connection: 'close' })
  }
}

function startStream(
  options: ServerOptions,
  { status, headers }: HttpAnswer,
  stream: NonNullable<HttpAnswer['stream']>,
  response: ServerResponse,
): void {
  response.writeHead(status, { ...ownHeaders(options), ...headers })
  response.on(
    'close',
    stream((text) => void response.write(text)),
  )
}

function headersOf(
  options: ServerOptions,
  { body, bytes = Buffer.from(body), headers }: HttpAnswer,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...ownHeaders(options),
    ...headers,
  }
}

function ownHeaders({ clockOffset }: ServerOptions): Record<string, string> {
  return { ...EMULATOR_HEADER, [EMULATOR_CLOCK_OFFSET]: String(clockOffset()) }
}

export function answerTo(error: unknown): HttpAnswer {
  if (error instanceof Refusal)
    return { status: error.status, body: JSON.stringify(error.body), headers: error.headers }
  // A closed connection is no bug, and nobody reads this answer.
  const { code, stack } = readError(error)
  if (code !== 'ECONNRESET' && code !== 'ECONNABORTED') process.emitWarning(stack || reasonOf(error))
  return {
    status: 500,
    body: JSON.stringify({ code: 'internal_error', message: 'The emulator failed because of a bug.' }),
  }
}

function listenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error
  return new SwitchhookError(
    'port_in_use',
    `The emulator cannot listen on ${HOST}:${port}: the port is in use. Stop the program that uses it, or choose another port (0 picks a free one).`,
    { cause: error },
  )
}
