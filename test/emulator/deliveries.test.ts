import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER } from './support/api.ts'
import { type App, header, type Received, startApp } from './support/app.ts'
import { signatureOf } from './support/received.ts'
import { manualTime } from './support/time.ts'

const SECRET = 'whsec_open_1'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Resolves when one delivery has had so many attempts. */
async function afterAttempts(emulator: Emulator, count: number): Promise<void> {
  await emulator.deliveries.wait((delivery) => delivery.attempts.length === count)
}

describe('a delivery', () => {
  it('is signed over its timestamp and exact bytes, and names its event in a header [E SIG-01 DEL-11]', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url, secret: SECRET })
    const { deliveryIds } = await emulator.customer(CUSTOMER).says('Habari 👋🏽 "yako"')
    const [received] = await app.until(1)
    if (!received) throw new Error('nothing came')
    expect(header(received, 'X-Service-Signature')).toBe(signatureOf(received, SECRET))
    expect(header(received, 'X-Service-Event')).toBe('message.received')
    expect(header(received, 'X-Service-Delivery')).toBe(deliveryIds[0])
    expect(deliveryIds[0]).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(JSON.parse(received.raw.toString('utf8'))).toEqual(expect.any(Object))
  })

  it('has the service’s real name in its headers if that is configured [E GEN-09]', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url, internals: { headerPrefix: 'X-Acme-' } })
    await emulator.customer(CUSTOMER).says('Habari')
    const [received] = await app.until(1)
    expect(header(received, 'X-Acme-Event')).toBe('message.received')
    expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith('x-service-'))).toEqual([])
  })

  it('is signed with wall time even if the clock was moved, and contains the clock’s offset [E SIG-01]', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url })
    await emulator.clock.advance('25h')
    await emulator.customer(CUSTOMER).says('Habari')
    const [received] = await app.until(1)
    expect(Math.abs(Number(header(received, 'X-Service-Timestamp')) - Date.now() / 1_000)).toBeLessThan(60)
    expect(header(received, 'X-Emulator-Clock-Offset')).toBe(String(25 * HOUR))
    expect(header(received, 'X-Emulator')).toBe('switchhook')
  })

  it('is retried after 1, 5 and 30 s, 2, 10 and 30 min, then hourly, under one id and fresh signatures [E DEL-08]', async () => {
    await using app = await startApp()
    app.answer = 503
    const time = manualTime()
    await using emulator = await createEmulator({ webhook: app.url, secret: SECRET, internals: time })
    const { deliveryIds } = await emulator.customer(CUSTOMER).says('Habari')
    const waits = [1_000, 5_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR]
    for (const [index, wait] of waits.entries()) {
      await afterAttempts(emulator, index + 1)
      time.pass(wait - 1)
      expect(app.received.length).toBe(index + 1)
      time.pass(1)
      await app.until(index + 2)
    }
    expect(new Set(app.received.map((received) => header(received, 'X-Service-Delivery')))).toEqual(
      new Set(deliveryIds),
    )
    expect(new Set(app.received.map(({ raw }) => raw.toString('base64'))).size).toBe(1)
    const timestamps = app.received.map((received) => Number(header(received, 'X-Service-Timestamp')))
    expect(timestamps.slice(1).map((timestamp, index) => (timestamp - (timestamps[index] ?? 0)) * 1_000)).toEqual(waits)
    for (const received of app.received)
      expect(header(received, 'X-Service-Signature')).toBe(signatureOf(received, SECRET))
  })

  it('is due at once when the clock jumps past its retry [E DEL-08]', async () => {
    await using app = await startApp()
    app.answer = 500
    await using emulator = await createEmulator({ webhook: app.url })
    await emulator.customer(CUSTOMER).says('Habari')
    await afterAttempts(emulator, 1)
    app.answer = 200
    await emulator.clock.advance('1h')
    await emulator.deliveries.wait((delivery) => delivery.state === 'delivered')
    expect(app.received.length).toBe(2)
  })

  it('is given up 24 hours after its first attempt [E DEL-08]', async () => {
    await using app = await startApp()
    app.answer = 500
    await using emulator = await createEmulator({ webhook: app.url })
    await emulator.customer(CUSTOMER).says('Habari')
    await afterAttempts(emulator, 1)
    await emulator.clock.advance('24h')
    await emulator.deliveries.wait((delivery) => delivery.state === 'failed')
    expect(app.received.length).toBe(2)
  })

  it('fails if the app does not answer within 10 seconds, and is retried [E DEL-08]', async () => {
    await using app = await startApp()
    const closed = new Promise((resolve) => {
      app.answer = (response) => response.on('close', resolve)
    })
    const time = manualTime()
    await using emulator = await createEmulator({ webhook: app.url, internals: time })
    await emulator.customer(CUSTOMER).says('Habari')
    await app.until(1)
    time.pass(9_999)
    expect((await emulator.deliveries.list())[0]?.attempts).toEqual([])
    time.pass(1)
    const waited = await emulator.deliveries.wait((delivery) => delivery.attempts.length === 1)
    expect(waited.attempts[0]).toMatchObject({ status: null, error: 'timeout', response: null })
    await closed
    app.answer = 200
    time.pass(1_000)
    await app.until(2)
  })

  it('fails on a redirect, a cut connection and an app that does not run [E DEL-08]', async () => {
    await using app = await startApp()
    const outcomes: unknown[] = []
    const cut: App['answer'] = (response) => response.socket?.destroy()
    const redirect: App['answer'] = (response) => response.writeHead(302, { Location: app.url }).end()
    for (const answer of [redirect, cut]) {
      app.answer = answer
      await using emulator = await createEmulator({ webhook: app.url })
      await emulator.customer(CUSTOMER).says('Habari')
      const { attempts } = await emulator.deliveries.wait((delivery) => delivery.attempts.length === 1)
      outcomes.push(attempts[0]?.status ?? attempts[0]?.error)
    }
    await using lonely = await createEmulator({ webhook: 'http://127.0.0.1:9/nobody' })
    await lonely.customer(CUSTOMER).says('Habari')
    const { attempts } = await lonely.deliveries.wait((delivery) => delivery.attempts.length === 1)
    expect([...outcomes, attempts[0]?.error]).toEqual([302, 'connection_failed', 'connection_refused'])
  })
})

