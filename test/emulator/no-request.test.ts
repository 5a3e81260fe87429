import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { unreadable } from '../../src/emulator/http/server.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'

interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly text: string
}

/** Sends raw bytes to the emulator and answers its last answer, once it hangs up. `then` is sent when the answer begins. */
async function sendRaw({ url }: Emulator, bytes: string, then = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  let received = ''
  for await (const chunk of socket) {
    if (received === '') socket.write(then)
    received += String(chunk)
  }
  const last = received.slice(received.lastIndexOf('HTTP/1.1 '))
  const [head = '', body = ''] = last.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), headers: head.toLowerCase(), text: body }
}

const SEND = 'POST /api/v2/messages HTTP/1.1\r\n'
const HOST = 'Host: 127.0.0.1\r\n'

describe('a request that cannot be read', () => {
  it.each([
    ['no HTTP', 400, 'invalid_request', 'Habari\r\n\r\n'],
    ['a method that is none', 400, 'invalid_request', `FETCH /api/v2/messages HTTP/1.1\r\n${HOST}\r\n`],
    ['a path with a space', 400, 'invalid_request', `GET /api/v2/tem plates HTTP/1.1\r\n${HOST}\r\n`],
    ['a header with a NUL', 400, 'invalid_request', `${SEND}${HOST}Idempotency-Key: a\0b\r\n\r\n`],
    ['a length that is none', 400, 'invalid_request', `${SEND}${HOST}Content-Length: -1\r\n\r\n`],
    ['chunks that are none', 400, 'invalid_request', `${SEND}${HOST}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`],
    ['without a Host', 400, 'invalid_request', `${SEND}Connection: close\r\nContent-Length: 2\r\n\r\n{}`],
    ['a key of 20 kB', 431, 'headers_too_large', `${SEND}${HOST}Idempotency-Key: ${'k'.repeat(20_000)}\r\n\r\n`],
    [
      'an expectation that nobody knows',
      417,
      'expectation_failed',
      `${SEND}${HOST}Expect: a-miracle\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'rubbish behind a good one',
      400,
      'invalid_request',
      `GET /api/v2/openapi.json HTTP/1.1\r\n${HOST}\r\nHabari\r\n\r\n`,
    ],
  ])(
    'is refused in the form of all errors, as an emulator’s: %s [E SEND-23 GEN-12]',
    async (_, status, code, bytes) => {
      await using emulator = await createEmulator()
      const { headers, text, ...actual } = await sendRaw(emulator, bytes)
      expect([actual.status, JSON.parse(text)]).toEqual([
        status,
        { code, message: expect.stringMatching(/^[A-Z].{10,}\.$/) },
      ])
      for (const header of ['content-type: application/json', 'x-emulator: switchhook', 'connection: close'])
        expect(headers).toContain(header)
    },
  )

  it('is refused if it does not end in time', () => {
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    expect(unreadable(late)).toMatchObject({ status: 408, code: 'timeout' })
  })

  it('ends the connection if an answer is still streaming', async () => {
    await using emulator = await createEmulator()
    const head = `Host: ${new URL(emulator.url).host}\r\nAuthorization: Bearer ${emulator.controlToken}\r\n`
    const { status, headers, text } = await sendRaw(
      emulator,
      `GET /_emulator/stream HTTP/1.1\r\n${head}\r\n`,
      'Habari\r\n\r\n',
    )
    expect([status, headers.includes('text/event-stream'), text]).toEqual([200, true, expect.not.stringContaining('{')])
  })

  it('is not a HEAD for the page: that is answered as GET, without the page', async () => {
    await using emulator = await createEmulator()
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(emulator.url, { method })))
    expect([get?.status, head?.status, await head?.text()]).toEqual([200, 200, ''])
    expect(head?.headers.get('content-length')).toBe(get?.headers.get('content-length'))
    const posted = await fetch(emulator.url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is not one beside the API: its 404 says where the API is, and asks for no control token [E GEN-08]', async () => {
    await using emulator = await createEmulator()
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const path of ['/messages', '/api/v1/messages', '//api/v2/messages', '/webhooks/messages']) {
        const response = await fetch(emulator.url + path, {
          method,
          headers: { Authorization: `Bearer ${emulator.accessToken}` },
        })
        expect([response.status, await response.json()], `${method} ${path}`).toEqual([
          404,
          { code: 'not_found', message: expect.stringContaining('/api/v2') },
        ])
      }
  })
})
