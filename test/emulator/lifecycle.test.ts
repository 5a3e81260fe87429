import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './support/api.ts'
import { startApp } from './support/app.ts'
import { manualTime } from './support/time.ts'

describe('an emulator', () => {
  it('listens only on the loopback address, on a free port, with its own secrets', async () => {
    await using one = await createEmulator()
    await using two = await createEmulator()
    expect(new URL(one.url).hostname).toBe('127.0.0.1')
    expect(one.url).not.toBe(two.url)
    const secrets = [one, two].flatMap((it) => [it.accessToken, it.controlToken, it.signingSecret])
    expect(new Set(secrets).size).toBe(6)
    expect(Math.min(...secrets.map((secret) => secret.length))).toBeGreaterThanOrEqual(32)
  })

  it('suggests another port if its port is in use', async () => {
    await using first = await createEmulator()
    const port = Number(new URL(first.url).port)
    await expect(createEmulator({ port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringMatching(new RegExp(`${port}.*another port`)),
    })
  })

  it('refuses a bad option by its name', async () => {
    const bad: Record<string, unknown>[] = [
      { port: -1 },
      { port: 1.5 },
      { port: 65_536 },
      { port: '80' },
      { webhook: 'nothing' },
      { webhook: 'ftp://x.test' },
      { secret: ' ' },
      { token: '' },
      { token: 'a b' },
      { controlToken: 'a\nb' },
      { seed: 0.5 },
      { now: new Date(Number.NaN) },
      { now: '2026' },
      { data: ' ' },
      { webhook: 'http://127.0.0.1:9', assumptions: { localEndpoints: 'refuse' } },
      { prot: 80 },
    ]
    for (const options of bad)
      await expect(createEmulator(options), JSON.stringify(options)).rejects.toMatchObject({
        code: 'options_invalid',
        message: expect.stringContaining(Object.keys(options)[0] ?? ''),
      })
    await expect(createEmulator({ secret: '  ', token: 'hidden' })).rejects.not.toThrow(/hidden/)
  })

  it('forgets everything at a reset except its first subscription, and repeats the same ids', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url, seed: 5, internals: manualTime() })
    const customer = emulator.customer(CUSTOMER)
    const { messageId } = await customer.says('Habari')
    await app.until(1)
    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari' })
    await emulator.subscriptions.register({ url: 'http://127.0.0.1:9/second' })
    await emulator.faults.set([{ on: 'send', do: 'status', status: 500 }])
    await emulator.clock.advance('25h')

    await emulator.reset()
    expect(await customer.thread()).toEqual([])
    expect(await emulator.deliveries.list()).toEqual([])
    expect((await control(emulator, 'GET', 'templates')).json.items).toEqual([])
    expect((await control(emulator, 'GET', 'clock')).json.offsetMs).toBe(0)
    expect((await emulator.subscriptions.list()).map(({ url }) => url)).toEqual([app.url])
    expect((await customer.says('Habari')).messageId).toBe(messageId)
    await app.until(2)
    expect((await send(emulator, { to: CUSTOMER, text: 'x' })).status).toBe(200)
  })

  it('retries nothing from before a reset', async () => {
    await using app = await startApp()
    app.answer = 500
    const time = manualTime()
    await using emulator = await createEmulator({ webhook: app.url, internals: time })
    await emulator.customer(CUSTOMER).says('Habari')
    await emulator.deliveries.wait((delivery) => delivery.attempts.length === 1)
    await emulator.reset()
    expect(time.running).toBe(0)
  })

  it('stops all work when it is closed: no retry, timer or wait is left', async () => {
    await using app = await startApp()
    app.answer = () => {}
    const time = manualTime()
    const emulator = await createEmulator({ webhook: app.url, internals: time })
    await emulator.customer(CUSTOMER).says('Habari')
    await app.until(1)
    const waiting = emulator.deliveries.wait(() => false, 60_000)
    const closed = expect(waiting).rejects.toThrow(/closed or reset/)
    await emulator.close()
    await closed
    await expect(fetch(emulator.url)).rejects.toThrow()
    await new Promise((resolve) => setImmediate(resolve))
    expect(time.running).toBe(0)
  })

  it('lists the arrived deliveries if a wait for one times out', async () => {
    const time = manualTime()
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url, internals: time })
    await emulator.customer(CUSTOMER).says('Habari')
    await emulator.deliveries.wait(({ state }) => state === 'delivered')
    const waited = expect(emulator.deliveries.wait(({ event }) => event === 'order.paid', 1_000)).rejects.toMatchObject(
      { name: 'TimeoutError', message: expect.stringContaining('message.received (delivered, attempts: 1)') },
    )
    time.pass(1_000)
    await waited
  })

  it('answers a HEAD for the page like a GET, without the page', async () => {
    await using emulator = await createEmulator()
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(emulator.url, { method })))
    expect([get?.status, head?.status, await head?.text()]).toEqual([200, 200, ''])
    expect(head?.headers.get('content-length')).toBe(get?.headers.get('content-length'))
    const posted = await fetch(emulator.url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