describe('a subscription', () => {
  it('is disabled by 20 failures in a row, and reactivated by registering its address again, with a new secret that is shown once [E DEL-08]', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url, secret: SECRET, assumptions: { retryAfterMs: [] } })
    let deliveries = 0
    const failures = async (answer: number, count: number) => {
      app.answer = answer
      for (let n = 0; n < count; n++) await emulator.customer(CUSTOMER).says(`${++deliveries}`)
      await settled(emulator, deliveries)
      return (await emulator.subscriptions.list())[0]?.failures
    }
    expect([await failures(500, 19), await failures(200, 1), await failures(500, 20)]).toEqual([19, 0, 20])
    expect((await emulator.customer(CUSTOMER).says('nobody')).deliveryIds).toEqual([])

    const { json } = await control(emulator, 'POST', 'subscriptions', { url: app.url })
    expect(json).toMatchObject({ url: app.url, state: 'active', failures: 0 })
    const listed = await control(emulator, 'GET', 'subscriptions')
    expect([listed.json.items.length, listed.text.includes(json.secret)]).toEqual([1, false])
    expect(await failures(200, 1)).toBe(0)
    const received = app.received.at(-1) as Received
    expect(header(received, 'X-Service-Signature')).toBe(signatureOf(received, json.secret))
    expect(json.secret).not.toBe(SECRET)
  })

  it('that was removed gets no retry [E DEL-08]', async () => {
    await using app = await startApp()
    app.answer = 500
    await using emulator = await createEmulator({ webhook: app.url })
    await emulator.customer(CUSTOMER).says('Habari')
    await afterAttempts(emulator, 1)
    const [subscription] = await emulator.subscriptions.list()
    expect((await control(emulator, 'DELETE', `subscriptions/${subscription?.id}`)).status).toBe(200)
    await emulator.clock.advance('1s')
    await emulator.deliveries.wait((delivery) => delivery.state === 'failed')
    expect(app.received.length).toBe(1)
  })

  it('has its own secret and its own delivery [E SIG-01]', async () => {
    await using one = await startApp()
    await using two = await startApp()
    await using emulator = await createEmulator({ webhook: one.url, secret: SECRET })
    const { secret } = await emulator.subscriptions.register({ url: two.url })
    const { deliveryIds } = await emulator.customer(CUSTOMER).says('Habari')
    const [first] = await one.until(1)
    const [second] = await two.until(1)
    if (!first || !second) throw new Error('nothing came')
    expect(header(first, 'X-Service-Signature')).toBe(signatureOf(first, SECRET))
    expect(header(second, 'X-Service-Signature')).toBe(signatureOf(second, secret))
    expect([header(first, 'X-Service-Delivery'), header(second, 'X-Service-Delivery')]).toEqual(deliveryIds)
    expect(first.raw.equals(second.raw)).toBe(true)
  })
})

/** Resolves when so many attempts have ended in all. */
async function settled(emulator: Emulator, attempts: number): Promise<void> {
  for (;;) {
    const all = await emulator.deliveries.list()
    if (all.reduce((sum, delivery) => sum + delivery.attempts.length, 0) >= attempts) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
