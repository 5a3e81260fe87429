import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { call, control, CUSTOMER, get, send } from './support/api.ts'
import { startApp } from './support/app.ts'

const to = CUSTOMER
const text = (value: unknown) => ({ type: 'text', text: value })
const body = (...values: unknown[]) => ({ type: 'body', parameters: values.map(text) })
const button = (value: unknown, more: object = {}) => ({
  type: 'button',
  sub_type: 'url',
  index: '0',
  parameters: [text(value)],
  ...more,
})

async function open(options: object = {}): Promise<Emulator> {
  const emulator = await createEmulator(options)
  await emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
  return emulator
}

function sendCode(emulator: Emulator, components: unknown, headers: Record<string, string> = {}) {
  const template = { type: 'template', template_name: 'login_code', template_language: 'sw' }
  return send(emulator, { to, ...template, template_components: components }, headers)
}

describe('a one-time code', () => {
  it('is accepted as one body parameter, recorded as sent and redacted, with no referral [E OTP-01 OTP-06]', async () => {
    await using emulator = await open()
    const { status, json } = await sendCode(emulator, [body('482913')])
    expect(status).toBe(200)
    expect(json).toMatchObject({
      message_type: 'template',
      template_name: 'login_code',
      content: 'Verification code sent',
      redacted: true,
      referral: null,
    })
  })

  it('is copied into the copy-code button, which the sender may include only with the same code [E OTP-02]', async () => {
    await using emulator = await open()
    expect((await sendCode(emulator, [body('482913')])).status).toBe(200)
    expect((await sendCode(emulator, [body('482913'), button('482913')])).status).toBe(200)
    expect((await sendCode(emulator, [button('482913'), body('482913')])).status).toBe(200)
    const recorded = [body('[code withheld]'), button('[code withheld]')]
    for (const item of await emulator.customer(to).thread()) expect(item.template?.components).toEqual(recorded)
    const other = await sendCode(emulator, [body('482913'), button('482914')])
    expect(other).toMatchObject({ status: 422, json: { code: 'invalid_one_time_code' } })
    expect(other.json.message).toMatch(/button.*equal.*body/)
  })

  it('is accepted at the edges of its rules [E OTP-03 OTP-04]', async () => {
    await using emulator = await open()
    const good = ['1', '123456789012345', 'A-1_b', 'a   b', '12.34', '1.2.3', 'ÄÖ9', '#1*']
    for (const code of good) expect((await sendCode(emulator, [body(code)])).status, code).toBe(200)
    expect((await emulator.customer(to).codes()).map(({ code }) => code)).toEqual(good)
  })

  it('is refused with 422 and the broken rule in the message [E OTP-03 OTP-04 OTP-05]', async () => {
    await using emulator = await open()
    const broken: [unknown, RegExp][] = [
      [482913, /JSON string/],
      [null, /JSON string/],
      ['', /1 to 15 characters/],
      ['1234567890123456', /1 to 15 characters/],
      ['12\n34', /newline/],
      ['12\r34', /newline/],
      ['12\t34', /tab/],
      [' 1234', /space/],
      ['1234 ', /space/],
      ['12    34', /four spaces/],
      ['https://x', /link/],
      ['HTTP://1', /link/],
      ['www.1', /link/],
      ['bank.co.tz', /domain/],
      ['a.io', /domain/],
      ['12\u{1f600}', /emoji/u],
      ['1\u20e3', /emoji/],
      ['\u{1f1f9}\u{1f1ff}', /emoji/u],
      ['9\u2764\ufe0f', /emoji/],
    ]
    for (const [code, rule] of broken) {
      const { status, json } = await sendCode(emulator, [body(code)])
      expect([status, json.code], JSON.stringify(code)).toEqual([422, 'invalid_one_time_code'])
      expect(json.message, JSON.stringify(code)).toMatch(rule)
      if (typeof code === 'string' && code.length > 3) expect(json.message).not.toContain(code)
    }
    expect(await emulator.customer(to).codes()).toEqual([])
  })

  it('is refused with any component except its body and that button [E OTP-01 OTP-05]', async () => {
    await using emulator = await open()
    const header = { type: 'header', parameters: [text('x')] }
    const wrong: Record<string, unknown> = {
      nothing: undefined,
      null: null,
      'an empty list': [],
      'no list': { type: 'body' },
      'a header': [header, body('482913')],
      'a footer': [body('482913'), { type: 'footer' }],
      'two bodies': [body('482913'), body('482913')],
      'two parameters': [body('482913', '482913')],
      'no parameter': [{ type: 'body', parameters: [] }],
      'a payload': [{ type: 'body', parameters: [{ type: 'payload', payload: '482913' }] }],
      'the button alone': [button('482913')],
      'two buttons': [body('482913'), button('482913'), button('482913')],
      'another button': [body('482913'), button('482913', { index: '1' })],
      'a button with a number as index': [body('482913'), button('482913', { index: 0 })],
      'a quick reply': [body('482913'), button('482913', { sub_type: 'quick_reply' })],
      'a button without a code': [body('482913'), button('482913', { parameters: [] })],
      'a text among them': [body('482913'), 'x'],
    }
    for (const [name, components] of Object.entries(wrong))
      expect(await sendCode(emulator, components), name).toMatchObject({
        status: 422,
        json: { code: 'invalid_one_time_code', message: expect.any(String) },
      })
  })

  it('is in no answer, event, thread, timeline, key or error: only the handset shows it [E OTP-06]', async () => {
    await using app = await startApp()
    await using emulator = await open({ webhook: app.url })
    const code = 'QX7-CANARY-93'
    const key = { 'Idempotency-Key': 'login-1' }
    const sent = await sendCode(emulator, [body(code)], key)
    const replayed = await sendCode(emulator, [body(code)], key)
    const refused = [
      await sendCode(emulator, [body(code), button('1')]),
      await sendCode(emulator, [{ ...body(code), type: 'header' }]),
      await sendCode(emulator, [body(code)], { Authorization: 'Bearer x' }),
    ]
    await emulator.faults.set([{ on: 'send', do: 'status', status: 500, next: 1 }])
    refused.push(await sendCode(emulator, [body(code)]))
    await app.until(3)
    const paths = ['customers/255712000101/thread', 'deliveries', 'events', 'timeline', 'templates', 'keys', 'account']
    const shown = await Promise.all(paths.map((path) => control(emulator, 'GET', path)))
    const everything = [sent, replayed, ...refused, ...shown].map((answer) => answer.text)
    everything.push(...app.received.map(({ raw }) => raw.toString()), inspect(await emulator.customer(to).thread()))
    for (const what of everything) expect(what).not.toContain(code)
    expect(sent.status).toBe(200)
    expect(replayed.headers.get('Idempotency-Replayed')).toBe('true')

    const { json } = await control(emulator, 'GET', `customers/${to}/codes`)
    expect(json.items).toEqual([
      { messageId: sent.json.id, code, text: expect.stringContaining(code), at: expect.any(String) },
    ])
    expect(await emulator.customer(to).codes()).toEqual(json.items)
    const withoutToken = await call(emulator, 'GET', `/_emulator/customers/${to}/codes`)
    expect([withoutToken.status, withoutToken.text.includes(code)]).toEqual([401, false])
  })

  it('leaves neither itself nor a plain hash of its body in the memory of keys [E OTP-08]', async () => {
    await using emulator = await open()
    const template = { type: 'template', template_name: 'login_code', template_language: 'sw' }
    const sent = { to, ...template, template_components: [body('482913')] }
    using set = vi.spyOn(Map.prototype, 'set')
    expect((await send(emulator, sent, { 'Idempotency-Key': 'login-1' })).status).toBe(200)
    const kept = JSON.stringify(set.mock.calls.filter(([id]) => String(id).includes('login-1')))
    expect(kept).toContain('fingerprint')
    expect(kept).not.toContain('482913')
    for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'])
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(kept).not.toContain(createHash(algorithm).update(JSON.stringify(sent)).digest(form))
  })

  it('is not delivered to the handset after its expiry, after 10 minutes without one, and never after 15 [E OTP-09]', async () => {
    await using emulator = await createEmulator()
    const undelivered = '255712000199'
    await emulator.customer(undelivered).setHandset({ online: false })
    const minutes: [number | null, string, string][] = [
      [5, '4m', '5m'],
      [null, '9m', '10m'],
      [90, '14m', '15m'],
    ]
    for (const [expiryMinutes, before, after] of minutes) {
      const name = `code_${expiryMinutes}`
      await emulator.templates.add({ name, language: 'sw', category: 'AUTHENTICATION', expiryMinutes })
      const template = { type: 'template', template_name: name, template_language: 'sw' }
      await send(emulator, { to: undelivered, ...template, template_components: [body('482913')] })
      const sentAt = new Date((await control(emulator, 'GET', 'clock')).json.now).getTime()
      const statusAfter = async (span: string) => {
        await emulator.clock.set(new Date(sentAt + Number.parseInt(span, 10) * 60_000))
        return (await emulator.customer(undelivered).thread()).at(-1)?.status
      }
      expect([await statusAfter(before), await statusAfter(after)], name).toEqual(['sent', 'failed'])
    }
    expect(await emulator.customer(undelivered).codes()).toEqual([])
  })
})

