import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { control, CUSTOMER, send } from './support/api.ts'
import { startApp } from './support/app.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER
const NOBODY = 'http://127.0.0.1:9/nobody'

let folder: string
let data: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-emulator-'))
  data = join(folder, 'emulator.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The customer writes, over HTTP: when that is answered, it is in the file. */
async function written(emulator: Emulator, text: string): Promise<void> {
  expect((await control(emulator, 'POST', `customers/${to}/messages`, { text })).status).toBe(200)
}

describe('the file of an emulator', () => {
  it('brings the state back when it is opened again, at the present time', async () => {
    const time = manualTime()
    const first = await createEmulator({ data, webhook: NOBODY, seed: 5, internals: time })
    await first.clock.advance('3h')
    await first.templates.add({ name: 'order', language: 'sw', body: 'Oda' })
    await first.customer(to).says('Habari')
    const key = { 'Idempotency-Key': 'k' }
    const { json: answer } = await send(first, { to, text: 'Karibu' }, key)
    const thread = await first.customer(to).thread()
    const { accessToken, signingSecret } = first
    await first.close()

    time.pass(23 * 3_600_000)
    await using second = await createEmulator({ data, internals: time })
    expect([second.accessToken, second.signingSecret]).toEqual([accessToken, signingSecret])
    expect(await second.customer(to).thread()).toEqual(thread)
    expect((await control(second, 'GET', 'clock')).json.now).toBe('2026-03-05T11:00:00.000Z')
    expect((await control(second, 'GET', 'templates')).json.items).toMatchObject([{ name: 'order' }])
    const again = await send(second, { to, text: 'Karibu' }, key)
    expect([again.json, again.headers.get('Idempotency-Replayed')]).toEqual([answer, 'true'])
    time.pass(3_600_000)
    expect((await send(second, { to, text: 'late' })).json.code).toBe('outside_messaging_window')
  })

  it('is written before an answer goes out, so that a crash loses nothing', async () => {
    await using app = await startApp()
    const first = await createEmulator({ data, webhook: app.url })
    await first.customer(to).says('Habari')
    await first.deliveries.wait(({ state }) => state === 'delivered')
    await send(first, { to, text: 'Karibu' })
    const copy = join(folder, 'copy.db')
    for (const end of ['', '-wal']) writeFileSync(copy + end, readFileSync(data + end))
    await first.close()
    await using second = await createEmulator({ data: copy })
    expect((await second.customer(to).thread()).map(({ text }) => text)).toEqual(['Habari', 'Karibu'])
    expect((await second.deliveries.list())[0]).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
  })

  it('holds a thread message by message, so that a long thread is not written anew', async () => {
    const first = await createEmulator({ data })
    for (let n = 1; n <= 30; n++) await written(first, `Habari ${n}`)
    expect((await send(first, { to, text: 'Karibu' })).status).toBe(200)
    const thread = await first.customer(to).thread()
    await first.close()
    const raw = new Database(data, { readonly: true })
    const { longest } = raw.prepare('SELECT max(length(content)) AS longest FROM parts').get() as { longest: number }
    raw.close()
    expect([thread.length, longest < 2_500]).toEqual([31, true])
    await using second = await createEmulator({ data })
    expect(await second.customer(to).thread()).toEqual(thread)
  })

  it('is brought up to date after a time in which it could not be written', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => warned.mockRestore())
    await (await createEmulator({ data })).close()
    const raw = new Database(data)
    // Stands for a full disk, which is full until the agent is on.
    raw.exec(`CREATE TRIGGER full BEFORE INSERT ON parts WHEN NEW.room = 'items'
      AND EXISTS (SELECT 1 FROM parts WHERE room = 'agent' AND content LIKE '%"on":false%')
      BEGIN SELECT RAISE(ABORT, 'disk is full'); END`)
    raw.close()
    const first = await createEmulator({ data })
    await written(first, 'Habari')
    await written(first, 'Bado upo?')
    expect(warned.mock.calls).toEqual([[expect.stringContaining('disk is full')]])
    await first.agent.set({ on: true })
    await first.close()
    await using second = await createEmulator({ data })
    expect((await second.customer(to).thread()).map(({ text }) => text)).toEqual(['Habari', 'Bado upo?'])
    expect((await second.account.get()).contacts).toBe(1)
  })

  it('brings the log back in its order, even within a millisecond [E DEL-13]', async () => {
    const time = manualTime()
    const first = await createEmulator({ data, internals: time })
    for (let n = 0; n < 20; n++) await written(first, `Habari ${n}`)
    const logged = (await first.events.list()).map(({ id }) => id)
    await first.close()
    await using second = await createEmulator({ data, internals: time })
    expect((await second.events.list()).map(({ id }) => id)).toEqual(logged)
    await second.clock.advance('31d')
    expect(await second.events.list()).toEqual([])
  })

  it('holds what the in-process API changes, at once', async () => {
    const first = await createEmulator({ data })
    await first.agent.set({ on: true })
    const copy = join(folder, 'copy.db')
    for (const end of ['', '-wal']) writeFileSync(copy + end, readFileSync(data + end))
    await first.close()
    await using second = await createEmulator({ data: copy })
    expect((await second.agent.get()).on).toBe(true)
  })

  it('holds messages that wait for a handset, even if no event was due [E SEND-24]', async () => {
    const time = manualTime()
    const first = await createEmulator({ data, internals: time })
    await written(first, 'Habari')
    await first.customer(to).setHandset({ online: false })
    await send(first, { to, text: 'Karibu' })
    time.pass(1_000)
    await first.close()
    await using second = await createEmulator({ data, internals: time })
    const status = async () => (await second.customer(to).thread()).at(-1)?.status
    expect(await status()).toBe('sent')
    await second.customer(to).setHandset({ online: true })
    expect(await status()).toBe('delivered')
  })

  it('holds how many repeats a held key has left [E IDEM-02]', async () => {
    const first = await createEmulator({ data })
    await written(first, 'Habari')
    await first.faults.set([{ on: 'send', do: 'hold_key', answers: 2, next: 1 }])
    const keyed = (emulator: Emulator) => send(emulator, { to, text: 'Karibu' }, { 'Idempotency-Key': 'k' })
    await expect(keyed(first)).rejects.toThrow()
    expect((await keyed(first)).json.code).toBe('idempotency_in_progress')
    await first.close()
    await using second = await createEmulator({ data })
    expect((await keyed(second)).json.code).toBe('idempotency_in_progress')
    expect((await keyed(second)).headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('goes on with the retries of before [E DEL-08]', async () => {
    await using app = await startApp()
    app.answer = 500
    const time = manualTime()
    const first = await createEmulator({ data, webhook: app.url, internals: time })
    const { deliveryIds } = await first.customer(to).says('Habari')
    await first.deliveries.wait(({ attempts }) => attempts.length === 1)
    await first.close()
    app.answer = 200
    await using second = await createEmulator({ data, webhook: app.url, internals: time })
    time.pass(1_000)
    const delivery = await second.deliveries.wait(({ state }) => state === 'delivered')
    expect([delivery.id, delivery.attempts.length]).toEqual([deliveryIds[0], 2])
  })

  it('yields to the options of the run: token, secret, switches and one more endpoint', async () => {
    const first = await createEmulator({ data, webhook: NOBODY, secret: 'one', token: 'token-1' })
    await first.close()
    const given = { secret: 'two', token: 'token-2', assumptions: { statusCase: 'upper' } } as const
    const second = await createEmulator({ data, webhook: NOBODY, ...given })
    expect([second.signingSecret, second.accessToken]).toEqual(['two', 'token-2'])
    expect((await second.assumptions.get()).statusCase).toBe('upper')
    expect((await second.subscriptions.list()).length).toBe(1)
    await second.close()
    await using third = await createEmulator({ data, webhook: 'http://127.0.0.1:9/other' })
    expect([third.signingSecret, third.accessToken]).toEqual(['two', 'token-2'])
    expect((await third.subscriptions.list()).map(({ url }) => url)).toEqual([NOBODY, 'http://127.0.0.1:9/other'])
  })

  it('is emptied by a reset, and follows a restore', async () => {
    const first = await createEmulator({ data })
    await written(first, 'Habari')
    const snapshot = await first.snapshot()
    await first.reset()
    await first.close()
    const second = await createEmulator({ data })
    expect(await second.customer(to).thread()).toEqual([])
    await second.restore(snapshot)
    await second.close()
    await using third = await createEmulator({ data })
    expect((await third.customer(to).thread()).length).toBe(1)
  })

  it('forgets entries when the logs do [E DEL-13]', async () => {
    const first = await createEmulator({ data })
    await written(first, 'old')
    await first.clock.advance('31d')
    await written(first, 'new')
    await first.events.list()
    await first.close()
    const raw = new Database(data, { readonly: true })
    expect(raw.prepare("SELECT count(*) AS n FROM parts WHERE room = 'events'").get()).toEqual({ n: 1 })
    raw.close()
  })

  it('never holds a one-time code [E OTP-06, E OTP-08]', async () => {
    const emulator = await createEmulator({ data })
    await emulator.templates.add({ name: 'code', language: 'sw', category: 'AUTHENTICATION' })
    const template_components = [{ type: 'body', parameters: [{ type: 'text', text: '493817' }] }]
    const body = { to, type: 'template', template_name: 'code', template_language: 'sw', template_components }
    expect((await send(emulator, body, { 'Idempotency-Key': 'k' })).status).toBe(200)
    await emulator.close()
    expect(readFileSync(data, 'latin1')).not.toContain('493817')
  })

  it('is its owner’s alone to read', async () => {
    await using _ = await createEmulator({ data })
    expect(statSync(data).mode & 0o077).toBe(0)
  })

  it('is not shared by two emulators, and no other database is taken for one', async () => {
    await using _ = await createEmulator({ data })
    const message = expect.stringContaining('another emulator')
    await expect(createEmulator({ data })).rejects.toMatchObject({ code: 'store_unavailable', message })

    const other = join(folder, 'other.db')
    const raw = new Database(other)
    raw.exec('CREATE TABLE deliveries (id)')
    raw.close()
    const text = join(folder, 'text')
    writeFileSync(text, 'not a database at all, but some text that is long enough')
    for (const file of [other, text, join(folder, 'none', 'x.db'), folder])
      await expect(createEmulator({ data: file }), file).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(file),
      })
    expect(readFileSync(text, 'utf8')).toContain('not a database')
  })

  it('is refused and released if it is corrupt', async () => {
    const first = await createEmulator({ data })
    await first.close()
    const spoil = (content: string) => {
      const raw = new Database(data)
      raw.prepare("UPDATE parts SET content = ? WHERE room = 'account'").run(content)
      raw.close()
    }
    for (const content of ['{}', '{']) {
      spoil(content)
      await expect(createEmulator({ data })).rejects.toMatchObject({ code: 'store_unavailable' })
    }
  })

  it('is released if the port is in use', async () => {
    await using taken = await createEmulator()
    const port = Number(new URL(taken.url).port)
    await expect(createEmulator({ data, port })).rejects.toMatchObject({ code: 'port_in_use' })
    await using _ = await createEmulator({ data })
  })
})
