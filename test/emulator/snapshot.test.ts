import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { call, control, CUSTOMER, send } from './support/api.ts'
import { header, startApp } from './support/app.ts'
import { receivedOf } from './support/received.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER
const HOUR = 3_600_000
const NOBODY = 'http://127.0.0.1:9/nobody'

/** What a developer would look at, out of the control API. */
async function looked(emulator: Emulator): Promise<unknown> {
  const paths = ['thread', 'handset'].map((what) => `customers/${to}/${what}`)
  const rooms = ['clock', 'keys', 'templates', 'subscriptions', 'faults', 'account', 'agent', 'assumptions', 'events']
  const seen: Record<string, unknown> = {}
  for (const path of [...paths, ...rooms, 'deliveries']) seen[path] = (await control(emulator, 'GET', path)).json
  // The time is the same, and so this machine's has moved away from it.
  return { ...seen, clock: (seen['clock'] as { now: string }).now }
}

/** Something in every room. */
async function live(emulator: Emulator): Promise<void> {
  await emulator.clock.advance('3h')
  await emulator.templates.add({ name: 'order', language: 'sw', body: 'Oda {{1}}', status: 'PAUSED' })
  await emulator.agent.set({ on: true, says: 'Jibu' })
  await emulator.account.set({ plan: { contactLimit: 7 }, takeoverWindow: '2h' })
  await emulator.assumptions.set({ statusCase: 'upper' })
  await emulator.customer(to).says('Habari')
  const buttons = [{ id: 'track', title: 'Fuatilia' }]
  const interactive = { type: 'buttons', body: 'Nini?', buttons }
  await send(emulator, { to, type: 'interactive', interactive }, { 'Idempotency-Key': 'k1' })
  await emulator.customer(to).setHandset({ receipts: false })
  await emulator.faults.set([{ on: 'send', do: 'status', status: 429, every: 3 }])
  await send(emulator, { to, text: 'first' })
}

/** All that the next steps bring, ids and all. */
async function next(emulator: Emulator, pass: (ms: number) => void): Promise<unknown> {
  const replay = await send(emulator, { to, type: 'interactive' }, { 'Idempotency-Key': 'k1' })
  const second = await send(emulator, { to, text: 'second' })
  const third = await send(emulator, { to, text: 'third' })
  const tapped = await emulator.customer(to).taps('track')
  pass(1_000)
  const messages = (await emulator.customer(to).thread()).map(({ id, status, text }) => [id, status, text])
  const events = (await emulator.events.list()).map(({ id, payload, deliveryIds }) => [id, payload, deliveryIds])
  return { replay: replay.json.code, second: second.json, third: third.status, tapped, messages, events }
}