describe('a template for one-time codes', () => {
  it('is created with a lower-case name, an expiry of 1 to 90 minutes or none, and a short button text [E TPL-07]', async () => {
    await using emulator = await createEmulator()
    const make = (more: object) =>
      control(emulator, 'POST', 'templates', { name: 'code_1', language: 'sw', category: 'AUTHENTICATION', ...more })
    const bad: [object, RegExp][] = [
      [{ name: 'Code' }, /name/],
      [{ name: 'code-1' }, /name/],
      [{ expiryMinutes: 0 }, /expiryMinutes/],
      [{ expiryMinutes: 91 }, /expiryMinutes/],
      [{ expiryMinutes: 1.5 }, /expiryMinutes/],
      [{ buttonText: 'x'.repeat(26) }, /buttonText/],
      [{ buttonText: 'Nakili \u{1f4cb}' }, /buttonText/],
      [{ buttonText: ' ' }, /buttonText/],
      [{ body: 'Code {{1}}' }, /body/],
      [{ securityReminder: 'yes' }, /securityReminder/],
    ]
    for (const [more, where] of bad) {
      const { status, json } = await make(more)
      expect([status, json.code], JSON.stringify(more)).toEqual([400, 'invalid_request'])
      expect(json.message).toMatch(where)
    }
    expect((await make({ name: 'code_1', expiryMinutes: 1, buttonText: 'x'.repeat(25) })).status).toBe(200)
    const made = await make({ name: 'code_90', expiryMinutes: 90, securityReminder: true })
    expect(made.json).toMatchObject({ category: 'AUTHENTICATION', status: 'APPROVED', sendable: true })
    expect((await make({ name: 'code_none', expiryMinutes: null })).status).toBe(200)
    expect((await make({ name: 'code_review', status: 'PENDING' })).json.sendable).toBe(false)
  })

  it('shows a body without text and a button of type OTP before it is synchronised [E TPL-05 OTP-07]', async () => {
    await using emulator = await createEmulator()
    const template = { name: 'login_code', language: 'sw', category: 'AUTHENTICATION', synchronised: false }
    const { id } = await emulator.templates.add({ ...template, status: 'PENDING', buttonText: 'Nakili' })
    const listed = async () => (await get(emulator, '/api/v2/templates')).json.items[0]
    const [shownBody, buttons] = (await listed()).components
    expect(await listed()).toMatchObject({ category: 'AUTHENTICATION', sendable: true, unsendable_reason: null })
    expect(shownBody).toMatchObject({ type: 'BODY' })
    expect(shownBody).not.toHaveProperty('text')
    expect(buttons).toMatchObject({ type: 'BUTTONS', buttons: [{ type: 'OTP', text: 'Nakili' }] })
    expect((await sendCode(emulator, [body('482913')])).json.code).toBe('send_failed')

    await control(emulator, 'PATCH', `templates/${id}`, { synchronised: true, status: 'APPROVED' })
    expect((await listed()).components[0].text).toContain('{{1}}')
    expect((await sendCode(emulator, [body('482913')])).status).toBe(200)
  })
})
