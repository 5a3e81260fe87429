import { gzipSync } from 'node:zlib'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { keepRawBody, webhook } from 'switchhook/express'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE, signatureOf, VECTORS } from '../signing.ts'
import { ask, listenOn } from './http.ts'

const PATH = '/webhooks/messages'
const OURS = { status: 200, body: '{"status":"accepted"}' }
const PARSED = {
  status: 500,
  body: '{"error":"body_already_parsed"}',
  headers: { 'content-type': 'application/json' },
}

const VERSIONS = { 'Express 5': express5, 'Express 4': express4 }
type App = ReturnType<typeof express5>

describe.each(Object.entries(VERSIONS))('behind a parser of %s', (_, express) => {
  async function behindOn(wire: (app: App) => void) {
    const on = botOn()
    await on.bot.start()
    const app = express()
    wire(app)
    app.use(PATH, webhook(on.bot))
    const { port } = await listenOn(app)
    const post = (body: Uint8Array = MESSAGE, headers: Record<string, string> = {}) =>
      ask(port, PATH, { headers: { ...headersOf(body), ...headers }, body })
    return { ...on, post }
  }

  const PARSERS: [string, string, Buffer, (app: App) => void][] = [
    ['express.json()', 'application/json', MESSAGE, (app) => app.use(express.json())],
    ['express.text()', 'application/json', MESSAGE, (app) => app.use(express.text({ type: '*/*' }))],
    [
      'a loop that keeps nothing',
      'application/json',
      MESSAGE,
      (app) =>
        app.use(async (request, _response, next) => {
          let read = ''
          for await (const chunk of request) read += String(chunk)
          ;(request as { rawBody?: unknown }).rawBody = read
          next()
        }),
    ],
    [
      'somebody who took the first part',
      'application/json',
      MESSAGE,
      (app) =>
        app.use((request, _response, next) => {
          request.once('data', () => {
            request.pause()
            next()
          })
        }),
    ],
  ]

  it.each(PARSERS)(
    '%s is a configuration error at once, and not a 401 [R SIG-02, F-21]',
    async (_, type, body, wire) => {
      const { post, counts, warnings } = await behindOn(wire)
      expect(await post(body, { 'content-type': type })).toMatchObject(PARSED)
      expect((await counts()).deliveries).toEqual({})
      expect(warnings()).toHaveLength(1)
      expect(warnings()[0]).toMatchObject({ level: 'error' })
      expect(warnings()[0]?.message).toMatch(/mount webhook\(bot\) before express\.json\(\)/)
      expect(warnings()[0]?.message).toMatch(/express\.json\(\{ verify: keepRawBody \}\)/)
    },
  )

  it('with keepRawBody the exact bytes verify, and a body that the parser refuses never reaches the bot [R SIG-02, F-21]', async () => {
    const vectors = VECTORS.filter(({ body }) => body[0] === 0x7b && body.length < 100_000)
    const on = botOn({ options: { signingSecret: [...new Set(vectors.map(({ secret }) => secret))] } })
    await on.bot.start()
    const app = express()
    app.use(express.json({ verify: keepRawBody }))
    app.use((error: unknown, _request: unknown, response: express5.Response, _next: unknown) => {
      response.status(400).end('the parser refused it')
    })
    app.use(PATH, webhook(on.bot))
    const { port } = await listenOn(app)
    for (const { name, body, signature } of vectors) {
      const headers = { ...headersOf(body, { delivery: name }), 'x-service-signature': signature }
      const refused = { status: 400, body: 'the parser refused it' }
      expect(await ask(port, PATH, { headers, body }), name).toMatchObject(isJson(body) ? OURS : refused)
    }
  })

  it('with keepRawBody the app still has the parsed body [R SIG-02, F-21]', async () => {
    const on = botOn()
    await on.bot.start()
    const app = express()
    app.use(express.json({ verify: keepRawBody }))
    app.post('/orders', (request, response) => {
      response.json(request.body)
    })
    app.post(PATH, webhook(on.bot))
    const { port } = await listenOn(app)
    expect(JSON.parse((await ask(port, '/orders', { headers: headersOf(MESSAGE), body: MESSAGE })).body)).toEqual(
      JSON.parse(MESSAGE.toString()),
    )
    expect(await ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject(OURS)
  })

  it.each(['text/plain', ''])(
    'with keepRawBody a content type that the parser skips is read here: %j [R SIG-02, F-21]',
    async (type) => {
      const { post } = await behindOn((app) => app.use(express.json({ verify: keepRawBody })))
      expect(await post(MESSAGE, { 'content-type': type })).toMatchObject(OURS)
    },
  )

  it('kept bytes have the same limit [R SIG-02, F-34]', async () => {
    const { post } = await behindOn((app) => app.use(express.raw({ type: '*/*', limit: '2mb' })))
    expect(await post(Buffer.alloc(1_048_576))).toMatchObject(OURS)
    expect(await post(Buffer.alloc(1_048_577))).toMatchObject({ status: 413, body: '{"error":"too_large"}' })
  })

  it('a Buffer as body is used, even if rawBody is something else [R SIG-02, F-21]', async () => {
    const { post } = await behindOn((app) => {
      app.use(express.raw({ type: '*/*' }))
      app.use((request, _response, next) => {
        ;(request as { rawBody?: unknown }).rawBody = String(request.body)
        next()
      })
    })
    expect(await post()).toMatchObject(OURS)
  })

  it('a body that a parser has inflated is refused [R SIG-02, F-35]', async () => {
    const { post } = await behindOn((app) => app.use(express.json({ verify: keepRawBody })))
    const headers = { 'content-encoding': 'gzip', 'x-service-signature': signatureOf(MESSAGE) }
    expect(await post(gzipSync(MESSAGE), headers)).toMatchObject({ status: 415 })
  })
})

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}
