import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { call, control, CUSTOMER, send } from './support/api.ts'

/** A request whose Host and Origin are free to choose, as fetch does not let one. */
function raw(emulator: Emulator, method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(emulator.url + path, { method, headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? '{"text":"Habari"}' : undefined)
  })
}

describe('the control API', () => {
  it('lets a customer tap only an option on the phone, or a complete one', async () => {
    await using emulator = await createEmulator()
    const customer = emulator.customer(CUSTOMER)
    await expect(customer.taps('track')).rejects.toMatchObject({ code: 'options_invalid' })
    await customer.says('Habari')
    const interactive = { type: 'buttons', body: 'b', buttons: [{ id: 'track', title: 'Fuatilia' }] }
    await send(emulator, { to: CUSTOMER, type: 'interactive', interactive })
    const wrong = await control(emulator, 'POST', `customers/${CUSTOMER}/messages`, { tap: 'truck' })
    expect([wrong.status, wrong.json.code]).toEqual([409, 'not_on_phone'])
    expect(wrong.json.message).toContain('track')
    const renamed = { ...interactive, buttons: [{ id: 'track', title: 'Iko wapi?' }] }
    await send(emulator, { to: CUSTOMER, type: 'interactive', interactive: renamed })
    await customer.taps('track')
    await control(emulator, 'POST', `customers/${CUSTOMER}/messages`, { tap: { id: 'gone', title: 'Gone' } })
    const thread = await customer.thread()
    expect(thread.slice(-2)).toMatchObject([
      {
        kind: 'interactive',
        text: 'Iko wapi?',
        interactive: { type: 'button_reply', id: 'track', title: 'Iko wapi?' },
      },
      { kind: 'interactive', text: 'Gone' },
    ])
  })

  it('moves the clock by a span, to a time, and back', async () => {
    await using emulator = await createEmulator()
    const post = async (body: object) => (await control(emulator, 'POST', 'clock', body)).json
    expect((await post({ advance: '25h' })).offsetMs).toBe(90_000_000)
    expect((await post({ advance: '23h59m' })).offsetMs).toBe(90_000_000 + 86_340_000)
    expect((await post({ now: '2031-01-01T00:00:00Z' })).now).toMatch(/^2031-01-01T00:00:0/)
    expect((await post({ reset: true })).offsetMs).toBe(0)
    for (const [bad, why] of [
      [{}, /^needs exactly one of/],
      [{ advance: '25x' }, /^advance: must be a span/],
      [{ advance: '-1h' }, /^advance: must be a span/],
      [{ advance: -1 }, /^advance: must be a span/],
      [{ now: 'later' }, /ISO times/],
      [{ advance: '1h', reset: true }, /^needs exactly one of/],
      [{ advance: '999999d' }, /^advance: must be a span/],
      [{ now: '2300-01-01T00:00:00Z' }, /ISO times/],
      [[], /object/],
      ['x', /object/],
      [null, /object/],
    ] as const)
      expect(await control(emulator, 'POST', 'clock', bad), JSON.stringify(bad)).toMatchObject({
        status: 400,
        json: { code: 'invalid_request', message: expect.stringMatching(why) },
      })
    expect((await control(emulator, 'GET', 'clock')).json.offsetMs).toBe(0)
  })

  it('refuses a template that exists, lacks a text or has two', async () => {
    await using emulator = await createEmulator()
    const add = (body: object) => control(emulator, 'POST', 'templates', body)
    expect((await add({ name: 'order', language: 'sw', body: 'x' })).status).toBe(200)
    expect(await add({ name: 'order', language: 'sw', body: 'x' })).toMatchObject({
      status: 409,
      json: { code: 'template_exists' },
    })
    expect((await control(emulator, 'PATCH', 'templates/none', { status: 'PAUSED' })).status).toBe(404)
    for (const bad of [
      { name: 'x', language: 'sw' },
      { name: 'x', language: 'sw', body: 'a', components: [] },
      { name: 'x y', language: 'sw', body: 'a' },
      { name: 'x', language: 'sw', body: 'a', category: 'AUTHENTICATION' },
    ])
      expect((await add(bad)).json.code, JSON.stringify(bad)).toBe('invalid_request')
  })

  it('answers an unknown route, member or value with one clear error', async () => {
    await using emulator = await createEmulator()
    const outcome = async (method: string, path: string, body?: unknown) => {
      const { status, json } = await control(emulator, method, path, body)
      expect(json).toEqual({ code: expect.any(String), message: expect.any(String) })
      return status
    }
    expect(await outcome('GET', 'nothing')).toBe(404)
    expect(await outcome('GET', 'customers/')).toBe(404)
    expect(await outcome('POST', 'account')).toBe(405)
    expect(await outcome('DELETE', 'clock')).toBe(405)
    expect(await outcome('POST', 'deliveries/none/redeliver', {})).toBe(404)
    for (const body of [
      {},
      { text: '' },
      { text: 5 },
      { text: 'a', tap: 'b' },
      { txt: 'a' },
      { media: { kind: 'sticker', url: 'https://x.test' } },
    ])
      expect(await outcome('POST', `customers/${CUSTOMER}/messages`, body), JSON.stringify(body)).toBe(400)
    for (const customer of ['12', '0712000101', '+255712000101', '__proto__', '%00', '12345678901234567'])
      expect(await outcome('POST', `customers/${customer}/messages`, { text: 'x' }), customer).toBe(400)
    const broken = await call(emulator, 'POST', '/_emulator/clock', {
      body: '{"advance":',
      headers: { Authorization: `Bearer ${emulator.controlToken}` },
    })
    expect([broken.status, broken.json.code]).toEqual([400, 'invalid_request'])
  })

  it('needs the run’s control token for every change and every look at a conversation, only in the header', async () => {
    await using emulator = await createEmulator({ controlToken: 'open-sesame' })
    const routes = (await call(emulator, 'GET', '/_emulator', { headers: { Authorization: '' } })).json.items
    const open = routes.filter(({ needsToken }: { needsToken: boolean }) => !needsToken)
    expect(open.map(({ path }: { path: string }) => path)).toEqual([
      '/_emulator',
      '/_emulator/clock',
      '/_emulator/assumptions',
    ])
    for (const { method, path, needsToken } of routes)
      for (const token of ['', 'Bearer wrong', 'open-sesame', `Bearer ${emulator.accessToken}`]) {
        const address = `${path.replace(/:\w+/, CUSTOMER)}?token=open-sesame`
        const answer = await call(emulator, method, address, { headers: { Authorization: token } })
        expect(answer.status, `${method} ${path}`).toBe(needsToken ? 401 : 200)
        if (needsToken) expect(answer.json.message).toContain('.switchhook/dev.json')
      }
    for (const path of ['/nothing', '/clock/', '/Clock', '//clock', '/%63lock', '/clock/../timeline'])
      expect((await call(emulator, 'GET', `/_emulator${path}`)).status, path).toBe(401)
    expect((await control(emulator, 'POST', 'clock', { advance: '1h' })).status).toBe(200)
  })

  it('answers loopback names only with its own port, and no foreign origin', async () => {
    await using emulator = await createEmulator()
    const port = new URL(emulator.url).port
    const at = (host: string, origin?: string) =>
      raw(emulator, 'GET', '/_emulator/clock', { Host: host, ...(origin === undefined ? {} : { Origin: origin }) })
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`])
      expect(await at(host), host).toBe(200)
    const foreign = [
      'evil.test',
      `evil.test:${port}`,
      '127.0.0.1',
      'localhost:1',
      `127.0.0.1.evil.test:${port}`,
      `localhost.:${port}`,
    ]
    for (const host of foreign) expect(await at(host), host).toBe(403)
    const own = `localhost:${port}`
    expect(await at(own, `http://${own}`)).toBe(200)
    for (const origin of [
      'null',
      'http://evil.test',
      `https://${own}`,
      'http://localhost:1',
      `http://localhost:${port}.evil.test`,
    ])
      expect(await at(own, origin), origin).toBe(403)
    const bearer = { Authorization: `Bearer ${emulator.controlToken}`, Host: own }
    const write = (headers: Record<string, string>) =>
      raw(emulator, 'POST', `/_emulator/customers/${CUSTOMER}/messages`, headers)
    expect(await write({ ...bearer, Origin: 'http://evil.test' })).toBe(403)
    expect(await write(bearer)).toBe(200)
  })
})
