import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { CERTIFICATE, KEY } from '../support/certificate.ts'
import { json, MESSAGE, startService } from './service.ts'
import { rejection, TOKEN } from './stub.ts'

const SEND = { body: '{"to":"255712000101"}', idempotencyKey: 'k' }

function clientAt(baseUrl: string, given?: typeof fetch) {
  return createClient({ baseUrl, accessToken: TOKEN, maxRetries: 0, fetch: given })
}

/** The base address of a server on this machine that a test speaks for. */
async function listening(server: Server, protocol: 'http' | 'https'): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a request', () => {
  it('reuses the previous connection, and requests an uncompressed answer [C GEN-02]', async () => {
    const ports = new Set<unknown>()
    await using service = await startService((response, seen, nth) => {
      ports.add(response.socket?.remotePort)
      json(200, { ...MESSAGE, id: `msg_${nth}` })(response)
    })
    const client = clientAt(service.url)
    expect((await client.attempt(SEND)).message.id).toBe('msg_1')
    expect((await client.attempt(SEND)).message.id).toBe('msg_2')
    expect(ports.size).toBe(1)
    expect(service.seen[0]).toMatchObject({
      body: SEND.body,
      headers: { 'accept-encoding': 'identity', 'content-length': `${SEND.body.length}`, 'idempotency-key': 'k' },
    })
  })

  it.each([
    ['by Node’s own client', undefined],
    ['by a fetch', fetch],
  ])('%s is not led elsewhere with its token [C AUTH-07]', async (_, given) => {
    await using other = await startService(json(200, MESSAGE))
    await using service = await startService(json(307, {}, { location: `${other.url}/api/v2/messages` }))
    expect(await rejection(clientAt(service.url, given).attempt(SEND))).toMatchObject({ status: 307 })
    expect(other.seen).toEqual([])
  })

  it('whose service has an untrusted certificate was not sent [C IDEM-07]', async () => {
    const asked = vi.fn()
    const url = await listening(createTlsServer({ cert: CERTIFICATE, key: KEY }, asked), 'https')
    const error = await rejection(clientAt(url).attempt(SEND))
    expect(error).toMatchObject({ reason: 'connection', outcome: 'not_sent' })
    expect(asked).not.toHaveBeenCalled()
  })

  it('whose connection ends during the handshake was not sent, whatever the reason [C IDEM-07]', async () => {
    const url = await listening(
      createTcpServer((socket) => socket.destroy()),
      'https',
    )
    expect(await rejection(clientAt(url).attempt(SEND))).toMatchObject({ outcome: 'not_sent' })
  })

  it('that was read has an unknown outcome, even if the answer is one of another protocol [C IDEM-07]', async () => {
    const asked = vi.fn()
    const service = createTlsServer({ cert: CERTIFICATE, key: KEY, maxVersion: 'TLSv1.2' }, asked)
    const { port } = new URL(await listening(service, 'https'))
    // Something between the two speaks for the service once that has read the request, and not in its code.
    const between = createTcpServer((socket) => {
      const behind = connect(Number(port), '127.0.0.1')
      socket.pipe(behind).pipe(socket)
      asked.mockImplementation(() => socket.write('HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n'))
      for (const one of [socket, behind]) one.on('error', () => one.destroy())
    })
    const url = await listening(between, 'https')
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const error = await rejection(clientAt(url).attempt(SEND))
    expect(asked).toHaveBeenCalledOnce()
    expect(error).toMatchObject({ reason: 'connection', outcome: 'unknown' })
  })

  it('that was cut off before there was a connection was not sent [C IDEM-07]', async () => {
    const sockets: Socket[] = []
    const url = await listening(
      createTcpServer((socket) => sockets.push(socket)),
      'https',
    )
    const error = await rejection(clientAt(url).attempt({ ...SEND, timeout: '50ms' }))
    for (const socket of sockets) socket.destroy()
    expect(error).toMatchObject({ reason: 'timeout', outcome: 'not_sent' })
  })

  it('without a connection after ten seconds was not sent [C IDEM-07]', async () => {
    const { setTimeout } = globalThis
    vi.resetModules()
    // The next tests take the modules that were loaded last.
    onTestFinished(() => void vi.resetModules())
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => setTimeout(run, ms === 10_000 ? 1 : ms))
    const { createClient: made } = await import('../../src/client/client.ts')
    vi.unstubAllGlobals()
    const sockets: Socket[] = []
    const url = await listening(
      createTcpServer((socket) => sockets.push(socket)),
      'https',
    )
    const client = made({ baseUrl: url, accessToken: TOKEN, maxRetries: 0 })
    const error = await rejection(client.attempt(SEND))
    for (const socket of sockets) socket.destroy()
    expect(error).toMatchObject({ reason: 'connection', outcome: 'not_sent' })
    expect((error as Error).message).toContain('no connection within 10 s')
  })
})

