import { describe, expect, it } from 'vitest'
import { keepRawBody } from 'switchhook/express'
import { MESSAGE, vector } from '../bot/in/signing.ts'
import { type App, DEADLINE_MS, dress, type Express, hostOn, PATH, VERSIONS } from './app.ts'

const ACCEPTED = { status: 200, body: '{"status":"accepted"}' }
const PARSED = { status: 500, body: '{"error":"body_already_parsed"}' }
const FORM = 'application/x-www-form-urlencoded'

type Parsers = (app: App, express: Express) => void

/** Parsers in front, the Content-Type of the delivery, and if the exact bytes still reach the bot. */
const IN_FRONT: [string, Parsers, string, boolean][] = [
  ['json', (app, { json }) => app.use(json()), 'application/json', false],
  ['json, with a charset', (app, { json }) => app.use(json()), 'application/json; charset=utf-8', false],
  [
    'json, urlencoded and text',
    (app, { json, urlencoded, text }) => app.use(json(), urlencoded({ extended: true }), text()),
    'application/json',
    false,
  ],
  ['urlencoded alone', (app, { urlencoded }) => app.use(urlencoded({ extended: true })), 'application/json', true],
  [
    'urlencoded, and a delivery as a form',
    (app, { urlencoded }) => app.use(urlencoded({ extended: true })),
    FORM,
    false,
  ],
  ['text alone', (app, { text }) => app.use(text()), 'application/json', true],
  ['text, and a delivery as text', (app, { text }) => app.use(text()), 'text/plain', false],
  ['text of any type', (app, { text }) => app.use(text({ type: '*/*' })), 'application/json', false],
  ['json, and a delivery as text', (app, { json }) => app.use(json()), 'text/plain', true],
  ['raw of any type', (app, { raw }) => app.use(raw({ type: () => true })), 'application/json', true],
  [
    'raw of any type under the path, json everywhere',
    (app, { raw, json }) => app.use(PATH, raw({ type: '*/*' })).use(json()),
    'application/json',
    true,
  ],
  ['json elsewhere', (app, { json }) => app.use('/api', json()), 'application/json', true],
]

/** Callbacks that keep the bytes. */
const KEEPING: [string, Parsers, string, boolean][] = [
  ['keepRawBody', (app, { json }) => app.use(json({ verify: keepRawBody })), 'application/json', true],
  [
    'keepRawBody, which never ran because the type was another: the bytes are read here',
    (app, { json }) => app.use(json({ verify: keepRawBody })),
    'application/vnd.service+json',
    true,
  ],
  [
    'keepRawBody, which never ran because the type was another, and a second parser took them',
    (app, { json, text }) => app.use(json({ verify: keepRawBody }), text({ type: '*/*' })),
    'text/plain',
    false,
  ],
  [
    'keepRawBody in every parser, and a delivery as a form',
    (app, { json, urlencoded }) =>
      app.use(json({ verify: keepRawBody }), urlencoded({ extended: true, verify: keepRawBody })),
    FORM,
    true,
  ],
  [
    'a callback of the app that keeps a Buffer',
    (app, { json }) =>
      app.use(
        json({
          verify(request, _response, bytes) {
            Object.assign(request, { rawBody: bytes })
          },
        }),
      ),
    'application/json',
    true,
  ],
  [
    'a callback of the app that keeps a text, in which bytes may be lost',
    (app, { json }) =>
      app.use(
        json({
          verify(request, _response, bytes) {
            Object.assign(request, { rawBody: String(bytes) })
          },
        }),
      ),
    'application/json',
    false,
  ],
  [
    'a callback of the app for another path',
    (app, { json }) =>
      app.use(
        json({
          verify(request, _response, bytes) {
            if (request.url === '/webhooks/stripe') Object.assign(request, { rawBody: bytes })
          },
        }),
      ),
    'application/json',
    false,
  ],
]

describe.each(Object.entries(VERSIONS))('in an app of %s', (_, express) => {
  const behind = (parsers: Parsers) =>
    hostOn(express, (app, hook) => {
      dress(app)
      parsers(app, express)
      app.use(PATH, hook)
    })

  it.each([...IN_FRONT, ...KEEPING])('behind %s [R SIG-02, F-21]', async (_, parsers, type, whole) => {
    const { post, rows, warnings, timers } = await behind(parsers)
    const { body } = vector('spaced-json')
    expect(await post(PATH, { headers: { 'content-type': type }, body })).toMatchObject(whole ? ACCEPTED : PARSED)
    expect(await rows()).toBe(whole ? 1 : 0)
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
    expect(warnings().map(({ level }) => level)).toEqual(whole ? [] : ['error'])
    if (!whole) expect(warnings()[0]?.message).toMatch(/before express\.json\(\).*verify: keepRawBody/)
  })

  it('the 500 comes at once, and so does the next: nothing waits for a body that was read [R SIG-02, F-21]', async () => {
    const { post, timers } = await behind((app, { json }) => app.use(json()))
    // No time passes here, so an answer that waited for the deadline would never come.
    const answers = await Promise.all(Array.from({ length: 20 }, () => post()))
    expect(answers.every(({ status }) => status === 500)).toBe(true)
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
    expect((await post()).status).toBe(500)
  })

  it("a request that a parser in front refuses gets the parser's answer, and never reaches the bot [R SIG-09, F-40]", async () => {
    const { post, rows, warnings } = await hostOn(express, (app, hook) => {
      app.use(express.json({ verify: keepRawBody }))
      app.use(PATH, hook)
      app.use(
        (
          error: { status: number },
          _request: unknown,
          response: { status(code: number): { end(): void } },
          _next: unknown,
        ) => response.status(error.status).end(),
      )
    })
    expect(await post(PATH, { body: Buffer.from('{"cut":') })).toMatchObject({ status: 400 })
    expect(await post(PATH, { body: Buffer.from(`{"t":"${'a'.repeat(200_000)}"}`) })).toMatchObject({ status: 413 })
    expect(await rows()).toBe(0)
    expect(warnings()).toEqual([])
    expect(await post(PATH, { body: MESSAGE })).toMatchObject(ACCEPTED)
  })
})
