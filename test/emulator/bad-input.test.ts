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
        ['PUT', 'faults', { rules: [{ on: 'delivery', do: 'late', by: span }] }],
        ['POST', `deliveries/${id}/redeliver`, { timestampOffset: `-${span}` }],
        ['POST', 'clock', { advance: span }],
      ] as const)
        expect((await control(emulator, method, path, body)).json.code, `${path} ${span}`).toBe('invalid_request')
    expect((await send(emulator, { to: CUSTOMER, text: 'Karibu' })).status).toBe(200)
  })
})
