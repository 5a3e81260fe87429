import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/emulator.ts'
import { call, CUSTOMER, get, send } from './support/api.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER

/** The fields of the specification's table of a Message. */
const MESSAGE_FIELDS = (
  'id direction message_type content status source wa_message_id media_url media_mime_type media_filename ' +
  'media_duration_ms interactive sent_at delivered_at read_at played_at failed_at failure_reason created_at'
).split(' ')

/** An emulator in which the customer has just written. */
async function open(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator(options)
  await emulator.customer(CUSTOMER).says('Habari')
  return emulator
}

async function lastOnPhone(emulator: Emulator) {
  return (await emulator.customer(CUSTOMER).thread()).at(-1)
}

describe('a send', () => {
  it('is answered with a Message that has all fields of the table, and no envelope [E SEND-16 SEND-26 GEN-02]', async () => {
    await using emulator = await open()
    const { status, json } = await send(emulator, { to, text: 'Karibu' })
    expect(status).toBe(200)
    expect(new Set(Object.keys(json))).toEqual(new Set(MESSAGE_FIELDS))
    expect(json).toMatchObject({ direction: 'OUTBOUND', message_type: 'text', content: 'Karibu', source: 'HUMAN' })
    expect(json.id).toEqual(expect.any(String))
    expect(new Date(json.created_at).toISOString()).toBe(json.created_at)
  })

  it('alternates between upper and lower case for the status [E SEND-17]', async () => {
    await using emulator = await createEmulator({ internals: manualTime() })
    await emulator.customer(to).says('Habari')
    const answers = [await send(emulator, { to, text: '1' }), await send(emulator, { to, text: '2' })]
    expect(new Set(answers.map(({ json }) => json.status))).toEqual(new Set(['SENT', 'sent']))
  })

  it('has text as the default type, and a type outside the set is refused with 422 [E SEND-02]', async () => {
    await using emulator = await open()
    expect((await send(emulator, { to, text: 'x' })).json.message_type).toBe('text')
    expect((await send(emulator, { to, type: 'text', text: 'x' })).status).toBe(200)
    for (const type of ['location', 'sticker', 'TEXT', '', 7, null, ['text']])
      expect(await send(emulator, { to, type, text: 'x' }), `type ${JSON.stringify(type)}`).toMatchObject({
        status: 422,
        json: { code: 'validation_error' },
      })
  })

  it('accepts 6 to 20 digits as the recipient and nothing else [E SEND-01]', async () => {
    await using emulator = await open()
    const outcome = async (recipient: unknown) => (await send(emulator, { to: recipient, text: 'x' })).json.code
    expect(await outcome('123456')).toBe('outside_messaging_window')
    expect(await outcome('12345678901234567890')).toBe('outside_messaging_window')
    for (const bad of [
      '12345',
      '123456789012345678901',
      '+255712000101',
      '255 712',
      '',
      null,
      255712000101,
      '__proto__',
    ])
      expect(await outcome(bad), `to ${JSON.stringify(bad)}`).toBe('validation_error')
    expect((await send(emulator, { text: 'x' })).json.code).toBe('validation_error')
  })

  it('refuses a text that is missing, blank or over 4096 characters [E SEND-03]', async () => {
    await using emulator = await open()
    expect((await send(emulator, { to, text: 'x'.repeat(4096) })).status).toBe(200)
    for (const text of ['x'.repeat(4097), '', '  \n', null, 5])
      expect((await send(emulator, { to, text })).json.code).toBe('validation_error')
    expect((await send(emulator, { to })).json.code).toBe('validation_error')
  })

  it('reads only a media message’s own fields, and no caption for audio [E SEND-04 SEND-05]', async () => {
    await using emulator = await open()
    const media_url = 'https://media.example.test/1'
    const more = { media_url, media_caption: 'Risiti', media_filename: 'risiti.pdf', text: 'not read' }
    const sent = async (type: string) => (await send(emulator, { to, type, ...more })).json
    expect(await sent('image')).toMatchObject({ content: 'Risiti', media_url, media_filename: null })
    expect(await sent('document')).toMatchObject({ content: 'Risiti', media_url, media_filename: 'risiti.pdf' })
    expect(await sent('video')).toMatchObject({ content: 'Risiti', media_url, media_filename: null })
    expect(await sent('audio')).toMatchObject({ content: null, media_url, media_filename: null })
    const shown = await lastOnPhone(emulator)
    expect([shown?.kind, shown?.media]).toEqual(['audio', { kind: 'audio', url: media_url }])
    for (const url of [undefined, null, 'http://media.example.test/1', 'media.example.test'])
      expect((await send(emulator, { to, type: 'image', media_url: url })).json.code).toBe('validation_error')
    const long = { to, type: 'image', media_url, media_caption: 'x'.repeat(1025) }
    expect((await send(emulator, long)).json.code).toBe('validation_error')
  })

  it('renders an interactive message flattened, with the default button text of a list [E SEND-18 SEND-08]', async () => {
    await using emulator = await open()
    const buttons = { type: 'buttons', body: 'Tukusaidie nini?', buttons: [{ id: 'track', title: 'Fuatilia' }] }
    expect((await send(emulator, { to, type: 'interactive', interactive: buttons })).json.interactive).toEqual(buttons)
    const list = { type: 'list', body: 'Tawi gani?', sections: [{ rows: [{ id: 'arusha', title: 'Arusha' }] }] }
    expect((await send(emulator, { to, type: 'interactive', interactive: list })).json.interactive).toEqual({
      type: 'list',
      body: 'Tawi gani?',
      button_text: 'View',
      sections: [{ title: null, rows: [{ id: 'arusha', title: 'Arusha', description: null }] }],
    })
    const link = {
      type: 'cta_url',
      body: 'Lipa',
      footer: 'Asante',
      cta: { display_text: 'Lipa', url: 'https://x.test' },
    }
    expect((await send(emulator, { to, type: 'interactive', interactive: link })).json.interactive).toEqual(link)
    expect(await lastOnPhone(emulator)).toMatchObject({ kind: 'interactive', text: 'Lipa', interactive: link })
  })

  it('refuses with 422 a message that the chat platform would reject [E SEND-06 SEND-07 SEND-08 SEND-09 SEND-10]', async () => {
    await using emulator = await open()
    const outcome = async (interactive: unknown) =>
      (await send(emulator, { to, type: 'interactive', interactive })).json.code
    const button = (id: string) => ({ id, title: 'T' })
    const rows = (count: number, from = 0) =>
      Array.from({ length: count }, (_, n) => ({ id: `r${from + n}`, title: 'T' }))
    const bad = {
      'no interactive': undefined,
      'blank body': { type: 'buttons', body: '', buttons: [button('a')] },
      'long footer': { type: 'buttons', body: 'b', footer: 'x'.repeat(61), buttons: [button('a')] },
      'no buttons': { type: 'buttons', body: 'b', buttons: [] },
      'four buttons': { type: 'buttons', body: 'b', buttons: ['a', 'b', 'c', 'd'].map(button) },
      'a repeated button id': { type: 'buttons', body: 'b', buttons: [button('a'), button('a')] },
      'a long title': { type: 'buttons', body: 'b', buttons: [{ id: 'a', title: 'x'.repeat(21) }] },
      'eleven rows in total': { type: 'list', body: 'b', sections: [{ rows: rows(6) }, { rows: rows(5, 6) }] },
      'a repeated row id': { type: 'list', body: 'b', sections: [{ rows: rows(1) }, { rows: rows(1) }] },
      'an empty section': { type: 'list', body: 'b', sections: [{ rows: [] }] },
      'no link': { type: 'cta_url', body: 'b' },
      'another scheme': { type: 'cta_url', body: 'b', cta: { display_text: 'x', url: 'ftp://x.test' } },
    }
    for (const [name, interactive] of Object.entries(bad))
      expect(await outcome(interactive), name).toBe('validation_error')
    expect(
      await outcome({ type: 'list', body: 'b', sections: [{ rows: rows(6) }, { rows: rows(4, 6) }] }),
    ).toBeUndefined()
  })

  it('can refuse a malformed body as an array of findings [E SEND-23]', async () => {
    await using emulator = await open({ assumptions: { validation: 'detail' } })
    const { status, json } = await send(emulator, { text: 'x' })
    expect(status).toBe(422)
    expect(json).toEqual({ detail: [{ loc: ['body', 'to'], msg: expect.any(String), type: expect.any(String) }] })
    const broken = await call(emulator, 'POST', '/api/v2/messages', { body: '{"to":' })
    expect(broken.json).toEqual({ detail: [{ loc: ['body'], msg: expect.any(String), type: 'json_invalid' }] })
  })

  it('never crashes, whatever an app sends, and answers 422 [E SEND-23]', async () => {
    await using emulator = await open()
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const bodies = ['', '{', 'null', '[]', '5', '"x"', nested, '{"to":"255712000101","text":{"a":1}}']
    for (const body of bodies) {
      const answer = await call(emulator, 'POST', '/api/v2/messages', { body })
      expect([answer.status, answer.json.code], body.slice(0, 20)).toEqual([422, 'validation_error'])
    }
    const notUtf8 = await call(emulator, 'POST', '/api/v2/messages', { body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]) })
    expect(notUtf8.status).toBe(422)
    const form = await call(emulator, 'POST', '/api/v2/messages', {
      body: JSON.stringify({ to, text: 'x' }),
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(form.status).toBe(422)
  })

  it('accepts at most a megabyte of a body, and the emulator continues', async () => {
    await using emulator = await open()
    const huge = await call(emulator, 'POST', '/api/v2/messages', { body: 'x'.repeat(3_000_000) })
    expect([huge.status, huge.json.code]).toEqual([413, 'too_large'])
    expect((await send(emulator, { to, text: 'x' })).status).toBe(200)
  })
})

