import { gzipSync } from 'node:zlib'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { keepRawBody } from 'switchhook/express'
import { headersOf, MESSAGE, signatureOf, VECTORS } from '../signing.ts'
import { appOn, PATH } from './hosts.ts'

const OURS = { status: 200, body: '{"status":"accepted"}' }
const PARSED = { status: 500, body: '{"error":"body_already_parsed"}' }

const VERSIONS = { 'Express 5': express5, 'Express 4': express4 }
type Wire = (app: ReturnType<typeof express5>) => unknown

describe.each(Object.entries(VERSIONS))('behind a parser of %s', (_, express) => {
  const behindOn = (wire: Wire, o: Parameters<typeof appOn>[1] = {}) =>
    appOn(
      (app, hook) => {
        wire(app)
        app.use(PATH, hook)
      },
      { ...o, make: express },
    )

  const PARSERS: Record<string, Wire> = {
    'express.json()': (app) => app.use(express.json()),
    'express.text()': (app) => app.use(express.text({ type: '*/*' })),
    'a loop that keeps nothing': (app) =>
      app.use(async (request, _response, next) => {
        let read = ''
        for await (const chunk of request) read += String(chunk)
        ;(request as { rawBody?: unknown }).rawBody = read
        next()
      }),
    'somebody who took the first part': (app) =>
      app.use((request, _response, next) => {
        request.once('data', () => {
          request.pause()
          next()
        })
      }),
  }

  it.each(Object.entries(PARSERS))(
    '%s is a configuration error at once, and not a 401 [R SIG-02, F-21]',
    async (_, wire) => {
      const { post, counts, warnings } = await behindOn(wire)
      expect(await post()).toMatchObject(PARSED)
      expect((await counts()).deliveries).toEqual({})
      const message = expect.stringMatching(/mount webhook\(bot\) before express\.json\(\).*\{ verify: keepRawBody \}/)
      expect(warnings()).toMatchObject([{ level: 'error', message }])
    },
  )

  it('with keepRawBody the exact bytes verify, and a body that the parser refuses never reaches the bot [R SIG-02, F-21]', async () => {
    const vectors = VECTORS.filter(({ body }) => body[0] === 0x7b && body.length < 100_000)
    const { post } = await behindOn(
      (app) =>
        app
          .use(express.json({ verify: keepRawBody }))
          .use((error: unknown, _request: unknown, response: express5.Response, _next: unknown) => {
            response.status(400).end('the parser refused it')
          }),
      { options: { signingSecret: [...new Set(vectors.map(({ secret }) => secret))] } },
    )
    const refused = { status: 400, body: 'the parser refused it' }
    for (const { name, body, signature } of vectors) {
      const headers = { ...headersOf(body, { delivery: name }), 'x-service-signature': signature }
      expect(await post(PATH, { headers, body }), name).toMatchObject(isJson(body) ? OURS : refused)
    }
  })

  it('with keepRawBody the app still has the parsed body [R SIG-02, F-21]', async () => {
    const { post } = await behindOn((app) =>
      app.use(express.json({ verify: keepRawBody })).post('/orders', (request, response) => {
        response.json(request.body)
      }),
    )
    expect(JSON.parse((await post('/orders')).body)).toEqual(JSON.parse(MESSAGE.toString()))
    expect(await post()).toMatchObject(OURS)
  })

  it.each(['text/plain', ''])(
    'with keepRawBody a content type that the parser skips is read here: %j [R SIG-02, F-21]',
    async (type) => {
      const { post } = await behindOn((app) => app.use(express.json({ verify: keepRawBody })))
      expect(await post(PATH, { headers: { 'content-type': type } })).toMatchObject(OURS)
    },
  )

  it('kept bytes have the same limit [R SIG-02, F-34]', async () => {
    const { post } = await behindOn((app) => app.use(express.raw({ type: '*/*', limit: '2mb' })))
    expect(await post(PATH, { body: Buffer.alloc(1_048_576) })).toMatchObject(OURS)
    expect(await post(PATH, { body: Buffer.alloc(1_048_577) })).toMatchObject({ status: 413 })
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
    expect(await post(PATH, { body: gzipSync(MESSAGE), headers })).toMatchObject({ status: 415 })
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
