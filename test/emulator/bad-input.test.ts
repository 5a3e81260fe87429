import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { call, control, CUSTOMER, send } from './support/api.ts'

const NOWHERE = 'http://127.0.0.1:9/webhooks'

async function open(): Promise<Emulator> {
  const emulator = await createEmulator({ seed: 1, webhook: NOWHERE })
  await emulator.customer(CUSTOMER).says('Habari')
  await emulator.templates.add({ name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' })
  return emulator
}

/** A warning of the emulator is a bug. */
function warnings(): string[] {
  const heard: string[] = []
  const hear = (warning: Error) => void heard.push(String(warning.stack))
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))
  return heard
}

describe('bad input', () => {
  it.each(['{"toString":1}', '[{"valueOf":null,"toString":[]}]', 'null', '7'])(
    'is a template’s name or language that is not text: 422, whatever it is: %s [E SEND-23]',
    async (odd) => {
      const heard = warnings()
      await using emulator = await open()
      for (const body of [
        `{"to":"${CUSTOMER}","type":"template","template_name":${odd},"template_language":"sw"}`,
        `{"to":"${CUSTOMER}","type":"template","template_name":"order_ready","template_language":${odd}}`,
        `{"to":"${CUSTOMER}","template_components":[],"template_name":${odd},"template_language":${odd}}`,
      ])
        expect(await call(emulator, 'POST', '/api/v2/messages', { body })).toMatchObject({
          status: 422,
          json: { code: 'validation_error' },
        })
      expect(heard).toEqual([])
    },
  )

  it('is a template with the most placeholders that a body can have: it is sent with its parameters [E SEND-13]', async () => {
    const heard = warnings()
    await using emulator = await open()
    await emulator.templates.add({ name: 'long', language: 'sw', body: '{{1}}'.repeat(200_000) })
    const parameters = [{ type: 'text', text: 'x' }]
    const long = { to: CUSTOMER, type: 'template', template_name: 'long', template_language: 'sw' }
    expect((await send(emulator, { ...long, template_components: [{ type: 'body', parameters }] })).status).toBe(200)
    expect(heard).toEqual([])
  })

  it('is a span beyond all dates: refused everywhere', async () => {
    await using emulator = await open()
    const [{ id } = { id: '' }] = await emulator.deliveries.list()
    for (const span of [`${'9'.repeat(400)}d`, '80000d', '-1h', 'x', ''])
      for (const [method, path, body] of [
        ['PUT', 'account', { takeoverWindow: span }],
        ['PUT', 'account', { numbers: [{ id: '1', takeoverWindow: span }] }],
        ['PUT', 'faults', { rules: [{ on: 'delivery', do: 'late', by: span }] }],
        ['POST', `deliveries/${id}/redeliver`, { timestampOffset: `-${span}` }],
        ['POST', 'clock', { advance: span }],
      ] as const)
        expect((await control(emulator, method, path, body)).json.code, `${path} ${span}`).toBe('invalid_request')
    expect((await send(emulator, { to: CUSTOMER, text: 'Karibu' })).status).toBe(200)
  })

  it.each([
    ['no HTTP', 'Habari\r\n\r\n'],
    ['bytes', Buffer.from([0, 255, 10, 13, 10, 0])],
    [
      'a request that is never finished',
      'POST /api/v2/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"to"',
    ],
    ['a length that is none', 'POST /api/v2/messages HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['chunks that are none', 'POST /api/v2/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
    ['a tunnel', 'CONNECT a.b:443 HTTP/1.1\r\nHost: a.b\r\n\r\n'],
  ])('is %s: only the connection ends', async (_, bytes) => {
    const heard = warnings()
    await using emulator = await open()
    await talk(emulator, bytes, 'end')
    await talk(emulator, bytes, 'reset')
    expect((await send(emulator, { to: CUSTOMER, text: 'Karibu' })).status).toBe(200)
    expect(heard).toEqual([])
  })
})

/** Says these bytes to the emulator, and hangs up or pulls the plug; resolves when the connection is gone. */
function talk({ url }: Emulator, bytes: string | Uint8Array, how: 'end' | 'reset'): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
    socket.write(bytes, () => (how === 'end' ? socket.end() : socket.resetAndDestroy()))
  })
}