describe('a snapshot', () => {
  it('brings back the same thread, clock, keys and all else, and what comes next is the same, ids and all', async () => {
    const time = manualTime()
    await using emulator = await createEmulator({ webhook: NOBODY, seed: 5, internals: time })
    await live(emulator)
    await untilAttempted(emulator)
    const before = await looked(emulator)
    const { json: snapshot } = await control(emulator, 'GET', 'state')
    const once = await next(emulator, time.pass)

    time.pass(HOUR)
    await emulator.clock.advance('40d')
    expect(await looked(emulator)).not.toEqual(before)
    const restored = await control(emulator, 'PUT', 'state', snapshot)
    expect(restored).toMatchObject({ status: 200, json: { now: expect.stringMatching(/^2026-03-04T12:00:00/) } })
    expect(await looked(emulator)).toEqual(before)
    expect(await next(emulator, time.pass)).toEqual(once)
  })

  it('holds how far the clock was moved to the millisecond, though time passes while it is taken', async () => {
    let wall = Date.parse('2026-03-04T09:00:00Z')
    await using emulator = await createEmulator({ internals: { ...manualTime(), wall: () => new Date(wall++) } })
    await emulator.clock.advance('3h')
    const { time } = await emulator.snapshot()
    expect(time.now - time.wall).toBe(3 * HOUR)
  })

  it('goes on in another emulator as in the first', async () => {
    const time = manualTime()
    await using first = await createEmulator({ webhook: NOBODY, seed: 5, internals: time })
    await live(first)
    await untilAttempted(first)
    const snapshot = JSON.parse(JSON.stringify(await first.snapshot()))
    await using second = await createEmulator({ seed: 6, internals: time })
    await second.restore(snapshot)
    expect(await looked(second)).toEqual(await looked(first))
    expect([second.accessToken, second.signingSecret]).toEqual([first.accessToken, first.signingSecret])
    expect(await next(second, () => {})).toEqual(await next(first, () => {}))
  })

  it('replays the same answer under a key of before, and E IDEM-04 refuses another body [E IDEM-03]', async () => {
    await using first = await createEmulator()
    await first.customer(to).says('Habari')
    const key = { 'Idempotency-Key': 'k' }
    const { json: answer } = await send(first, { to, text: 'Karibu' }, key)
    await using second = await createEmulator()
    await second.restore(await first.snapshot())
    const again = await send(second, { to, text: 'Karibu' }, key)
    expect([again.json, again.headers.get('Idempotency-Replayed')]).toEqual([answer, 'true'])
    expect((await send(second, { to, text: 'Kwaheri' }, key)).json.code).toBe('idempotency_key_reused')
  })

  it('holds no one-time code and nothing to find one by; its key holds within the process [E OTP-06, E OTP-08]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'code', language: 'sw', category: 'AUTHENTICATION' })
    const body = (text: string) => ({
      to,
      type: 'template',
      template_name: 'code',
      template_language: 'sw',
      template_components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
    })
    const key = { 'Idempotency-Key': 'k' }
    await send(emulator, body('493817'), key)
    const { text, json } = await control(emulator, 'GET', 'state')
    expect(text).not.toContain('493817')
    expect(json.keys[0].secretMark).toEqual(expect.any(String))
    await emulator.restore(json)
    expect((await emulator.customer(to).codes()).length).toBe(0)
    expect((await send(emulator, body('493817'), key)).headers.get('Idempotency-Replayed')).toBe('true')
    expect((await send(emulator, body('000000'), key)).json.code).toBe('idempotency_key_reused')
    await using other = await createEmulator()
    await other.restore(json)
    expect(await other.keys.list()).toEqual([])
  })

  it('goes on with retries, late statuses and deliveries that were under way [E DEL-08]', async () => {
    await using app = await startApp()
    const time = manualTime()
    app.answer = () => {}
    const emulator = await createEmulator({ webhook: app.url, internals: time })
    const under = await emulator.customer(to).says('under way')
    await app.until(1)
    await emulator.faults.set([{ on: 'delivery', do: 'late', by: '10m', next: 1 }])
    const late = await emulator.customer(to).says('late')
    await send(emulator, { to, text: 'Karibu' })
    const snapshot = await emulator.snapshot()
    await emulator.close()

    app.answer = 200
    time.pass(24 * HOUR)
    await using again = await createEmulator({ internals: time })
    await again.restore(snapshot)
    await app.until(2)
    expect(header(app.received[1], 'X-Service-Delivery')).toBe(under.deliveryIds[0])
    time.pass(100)
    await app.until(5)
    expect(receivedOf(app, 'message.status').length).toBe(2)
    time.pass(10 * 60_000)
    await app.until(6)
    expect(header(app.received[5], 'X-Service-Delivery')).toBe(late.deliveryIds[0])
  })

  it('is read and written with the control token alone, and shows no token to anybody else', async () => {
    await using emulator = await createEmulator()
    for (const method of ['GET', 'PUT', 'DELETE'])
      for (const token of ['', `Bearer ${emulator.accessToken}`]) {
        const refused = await call(emulator, method, '/_emulator/state', { headers: { Authorization: token } })
        expect([refused.status, refused.json.code], method).toEqual([401, 'not_authorized'])
      }
  })

  it('is refused in one clear form if it is malformed, and leaves all as it was', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const good = (await control(emulator, 'GET', 'state')).json
    const [phone] = good.phones
    const bad = [
      {},
      [],
      null,
      { ...good, version: 1 },
      { ...good, more: 1 },
      { ...good, time: { now: 1e30, wall: 0 } },
      { ...good, phones: [{ ...phone, thread: [{}] }] },
      { ...good, phones: [{ ...phone, customer: '__proto__' }] },
      { ...good, account: { ...good.account, numbers: [] } },
      { ...good, subscriptions: [{ id: 's', url: 'ftp://x.test', secret: 'x', state: 'active', failures: 0 }] },
      { ...good, schedule: { elapsed: 0, tasks: [{ due: 0, task: { do: 'explode' } }] } },
      { ...good, lastUlid: { time: 1, chance: 'x' } },
    ]
    for (const snapshot of bad) {
      const { status, json } = await control(emulator, 'PUT', 'state', snapshot)
      expect([status, json], JSON.stringify(snapshot).slice(0, 80)).toEqual([
        400,
        { code: 'invalid_request', message: expect.any(String) },
      ])
    }
    expect((await emulator.customer(to).thread()).length).toBe(1)
  })

  it('can be larger than the body of any send', async () => {
    await using emulator = await createEmulator()
    for (let n = 0; n < 300; n++) await emulator.customer(to).says('x'.repeat(4_096))
    const { text, json } = await control(emulator, 'GET', 'state')
    expect(text.length).toBeGreaterThan(1_048_576)
    expect((await control(emulator, 'PUT', 'state', json)).status).toBe(200)
    expect((await emulator.customer(to).thread()).length).toBe(300)
  })

  it('is not needed to start over: DELETE forgets everything but the first subscription', async () => {
    await using emulator = await createEmulator({ webhook: NOBODY, now: new Date('2026-03-04T09:00:00Z') })
    await live(emulator)
    const { status, json } = await control(emulator, 'DELETE', 'state')
    expect([status, json.now.slice(0, 16)]).toEqual([200, '2026-03-04T09:00'])
    expect(await emulator.customer(to).thread()).toEqual([])
    expect((await emulator.subscriptions.list()).map(({ url }) => url)).toEqual([NOBODY])
    expect((await emulator.agent.get()).on).toBe(false)
  })
})

/** Resolves when nothing is under way: each delivery has been tried, and waits for its retry. */
async function untilAttempted(emulator: Emulator): Promise<void> {
  while (!(await emulator.deliveries.list()).every(({ attempts }) => attempts.length > 0))
    await new Promise((resolve) => setImmediate(resolve))
}
