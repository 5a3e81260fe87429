import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER } from './support/api.ts'
import { startApp } from './support/app.ts'

it('a clock moved with tellApp repeats to each active endpoint its last acknowledged delivery, without other effects', async () => {
  await using app = await startApp()
  await using other = await startApp()
  await using emulator = await createEmulator({ webhook: app.url })
  const delivered = (one: typeof app) =>
    one.received.map(({ headers }) => [headers['x-service-delivery'], headers['x-emulator-clock-offset']].join(' '))
  await emulator.clock.advance('1h', { tellApp: true })
  expect(delivered(app)).toEqual([])

  const [id] = (await emulator.customer(CUSTOMER).says('Habari')).deliveryIds
  await emulator.deliveries.wait(({ state }) => state === 'delivered')
  await emulator.subscriptions.register({ url: other.url })
  await emulator.clock.advance('1h')
  expect(delivered(app)).toEqual([`${id} 3600000`])
  await emulator.clock.advance('1h', { tellApp: true })
  expect(delivered(app)).toEqual([`${id} 3600000`, `${id} 10800000`])
  expect(delivered(other)).toEqual([])
  const [shown] = await emulator.deliveries.list()
  expect(shown?.attempts.map(({ why }) => why)).toEqual([undefined, 'clock_moved'])

  app.answer = 500
  expect((await control(emulator, 'POST', 'clock', { reset: true, tellApp: true })).status).toBe(200)
  expect(delivered(app).at(-1)).toBe(`${id} 0`)
  expect((await emulator.subscriptions.list())[0]).toMatchObject({ state: 'active', failures: 0 })
})

describe('a redelivery', () => {
  async function delivered(url: string) {
    const emulator = await createEmulator({ webhook: url })
    const { deliveryIds } = await emulator.customer(CUSTOMER).says('Habari')
    await emulator.deliveries.wait((delivery) => delivery.state === 'delivered')
    const again = async (how: object = {}) => {
      const { json } = await control(emulator, 'POST', `deliveries/${deliveryIds[0]}/redeliver`, how)
      return json
    }
    return { emulator, again, id: deliveryIds[0] ?? '' }
  }

  it('is one more attempt with the same bytes and id, signed again, and is answered when it has ended [E DEL-08]', async () => {
    await using app = await startApp()
    const { emulator, again, id } = await delivered(app.url)
    await using _ = emulator
    app.answer = 418
    expect(await again()).toMatchObject({
      id,
      status: 418,
      attempt: { status: 418, response: { body: '{"status":"accepted"}' } },
    })
    const [first, second] = app.received
    expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true)
    expect(second?.headers['x-service-delivery']).toBe(id)
    const [listed] = (await control(emulator, 'GET', 'deliveries')).json.items
    expect(listed).toMatchObject({ id, event: 'message.received', attempts: [{ status: 200 }, { status: 418 }] })
    expect(listed.subscription).toBe((await emulator.subscriptions.list())[0]?.id)
    expect((await emulator.subscriptions.list())[0]?.failures).toBe(0)
  })

  it('can repeat the last attempt exactly, or be changed after signing [E SIG-01]', async () => {
    await using app = await startApp()
    const { emulator, again } = await delivered(app.url)
    await using _ = emulator
    await again({ exact: true })
    const [first, exact] = app.received
    expect(exact?.headers).toEqual(first?.headers)
    for (const how of [
      { tamper: 'signature' },
      { tamper: 'timestamp' },
      { tamper: 'body' },
      { deliveryId: 'x', event: 'y' },
    ])
      await again({ exact: true, ...how })
    const changed = app.received
      .slice(2)
      .map(({ headers, raw: bytes }) => [
        ...Object.keys(headers).filter((name) => headers[name] !== first?.headers[name]),
        ...(bytes.equals(first?.raw ?? Buffer.alloc(0)) ? [] : ['body']),
      ])
    expect(changed.map((names) => names.sort())).toEqual([
      ['x-service-signature'],
      ['x-service-timestamp'],
      ['body'],
      ['x-service-delivery', 'x-service-event'],
    ])
  })

  it('can be signed with another time [E SIG-01]', async () => {
    await using app = await startApp()
    const { emulator, again } = await delivered(app.url)
    await using _ = emulator
    await again({ timestampOffset: '-301s' })
    await again({ timestampOffset: '5m' })
    const stamps = app.received.map(({ headers }) => Number(headers['x-service-timestamp']))
    expect((stamps[1] ?? 0) - (stamps[0] ?? 0)).toBeGreaterThanOrEqual(-301)
    expect((stamps[1] ?? 0) - (stamps[0] ?? 0)).toBeLessThan(-290)
    expect((stamps[2] ?? 0) - (stamps[0] ?? 0)).toBeGreaterThanOrEqual(300)
    for (const bad of [
      { timestampOffset: 'x' },
      { timestampOffset: '5m', exact: true },
      { tamper: 'all' },
      { event: 'a\r\nb' },
      { exactly: true },
    ])
      expect((await again(bad)).code, JSON.stringify(bad)).toBe('invalid_request')
  })
})

it('a manual retry makes the next attempt of failed deliveries at once, and of no others [E DEL-08]', async () => {
  await using app = await startApp()
  await using emulator = await createEmulator({ webhook: app.url, assumptions: { retryAfterMs: [3_600_000] } })
  expect(await emulator.deliveries.retry()).toBe(0)
  app.answer = 500
  const [id] = (await emulator.customer(CUSTOMER).says('Habari')).deliveryIds
  await emulator.deliveries.wait(({ attempts }) => attempts.length === 1)
  await emulator.faults.set([{ on: 'delivery', do: 'late', by: '1h', next: 1 }])
  await emulator.customer(CUSTOMER).says('Late')
  app.answer = 200
  expect(await emulator.deliveries.retry()).toBe(1)
  const delivered = await emulator.deliveries.wait(({ state }) => state === 'delivered')
  expect([delivered.id, delivered.attempts.map(({ status }) => status)]).toEqual([id, [500, 200]])
  expect(await emulator.deliveries.retry()).toBe(0)
  expect(app.received).toHaveLength(2)
})
