import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './support/api.ts'
import { header, startApp } from './support/app.ts'
import { eventNames } from './support/received.ts'
import { manualTime } from './support/time.ts'

const SECOND = 1_000
const DAY = 24 * 3_600 * SECOND
const NOBODY = 'http://127.0.0.1:9/nobody'

function register(emulator: Emulator, url: string) {
  return control(emulator, 'POST', 'subscriptions', { url })
}

describe('an endpoint', () => {
  it('that is http, loopback, link-local or private is refused with 400 if local ones are refused [E DEL-09]', async () => {
    await using emulator = await createEmulator({ assumptions: { localEndpoints: 'refuse' } })
    const refused = [
      'http://example.com/hook',
      'https://app.localhost/hook',
      'https://169.254.169.254/hook',
      'https://user:secret@example.com/hook',
    ]
    for (const url of refused) {
      const { status, json } = await register(emulator, url)
      expect([status, json], url).toEqual([400, { code: 'invalid_request', message: expect.stringContaining('url') }])
    }
    for (const url of ['https://example.com/hook', 'https://172.32.0.1/hook', 'https://8.8.8.8:8443/hook'])
      expect((await register(emulator, url)).status, url).toBe(200)
  })

  it('is a full address, as somebody would paste it without its surroundings [E DEL-09]', async () => {
    await using emulator = await createEmulator()
    for (const url of [
      ` ${NOBODY}`,
      `${NOBODY}\n`,
      'http:127.0.0.1:9',
      'http:\\\\127.0.0.1:9',
      'http://127.0.0.1:9/a b',
    ]) {
      expect((await register(emulator, url)).json.code, JSON.stringify(url)).toBe('invalid_request')
      await expect(createEmulator({ webhook: url }), JSON.stringify(url)).rejects.toThrow('webhook')
    }
    const taken = [NOBODY, 'HTTPS://127.0.0.1:9/x', 'http://127.0.0.1:9', 'http://127.0.0.1:9/é?%zz', 'http://[::1]:9/']
    for (const url of taken) expect((await register(emulator, url)).status, url).toBe(200)
    expect((await emulator.subscriptions.list()).map(({ url }) => url)).toEqual(taken)
  })

  it('cannot be registered under the callback override, and inbox, agent and orders pause [E DEL-10 EVT-06]', async () => {
    await using app = await startApp()
    const time = manualTime()
    await using emulator = await createEmulator({ webhook: app.url, internals: time })
    await emulator.agent.set({ on: true, answersFirst: true })
    const { json: account } = await control(emulator, 'PUT', 'account', { callbackOverride: true })
    expect(account.numbers[0].callbackOverride).toBe(true)
    expect(await register(emulator, NOBODY)).toMatchObject({ status: 409, json: { code: 'callback_override' } })

    const customer = emulator.customer(CUSTOMER)
    expect((await customer.says('Habari')).deliveryIds).toEqual([])
    expect((await customer.thread()).map(({ text }) => text)).toEqual(['Habari'])
    expect((await send(emulator, { to: CUSTOMER, text: 'x' })).json.code).toBe('outside_messaging_window')
    expect((await control(emulator, 'POST', 'events', { event: 'order.paid' })).status).toBe(409)
    expect((await control(emulator, 'GET', 'events')).json.items).toEqual([])

    await emulator.account.set({ callbackOverride: false })
    await customer.says('Tena')
    await app.until(1)
    expect(eventNames(app)).toEqual(['message.received'])
    expect((await register(emulator, NOBODY)).status).toBe(200)
  })

  it('gets retries under the first timestamp with a switch, until they are stale [E DEL-08]', async () => {
    await using app = await startApp()
    app.answer = 500
    const time = manualTime()
    const assumptions = { retriesSigned: 'as_first', retryAfterMs: [60 * SECOND, 600 * SECOND] } as const
    await using emulator = await createEmulator({ webhook: app.url, assumptions, internals: time })
    await emulator.customer(CUSTOMER).says('Habari')
    for (const [index, wait] of assumptions.retryAfterMs.entries()) {
      await emulator.deliveries.wait(({ attempts }) => attempts.length === index + 1)
      time.pass(wait)
      await app.until(index + 2)
    }
    const stamps = app.received.map(
      (one) => `${header(one, 'X-Service-Timestamp')} ${header(one, 'X-Service-Signature')}`,
    )
    expect(new Set(stamps).size).toBe(1)
    const age = time.wall().getTime() / SECOND - Number(header(app.received.at(-1), 'X-Service-Timestamp'))
    expect(age).toBeGreaterThan(300)
  })

  it('is disabled by 20 deliveries in a row that used up their retries: their attempts do not count [E DEL-08]', async () => {
    const time = manualTime()
    const assumptions = { retryAfterMs: [SECOND], retryForMs: 2 * SECOND } as const
    await using emulator = await createEmulator({ webhook: NOBODY, assumptions, internals: time })
    const customer = emulator.customer(CUSTOMER)
    for (let n = 1; n <= 20; n++) await customer.says(String(n))
    for (const attempts of [1, 2]) {
      await untilAll(emulator, (one) => one.attempts.length === attempts)
      time.pass(SECOND)
    }
    expect(await emulator.subscriptions.list()).toMatchObject([{ state: 'active', failures: 0 }])
    await untilAll(emulator, (one) => one.state === 'failed')
    expect(await emulator.subscriptions.list()).toMatchObject([{ state: 'disabled', failures: 20 }])
  })
})

it('the logs keep delivery attempts for 7 days and events for 30, by the emulator’s clock [E DEL-13]', async () => {
  await using app = await startApp()
  const time = manualTime()
  await using emulator = await createEmulator({ webhook: app.url, internals: time })
  const { deliveryIds } = await emulator.customer(CUSTOMER).says('Habari')
  await emulator.deliveries.wait(({ state }) => state === 'delivered')
  const logs = async () => {
    const events = (await control(emulator, 'GET', 'events')).json.items
    const deliveries = (await control(emulator, 'GET', 'deliveries')).json.items
    return [events.length, deliveries.length, deliveries[0]?.attempts.length]
  }
  const [logged] = (await control(emulator, 'GET', 'events')).json.items
  expect(logged).toMatchObject({ event: 'message.received', customer: CUSTOMER, deliveryIds })

  await emulator.clock.advance(7 * DAY)
  expect(await logs()).toEqual([1, 1, 1])
  await emulator.clock.advance(1)
  expect(await logs()).toEqual([1, 1, 0])
  await emulator.clock.advance(23 * DAY - 1)
  expect(await logs()).toEqual([1, 1, 0])
  await emulator.clock.advance(1)
  expect(await logs()).toEqual([0, 0, undefined])
  expect((await control(emulator, 'POST', `deliveries/${deliveryIds[0]}/redeliver`, {})).status).toBe(404)
})

type View = Awaited<ReturnType<Emulator['deliveries']['list']>>[number]

async function untilAll(emulator: Emulator, holds: (delivery: View) => boolean): Promise<void> {
  while (!(await emulator.deliveries.list()).every(holds)) await new Promise((resolve) => setImmediate(resolve))
}
