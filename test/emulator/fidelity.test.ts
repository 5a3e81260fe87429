import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { call, control, CUSTOMER, get, send } from './support/api.ts'
import { startApp } from './support/app.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER

interface Row {
  id: string
  behaviour: string
  label: string
  rule: string
  switch?: { name: string; values: unknown; usual: unknown; current: unknown }
}

async function fidelity(emulator: Emulator): Promise<Row[]> {
  return (await control(emulator, 'GET', 'fidelity')).json.items
}

/** A template in Kiswahili, and what a send of it comes to. */
async function templateSent(emulator: Emulator, more: object, components?: unknown) {
  await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari {{1}}', ...more })
  const { status, json } = await send(emulator, {
    to,
    type: 'template',
    template_name: 'hello',
    template_language: 'sw',
    template_components: components ?? [{ type: 'body', parameters: [{ type: 'text', text: 'Asha' }] }],
  })
  return status === 200 ? '200' : `${status} ${json.code ?? 'no code'}`
}

describe('fidelity', () => {
  it('labels each behaviour with its source, and gives every assumption a switch with its values', async () => {
    await using emulator = await createEmulator()
    const rows = await fidelity(emulator)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    for (const row of rows) {
      expect(['spec', 'assumed', 'emulator'], row.id).toContain(row.label)
      expect(row.rule, row.id).toMatch(/^[A-Z]+-\d+$/)
      expect(row.behaviour.length, row.id).toBeGreaterThan(10)
      if (row.label === 'assumed') expect(row.switch?.values, row.id).toBeTruthy()
      if (row.label === 'spec') expect(row.switch, row.id).toBeUndefined()
    }
    const switched = rows.flatMap((row) => (row.switch ? [row.switch.name] : []))
    const { json } = await control(emulator, 'GET', 'assumptions')
    expect(switched.sort()).toEqual(Object.keys(json).sort())
  })

  it('names every choice that the specification does not make [E GEN-16 TPL-03 OTP-04 SEND-06 SEND-12 TPL-08]', async () => {
    await using emulator = await createEmulator()
    const rows = new Map((await fidelity(emulator)).map((row) => [row.id, row]))
    const chosen = { contentType: 'GEN-16', emptyHeaders: 'GEN-16', redirects: 'GEN-16', description: 'GEN-11' }
    for (const [id, rule] of Object.entries(chosen)) expect(rows.get(id), id).toMatchObject({ label: 'assumed', rule })
    const own = {
      list_query: ['TPL-03', '400'],
      code_domain: ['OTP-04', 'domain'],
      code_emoji: ['OTP-04', 'emoji'],
      blank_bodies: ['SEND-06', 'blank'],
      filenames: ['SEND-12', 'document'],
      button_index: ['SEND-12', '"01"'],
      approved_at: ['TPL-08', 'null'],
    }
    for (const [id, [rule, word]] of Object.entries(own))
      expect(rows.get(id), id).toMatchObject({
        label: 'emulator',
        rule,
        behaviour: expect.stringContaining(word ?? ''),
      })
  })

  it('is set by an option, by the control API and in process, and reads back', async () => {
    await using emulator = await createEmulator({ assumptions: { statusCase: 'upper' } })
    const current = async (name: string) => (await fidelity(emulator)).find(({ id }) => id === name)?.switch
    expect(await current('statusCase')).toEqual({
      name: 'statusCase',
      values: ['upper', 'lower', 'mixed'],
      usual: 'mixed',
      current: 'upper',
    })
    await emulator.customer(to).says('Habari')
    expect((await send(emulator, { to, text: 'x' })).json.status).toBe('SENT')
    const put = await control(emulator, 'PUT', 'assumptions', { statusCase: 'lower' })
    expect([put.status, put.json.statusCase]).toEqual([200, 'lower'])
    expect((await send(emulator, { to, text: 'x' })).json.status).toBe('sent')
    await emulator.assumptions.set({ validation: 'detail' })
    expect((await send(emulator, {})).json).toHaveProperty('detail')
    expect((await current('statusCase'))?.current).toBe('lower')
    await emulator.reset()
    expect((await current('statusCase'))?.current).toBe('upper')
    expect((await current('validation'))?.current).toBe('flat')
  })

  it('refuses a switch or a value that does not exist, and leaves all as it was', async () => {
    await using emulator = await createEmulator()
    for (const change of [
      { statusCase: 'title' },
      { nothing: 1 },
      { upstreamMs: -1 },
      { statusCase: 'upper', retryAfterMs: 'x' },
      [],
      'x',
    ])
      expect(await control(emulator, 'PUT', 'assumptions', change), JSON.stringify(change)).toMatchObject({
        status: 400,
        json: { code: 'invalid_request' },
      })
    expect((await emulator.assumptions.get()).statusCase).toBe('mixed')
    const wrong = { assumptions: { statusCase: 'title' } } as unknown as Parameters<typeof createEmulator>[0]
    await expect(createEmulator(wrong)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('statusCase'),
    })
    const withoutToken = await call(emulator, 'PUT', '/_emulator/assumptions', { body: '{}' })
    expect(withoutToken.status).toBe(401)
  })
})

