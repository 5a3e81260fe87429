// Imported whole and not by name: whoever instruments these modules puts other functions into them.
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { type Answer, type AnswerHeaders, LARGEST_BYTES, textOf } from './answer.ts'
import type { Deadline } from './deadline.ts'
import { LostConnection, NoConnection } from './no-answer.ts'
import type { Transport } from './transport.ts'

/** A connection without a request is closed after so long: if the service closed it first, it could take a request with it. */
const IDLE_MS = 4_000
/** The longest time until a connection is there, with its handshake. */
const CONNECT_MS = 10_000
/** Captured, since an app's tests may put false ones in their place. */
const { setTimeout, clearTimeout } = globalThis

const KEPT = { keepAlive: true, timeout: IDLE_MS }
const PLAIN = new http.Agent(KEPT)
const SECURE = new https.Agent(KEPT)

/** Requests by Node's own client, over connections that are kept. */
export const overHttp: Transport = (target, { method, headers, body }, { signal, passedBy }) =>
  new Promise((resolve, reject) => {
    const isSecure = target.startsWith('https:')
    // An answer in another coding would be a text that nobody can read.
    const all: Record<string, string | number> = { ...headers, 'Accept-Encoding': 'identity' }
    if (body !== undefined) all['Content-Length'] = Buffer.byteLength(body)
    const options = { method, headers: all, signal, agent: isSecure ? SECURE : PLAIN }
    const request = isSecure ? https.request(target, options) : http.request(target, options)
    let hasLeft = false
    const fail = (error: Error) => reject(hasLeft ? new LostConnection(error) : new NoConnection(error))
    whenConnected(request, isSecure, () => {
      hasLeft = true
      request.end(body)
    })
    // A close without an error: the service has switched to another protocol, for instance.
    const closed = () => fail(new Error('the connection was closed without an answer'))
    request.on('error', fail)
    request.on('close', closed)
    request.on('response', (message) => {
      // From here on the answer itself tells how it ends: a refusal that breaks off is one all the same.
      request.off('close', closed).off('error', fail)
      request.on('error', () => {})
      const { statusCode = 0 } = message
      const answer = (read: Pick<Answer, 'text' | 'broken'>) =>
        resolve({ status: statusCode, headers: new HeadersOf(message), ...read })
      readCapped(message, passedBy, answer)
    })
  })

/** Nothing is written before the handshake: whatever fails until then, nothing was sent. */
function whenConnected(request: ClientRequest, isSecure: boolean, connected: () => void): void {
  request.on('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    if (!socket.connecting && !socket.secureConnecting) return connected()
    const late = () => request.destroy(new Error(`no connection within ${CONNECT_MS / 1_000} s`))
    const timer = setTimeout(late, CONNECT_MS)
    request.once('close', () => clearTimeout(timer))
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      connected()
    })
  })
}

/** The body as text, at most 1 MiB of it; the connection of a longer one is closed. */
function readCapped(
  message: IncomingMessage,
  passedBy: Deadline['passedBy'],
  answer: (read: Pick<Answer, 'text' | 'broken'>) => void,
): void {
  const chunks: Buffer[] = []
  let room = LARGEST_BYTES
  const end = (broken: Answer['broken']) => answer({ text: textOf(chunks), broken })
  message.on('data', (chunk: Buffer) => {
    room -= chunk.byteLength
    if (room >= 0) return void chunks.push(chunk)
    end('too_large')
    message.destroy()
  })
  message.on('end', () => end(undefined))
  message.on('error', () => end(passedBy() ?? 'connection'))
  message.on('close', () => end('connection'))
}

class HeadersOf implements AnswerHeaders {
  readonly #headers: IncomingMessage['headers']

  constructor({ headers }: IncomingMessage) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.#headers)) yield [name, this.get(name) ?? '']
  }
}
