import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { call, CUSTOMER, get, openEmulator, send } from './support/api.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER

/** The fields of the specification's table of a Message. */
const MESSAGE_FIELDS = (
  'id direction message_type content status source wa_message_id media_url media_mime_type media_filename ' +
  'media_duration_ms interactive sent_at delivered_at read_at played_at failed_at failure_reason created_at'
).split(' ')

const rows = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ id: `r${from + n}`, title: 'T' }))

const interactive = (content: object | undefined) => ({
  to,
  type: 'interactive',
  interactive: content && { body: 'b', ...content },
})

async function lastOnPhone(emulator: Emulator) {
  return (await emulator.customer(CUSTOMER).thread()).at(-1)
}

describe('a send', () => {
  it('is answered with a Message that has all fields of the table, and no envelope [E SEND-16 SEND-26 GEN-02]', async () => {
    await using emulator = await openEmulator()
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

  it('reads only a media message’s own fields, and no caption for audio [E SEND-04 SEND-05]', async () => {
    await using emulator = await openEmulator()
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
    await using emulator = await openEmulator()
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

  it('accepts the edges of the limits, with text as the default type [E SEND-01 SEND-02 SEND-03 SEND-08]', async () => {
    await using emulator = await openEmulator()
    expect((await send(emulator, { to, text: 'x'.repeat(4096) })).json.message_type).toBe('text')
    const sections = [{ rows: rows(6) }, { rows: rows(4, 6) }]
    expect((await send(emulator, interactive({ type: 'list', sections }))).status).toBe(200)
    for (const recipient of ['123456', '12345678901234567890'])
      expect((await send(emulator, { to: recipient, text: 'x' })).json.code).toBe('outside_messaging_window')
  })

  it.each<[string, object]>([
    ['no recipient', { text: 'x' }],
    ['a plus', { to: `+${to}`, text: 'x' }],
    ['an unknown type', { to, type: 'location', text: 'x' }],
    ['a long text', { to, text: 'x'.repeat(4097) }],
    ['a long footer', interactive({ type: 'buttons', footer: 'x'.repeat(61), buttons: rows(1) })],
    ['four buttons', interactive({ type: 'buttons', buttons: rows(4) })],
    ['a repeated button id', interactive({ type: 'buttons', buttons: [...rows(1), ...rows(1)] })],
    ['a long title', interactive({ type: 'buttons', buttons: [{ id: 'a', title: 'x'.repeat(21) }] })],
    ['eleven rows in total', interactive({ type: 'list', sections: [{ rows: rows(6) }, { rows: rows(5, 6) }] })],
    ['another scheme', interactive({ type: 'cta_url', cta: { display_text: 'x', url: 'ftp://x.test' } })],
  ])('is refused with 422: %s [E SEND-01 SEND-02 SEND-03 SEND-06 SEND-07 SEND-08 SEND-09 SEND-10]', async (_, body) => {
    await using emulator = await openEmulator()
    expect(await send(emulator, body)).toMatchObject({ status: 422, json: { code: 'validation_error' } })
  })

  it('can refuse a malformed body as an array of findings [E SEND-23]', async () => {
    await using emulator = await openEmulator({ assumptions: { validation: 'detail' } })
    const { status, json } = await send(emulator, { text: 'x' })
    expect(status).toBe(422)
    expect(json).toEqual({ detail: [{ loc: ['body', 'to'], msg: expect.any(String), type: expect.any(String) }] })
    const broken = await call(emulator, 'POST', '/api/v2/messages', { body: '{"to":' })
    expect(broken.json).toEqual({ detail: [{ loc: ['body'], msg: expect.any(String), type: 'json_invalid' }] })
  })

  it('never crashes, whatever an app sends, and answers 422 [E SEND-23]', async () => {
    await using emulator = await openEmulator()
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
    await using emulator = await openEmulator()
    const huge = await call(emulator, 'POST', '/api/v2/messages', { body: 'x'.repeat(3_000_000) })
    expect([huge.status, huge.json.code]).toEqual([413, 'too_large'])
    expect((await send(emulator, { to, text: 'x' })).status).toBe(200)
  })
})

describe('the API', () => {
  it('gives missing, unknown and dashboard tokens the same 401 [E AUTH-01 AUTH-03]', async () => {
    await using emulator = await openEmulator()
    const tokens = [
      undefined,
      'Bearer dash_of-the-dashboard',
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
    await using emulator = await openEmulator()
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
    await using emulator = await openEmulator()
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
