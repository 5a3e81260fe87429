import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Behaviour = (response: ServerResponse, seen: Seen, nth: number) => void

/** A real service on a free port of this machine, which keeps the requests that it saw. */
export async function startService(behave: Behaviour) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() }
      seen.push(one)
      behave(response, one, seen.length)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

/** Only the members that are always there (SEND-16). */
export const MESSAGE = {
  id: 'msg_1',
  direction: 'OUTBOUND',
  message_type: 'text',
  created_at: '2026-01-01T09:00:00Z',
} as const