describe('the API', () => {
  it('gives missing, unknown and dashboard tokens the same 401 [E AUTH-01 AUTH-03]', async () => {
    await using emulator = await open()
    const tokens = [
      undefined,
      'Bearer wrong',
      `Basic ${emulator.accessToken}`,
      `Bearer ${emulator.accessToken}x`,
      'Bearer',
      '',
    ]
    const answers = await Promise.all(
      tokens.map((token) =>
        fetch(`${emulator.url}/api/v2/templates`, token === undefined ? {} : { headers: { Authorization: token } }),
      ),
    )
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.map((answer) => answer.status)).toEqual(tokens.map(() => 401))
    expect(new Set(bodies).size).toBe(1)
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ code: 'not_authenticated', message: expect.any(String) })
    expect((await send(emulator, { to, text: 'x' }, { Authorization: 'Bearer wrong' })).text).toBe(bodies[0])
  })

  it('has only its endpoints: 404 elsewhere and 405 for another method [E GEN-08 GEN-01 GEN-14]', async () => {
    await using emulator = await open()
    const { json: message } = await send(emulator, { to, text: 'x' })
    const elsewhere = [
      '/api/v2/webhooks',
      `/api/v2/messages/${message.id}`,
      '/api/v2',
      '/api/v2/contacts',
      '/api/v2/messages/',
    ]
    for (const path of elsewhere)
      expect(await get(emulator, path), path).toMatchObject({ status: 404, json: { code: expect.any(String) } })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of ['/api/v2/webhooks', `/api/v2/messages/${message.id}`])
        expect(await call(emulator, method, path, { body: '{}' }), `${method} ${path}`).toMatchObject({ status: 404 })
    expect((await get(emulator, '/messages')).status).toBe(404)
    const wrong = await get(emulator, '/api/v2/messages')
    expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'POST'])
    expect((await call(emulator, 'POST', '/api/v2/templates')).status).toBe(405)
  })

  it('identifies itself as an emulator in each answer, and sends no header that the service lacks [E GEN-12 SEND-22]', async () => {
    await using emulator = await open()
    await emulator.clock.advance('90s')
    const answers = [
      await send(emulator, { to, text: 'x' }),
      await send(emulator, {}),
      await get(emulator, '/api/v2/nothing'),
      await get(emulator, '/_emulator/clock'),
    ]
    for (const { headers } of answers) {
      expect(headers.get('X-Emulator')).toBe('switchhook')
      expect(headers.get('X-Emulator-Clock-Offset')).toBe('90000')
      expect([...headers.keys()].filter((name) => /retry-after|ratelimit|request-id/.test(name))).toEqual([])
    }
  })
})