describe('an assumption', () => {
  it('leaves the window open at exactly 24:00:00.000, and closes it a millisecond later [E GEN-04]', async () => {
    const time = manualTime()
    await using emulator = await createEmulator({ assumptions: { windowAtExactly24h: 'open' }, internals: time })
    await emulator.customer(to).says('Habari')
    time.pass(86_400_000)
    expect((await send(emulator, { to, text: 'x' })).status).toBe(200)
    time.pass(1)
    expect((await send(emulator, { to, text: 'x' })).status).toBe(409)
  })

  it('accepts a message with buttons that has none, and nothing else [E SEND-07]', async () => {
    const outcome = async (emulator: Emulator, interactive: object) => {
      await emulator.customer(to).says('Habari')
      return (await send(emulator, { to, type: 'interactive', interactive })).status
    }
    const none = { type: 'buttons', body: 'b', buttons: [] }
    await using strict = await createEmulator()
    await using lax = await createEmulator({ assumptions: { minimumButtons: 0 } })
    expect([await outcome(strict, none), await outcome(lax, none)]).toEqual([422, 200])
    expect(await outcome(lax, { type: 'buttons', body: 'b' })).toBe(422)
    expect(await outcome(lax, { ...none, body: '' })).toBe(422)
  })

  it('takes a send without Content-Type, or with another, only if so switched [E GEN-16]', async () => {
    for (const [contentType, status] of [
      ['required', 422],
      ['ignored', 200],
    ] as const) {
      await using emulator = await createEmulator({ assumptions: { contentType } })
      await emulator.customer(to).says('Habari')
      for (const type of ['', 'text/plain', 'application/jsonp']) {
        const body = Buffer.from(JSON.stringify({ to, text: 'x' }))
        const sent = await call(emulator, 'POST', '/api/v2/messages', { body, headers: { 'Content-Type': type } })
        expect(sent.status, `${contentType}: ${type}`).toBe(status)
      }
      expect((await call(emulator, 'POST', '/api/v2/messages', { body: 'x=1' })).status).toBe(422)
    }
  })

  it('takes an empty optional header for none, or refuses it [E GEN-16]', async () => {
    for (const name of ['Idempotency-Key', 'X-Phone-Number-Id']) {
      await using emulator = await createEmulator()
      await emulator.customer(to).says('Habari')
      const answer = () => send(emulator, { to, text: 'x' }, { [name]: '' })
      expect((await answer()).status, name).toBe(200)
      expect((await emulator.keys.list()).length, name).toBe(0)
      await emulator.assumptions.set({ emptyHeaders: 'refuse' })
      expect(await answer(), name).toMatchObject({ status: 422, json: { code: 'validation_error' } })
      await emulator.assumptions.set({ validation: 'detail' })
      expect((await answer()).json.detail[0].loc, name).toEqual(['header', name])
      expect((await send(emulator, { to, text: 'x' }, { [name]: '', Authorization: '' })).status, name).toBe(401)
    }
  })

  it('takes a redirect for a failed delivery, or for a taken one, and never follows it [E GEN-16]', async () => {
    for (const [redirects, state] of [
      ['failed', 'pending'],
      ['taken', 'delivered'],
    ] as const) {
      await using app = await startApp()
      await using elsewhere = await startApp()
      app.answer = (response) => response.writeHead(307, { Location: elsewhere.url }).end()
      await using emulator = await createEmulator({ webhook: app.url, assumptions: { redirects } })
      await emulator.customer(to).says('Habari')
      await emulator.deliveries.wait(({ attempts }) => attempts.length === 1)
      expect(await emulator.deliveries.list()).toMatchObject([{ state, attempts: [{ status: 307 }] }])
      expect(elsewhere.received).toEqual([])
    }
  })

  it('sends a template in review, and lists it as sendable [E SEND-15]', async () => {
    for (const [pendingTemplate, outcome] of [
      ['refuse', '400 invalid_template'],
      ['send', '200'],
    ] as const) {
      await using emulator = await createEmulator({ assumptions: { pendingTemplate } })
      expect(await templateSent(emulator, { status: 'PENDING' })).toBe(outcome)
      expect((await get(emulator, '/api/v2/templates')).json.items[0].sendable).toBe(outcome === '200')
    }
  })

  it('lets the upstream platform refuse an unsynchronised template, with 400 or with 502 [E TPL-05]', async () => {
    for (const [unsynchronisedRefusal, state, shape] of [
      ['400', '400 invalid_template', '400 no code'],
      ['502', '502 send_failed', '502 send_failed'],
    ] as const) {
      const outcome = async (more: object, components?: unknown) => {
        await using emulator = await createEmulator({ assumptions: { unsynchronisedRefusal } })
        const sent = await templateSent(emulator, { synchronised: false, ...more }, components)
        expect((await get(emulator, '/api/v2/templates')).json.items[0]).toMatchObject({
          sendable: true,
          unsendable_reason: null,
        })
        return sent
      }
      expect(await outcome({})).toBe('200')
      expect(await outcome({ status: 'REJECTED' })).toBe(state)
      expect(await outcome({}, [])).toBe(shape)
    }
    await using emulator = await createEmulator()
    expect(await templateSent(emulator, { status: 'REJECTED' })).toBe('400 invalid_template')
    await using usual = await createEmulator()
    expect(await templateSent(usual, { synchronised: false, status: 'REJECTED' })).toBe('502 send_failed')
  })

  it('takes the same JSON in another order for another body, or for the same [E IDEM-04]', async () => {
    for (const [bodiesCompared, status] of [
      ['bytes', 422],
      ['json', 200],
    ] as const) {
      await using emulator = await createEmulator({ assumptions: { bodiesCompared } })
      await emulator.customer(to).says('Habari')
      const sent = (body: string) =>
        call(emulator, 'POST', '/api/v2/messages', { body, headers: { 'Idempotency-Key': 'k' } })
      await sent(`{"to":"${to}","text":"x","extra":{"a":1,"b":[1,2]}}`)
      expect((await sent(`{ "extra": {"b":[1,2],"a":1}, "text":"x", "to":"${to}" }`)).status, bodiesCompared).toBe(
        status,
      )
      expect((await sent(`{"to":"${to}","text":"x","extra":{"a":1,"b":[2,1]}}`)).status).toBe(422)
      const deep = `{"to":"${to}","text":"x","extra":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
      expect((await sent(deep)).status).toBe(422)
    }
  })
})

describe('a choice of the emulator', () => {
  it('is that a body, title or id of an interactive message may be blank, and a text not [E SEND-06]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const interactive = { type: 'buttons', body: ' ', buttons: [{ id: ' ', title: ' ' }] }
    expect((await send(emulator, { to, type: 'interactive', interactive })).status).toBe(200)
    expect((await send(emulator, { to, text: ' ' })).status).toBe(422)
  })

  it('is that only a document has a filename: beside other media it is taken, and has no effect [E SEND-12 SEND-04]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    for (const [type, media_filename] of [
      ['document', 'bill.pdf'],
      ['image', null],
      ['video', null],
      ['audio', null],
    ] as const) {
      const body = { to, type, media_url: 'https://media.example.test/1', media_filename: 'bill.pdf' }
      expect((await send(emulator, body)).json.media_filename, type).toBe(media_filename)
    }
    const components = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Habari' },
    ]
    const image = { link: 'https://media.example.test/1.png', filename: 'bill.png' }
    expect(
      await templateSent(emulator, { body: undefined, components }, [
        { type: 'header', parameters: [{ type: 'image', image }] },
      ]),
    ).toBe('200')
  })

  it('is that the index of a button is a number, so that "01" is the second one [E SEND-12]', async () => {
    await using emulator = await createEmulator()
    const buttons = ['Ndiyo', 'Hapana'].map((text) => ({ type: 'QUICK_REPLY', text }))
    const components = [
      { type: 'BODY', text: 'Habari' },
      { type: 'BUTTONS', buttons },
    ]
    const tap = {
      type: 'button',
      sub_type: 'quick_reply',
      index: '01',
      parameters: [{ type: 'payload', payload: 'no' }],
    }
    expect(await templateSent(emulator, { body: undefined, components }, [tap])).toBe('200')
    expect((await emulator.customer(to).thread()).at(-1)).toMatchObject({
      quickReplies: [
        { payload: 'Ndiyo', title: 'Ndiyo' },
        { payload: 'no', title: 'Hapana' },
      ],
    })
  })

  it('is that approved_at is null until the first approval, and stays from then on [E TPL-08]', async () => {
    await using emulator = await createEmulator()
    const { id } = await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari', status: 'PENDING' })
    const approvedAt = async () => (await get(emulator, '/api/v2/templates')).json.items[0].approved_at
    expect(await approvedAt()).toBeNull()
    await control(emulator, 'PATCH', `templates/${id}`, { status: 'APPROVED' })
    const first = await approvedAt()
    expect(first).toMatch(/Z$/)
    await emulator.clock.advance('1h')
    for (const status of ['PAUSED', 'APPROVED']) await control(emulator, 'PATCH', `templates/${id}`, { status })
    expect(await approvedAt()).toBe(first)
  })
})
