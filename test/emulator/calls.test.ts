import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { call, codeSend, control, CUSTOMER, send } from './support/api.ts'
import { startApp } from './support/app.ts'

describe('inspection', () => {
  it('keeps a call as it was sent, with its token masked, and links it to the thread and the timeline', async () => {
    await using emulator = await createEmulator()
    const customer = emulator.customer(CUSTOMER)
    await customer.says('Habari')
    const sent = await send(emulator, { to: CUSTOMER, text: 'Karibu' }, { 'Idempotency-Key': 'k-1' })
    const item = (await customer.thread()).at(-1)
    const { json } = await control(emulator, 'GET', `calls/${item?.call}`)
    expect(json).toMatchObject({
      id: item?.call,
      method: 'POST',
      path: '/api/v2/messages',
      status: 200,
      request: { headers: { 'idempotency-key': 'k-1' }, body: JSON.stringify({ to: CUSTOMER, text: 'Karibu' }) },
      response: { body: sent.text },
    })
    expect(JSON.stringify(json)).not.toContain(emulator.accessToken)
    const row = (await timeline(emulator)).find(({ kind }) => kind === 'api')
    expect(row).toMatchObject({ call: item?.call, customer: CUSTOMER, status: 200, code: null })
  })

  it('shows no body that may contain a one-time code [E OTP-06]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'code', language: 'sw', category: 'AUTHENTICATION' })
    const code = codeSend('493817')
    await send(emulator, code)
    await send(emulator, { ...code, type: undefined, text: 'the type was forgotten' })
    await send(emulator, { ...code, template_language: 'en' })
    await send(emulator, { ...code, template_name: 'cede' })
    await call(emulator, 'POST', '/api/v2/messages', { body: '{"to": "255712000101", "text": "493817"' })
    const rows = (await timeline(emulator)).filter(({ kind }) => kind === 'api')
    expect(rows.map(({ status }) => status)).toEqual([200, 409, 400, 422, 422])
    const shown = await Promise.all(rows.map(({ call: id }) => control(emulator, 'GET', `calls/${id}`)))
    expect(shown.map(({ json }) => json.request.body)).toEqual([null, null, null, null, null])
    expect(JSON.stringify([rows, shown.map(({ text }) => text)])).not.toContain('493817')
  })

  it('shows the signed bytes of each attempt, and the expected signature', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url })
    const { deliveryIds } = await emulator.customer(CUSTOMER).says('Habari')
    const delivered = await emulator.deliveries.wait(({ state }) => state === 'delivered')
    await control(emulator, 'POST', `deliveries/${deliveryIds[0]}/redeliver`, { tamper: 'signature' })
    await control(emulator, 'POST', `deliveries/${deliveryIds[0]}/redeliver`, { timestampOffset: '-301s' })
    const { json } = await control(emulator, 'GET', `deliveries/${deliveryIds[0]}`)
    const [first, tampered, stale] = json.signatures
    expect(first.sent).toBe(first.expected)
    expect(first.sent).toBe(app.received[0]?.headers['x-service-signature'])
    expect(tampered.sent).not.toBe(tampered.expected)
    expect(stale.skewSeconds).toBeLessThanOrEqual(-300)
    expect(json.message).toBe((await emulator.customer(CUSTOMER).thread())[0]?.id)
    expect(delivered.message).toBe(json.message)
    expect(JSON.stringify(json)).not.toContain(emulator.signingSecret)
  })
})

it('the timeline keeps an entry unchanged, even if the message changes later', async () => {
  await using emulator = await createEmulator({
    assumptions: { statusAfterMs: { sent: 60_000, delivered: 120_000 } },
  })
  await emulator.customer(CUSTOMER).says('Habari')
  const { json } = await send(emulator, { to: CUSTOMER, text: 'Karibu' })
  await control(emulator, 'POST', `customers/${CUSTOMER}/statuses`, { status: 'read', messageId: json.id })
  const entries = (await timeline(emulator)).filter(({ kind, item }) => kind === 'thread' && item.id === json.id)
  expect(entries.map(({ item }) => item.status.toLowerCase())).toEqual(['sent', 'delivered', 'read'])
})

// oxlint-disable-next-line typescript/no-explicit-any
async function timeline(emulator: Emulator): Promise<any[]> {
  return (await control(emulator, 'GET', 'timeline')).json.items
}