it('a request to a plain http server explains what baseUrl should be, and was not sent [C IDEM-07]', async () => {
  await using service = await startService(json(200, MESSAGE))
  const error = await rejection(clientAt(service.url.replace('http:', 'https:')).attempt(SEND))
  expect(error).toMatchObject({ reason: 'connection', outcome: 'not_sent' })
  expect((error as Error).message).toContain('baseUrl says https, but the server answers in plain http')
  expect(service.seen).toEqual([])
})

describe('an answer', () => {
  it('that switches to another protocol is an unknown outcome, and ends the wait [C IDEM-07]', async () => {
    const url = await listening(
      createTcpServer((socket) =>
        socket.once('data', () =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
        ),
      ),
      'http',
    )
    expect(await rejection(clientAt(url).attempt(SEND))).toMatchObject({ reason: 'connection', outcome: 'unknown' })
  })

  it('that breaks off is an unknown outcome [C IDEM-07]', async () => {
    await using service = await startService((response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('{"id":', () => response.destroy())
    })
    expect(await rejection(clientAt(service.url).attempt(SEND))).toMatchObject({ status: 200, outcome: 'unknown' })
  })

  it('that refuses is a refusal, even if its connection is reset in the middle of it [C IDEM-07]', async () => {
    await using service = await startService((response) => {
      const arrived = () => {
        unsubscribe('http.client.response.finish', arrived)
        response.socket?.resetAndDestroy()
      }
      subscribe('http.client.response.finish', arrived)
      response.writeHead(422, { 'content-length': 1_000 }).write('{"message":')
    })
    expect(await rejection(clientAt(service.url).attempt(SEND))).toMatchObject({ status: 422, outcome: 'not_sent' })
  })

  it('longer than 1 MiB is not read further, and its connection closed [F-81]', async () => {
    const closed = vi.fn()
    await using service = await startService((response) => {
      response.on('close', closed)
      response.write('x'.repeat(1_048_576))
      response.write('x')
    })
    expect(await rejection(clientAt(service.url).attempt(SEND))).toMatchObject({ outcome: 'unknown' })
    await expect.poll(() => closed).toHaveBeenCalled()
  })

  it('in parts of one byte is read no further than the memory that they cost [F-81]', async () => {
    let parts = 0
    const pull = (controller: ReadableStreamDefaultController) => {
      parts++
      controller.enqueue(Buffer.from(' '))
    }
    const client = clientAt('https://service.example', async () => new Response(new ReadableStream({ pull })))
    const error = await rejection(client.attempt(SEND))
    expect(error).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('was cut off') })
    expect(parts * 200, 'what a part costs, measured').toBeLessThan(1_048_576)
  })

  it('that is compressed without a request for it is an unknown outcome, and not a success [C IDEM-07]', async () => {
    const packed = gzipSync(JSON.stringify(MESSAGE))
    await using service = await startService((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    expect(await rejection(clientAt(service.url).attempt(SEND))).toMatchObject({ outcome: 'unknown' })
  })
})
