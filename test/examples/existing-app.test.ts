import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { besideEmulator, expectConformance } from './beside-emulator.ts'

const SERVER = resolve(import.meta.dirname, '../../examples/existing-app/server.ts')

it('the existing-app example passes the conformance matrix with its own parser and routes, reports orders, reminds, cancels, logs in, and learns the outcome of its messages [R SIG-02 SIG-09 DEL-06]', async () => {
  await using shop = await besideEmulator(SERVER)
  await expectConformance(shop)
  const { asha, emulator, last, url } = shop
  await emulator.templates.add({ name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' })
  await emulator.templates.add({ name: 'pickup_reminder', language: 'en', body: 'Your order {{1}} still waits.' })
  await emulator.templates.add({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' })
  const post = (path: string, body: unknown = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const order = async (id: string) => (await fetch(`${url}/orders/${id}`)).json()

  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect((await post('/webhooks/payments')).status).toBe(200)

  // Nobody has written: the template goes out, and only once however often the shop says it.
  expect((await post('/orders/7781/ready')).status).toBe(202)
  await last('Your order 7781 is ready.')
  expect((await post('/orders/7781/ready')).status).toBe(202)
  await expect.poll(() => order('7781')).toMatchObject({ state: 'ready', told: 'delivered' })
  expect(await shop.texts()).toEqual(['Your order 7781 is ready.'])

  await asha.says('#7781')
  await last('Order 7781: ready.')

  const { login } = (await (await post('/logins', { phone: '255712000101' })).json()) as { login: string }
  await expect.poll(() => asha.codes()).toHaveLength(1)
  const [shown] = await asha.codes()
  expect((await post(`/logins/${login}`, { code: shown?.code })).status).toBe(204)
  expect((await post(`/logins/${login}`, { code: shown?.code })).status).toBe(401)
  expect((await post('/logins/never-begun', {})).status).toBe(401)

  // 7781 is collected, so 7782 alone is reminded.
  expect((await post('/orders/7782/ready')).status).toBe(202)
  expect((await post('/orders/7781/collected')).status).toBe(202)
  await emulator.clock.advance('25h', { tellApp: true })
  const juma = emulator.customer('255712000102')
  const reminded = async () => (await juma.thread()).some((item) => item.text === 'Your order 7782 still waits.')
  await expect.poll(reminded).toBe(true)
  expect(await shop.texts()).not.toContain('Your order 7781 still waits.')
  expect(await shop.end()).toBe(0)
})
