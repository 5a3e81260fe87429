import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A delivery as it reached the app. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
}

export interface App {
  readonly url: string
  readonly received: Received[]
  /** How the next deliveries are answered; a number is a status, a function writes the answer itself. */
  answer: number | ((response: ServerResponse) => void)
  /** Resolves when so many deliveries have arrived in all. */
  until(count: number): Promise<readonly Received[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** An app that listens for deliveries and keeps what came. */
export async function startApp(): Promise<App> {
  const received: Received[] = []
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, raw: Buffer.concat(chunks) })
      if (typeof app.answer === 'function') app.answer(response)
      else response.writeHead(app.answer).end('{"status":"accepted"}')
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const app: App = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/messages`,
    received,
    answer: 200,
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length >= count) resolve(received)
        }
        waiting.push(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return app
}

export function header(received: Received | undefined, name: string): string {
  const value = received?.headers[name.toLowerCase()]
  if (typeof value !== 'string') throw new Error(`the delivery has no header ${name}`)
  return value
}
