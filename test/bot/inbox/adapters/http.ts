import { createServer, request, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Listening {
  readonly port: number
  readonly url: string
  readonly server: Server
  /** Every connection that was made, with the bytes that it has read. */
  readonly sockets: readonly Socket[]
}

/** Listens on a free port until the test ends. */
export async function listenOn(listener: RequestListener | Server): Promise<Listening> {
  const server = typeof listener === 'function' ? createServer(listener) : listener
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, server, sockets }
}

/** Makes one request with Node's own client. */
export function ask(
  port: number,
  path: string,
  o: { method?: string; headers?: Record<string, string | string[] | undefined>; body?: Uint8Array | undefined } = {},
): Promise<Answered> {
  const { method = 'POST', body } = o
  const headers = Object.fromEntries(Object.entries(o.headers ?? {}).filter(([, value]) => value !== undefined))
  const length = body === undefined ? {} : { 'content-length': body.byteLength }
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method, agent: false, headers: { ...length, ...headers } })
    asking.on('error', reject)
    asking.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    asking.end(body)
  })
}

export interface Wire {
  readonly socket: Socket
  write(...parts: (string | Uint8Array)[]): void
  /** Reads the next answer, by its Content-Length. */
  answer(): Promise<Answered>
  /** Resolves with all bytes that came until the other side closed. */
  rest(): Promise<string>
}

/** A connection on which a test writes every byte itself. */
export async function dial(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let came = Buffer.alloc(0)
  let closed = false
  const watchers = new Set<() => void>()
  const tell = () => {
    for (const look of watchers) look()
  }
  socket.on('data', (chunk) => {
    came = Buffer.concat([came, chunk])
    tell()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    tell()
  })

  function when<T>(ready: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = ready()
        if (found === undefined && !closed) return
        watchers.delete(look)
        if (found === undefined) reject(new Error(`the connection was closed after: ${came.toString('latin1')}`))
        else resolve(found)
      }
      watchers.add(look)
      look()
    })
  }

  return {
    socket,
    write(...parts) {
      for (const part of parts) socket.write(part)
    },
    answer: () =>
      when(() => {
        const taken = parse(came)
        if (!taken) return undefined
        came = came.subarray(taken.length)
        return taken.answer
      }),
    rest: () => when(() => (closed ? came.toString('latin1') : undefined)),
  }
}

function parse(bytes: Buffer): { answer: Answered; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const status = Number(first.split(' ')[1])
  // An interim answer, such as 100 Continue, has no body and is followed by the real one.
  const length = end + 4 + (status < 200 ? 0 : Number(headers['content-length'] ?? 0))
  if (bytes.length < length) return undefined
  return { answer: { status, headers, body: bytes.toString('utf8', end + 4, length) }, length }
}

/** The head of a request on the wire. */
export function head(path: string, headers: Record<string, string | number>, method = 'POST'): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}
