import { describe, expect, it } from 'vitest'
import { keepRawBody } from 'switchhook/express'
import { headersOf, MESSAGE, signatureOf } from '../bot/in/signing.ts'
import { type App, DEADLINE_MS, dress, type Express, type Hook, hostOn, PATH, VERSIONS } from './app.ts'

const ACCEPTED = { status: 200, body: '{"status":"accepted"}' }
const DUPLICATE = { status: 200, body: '{"status":"duplicate"}' }
const UNAUTHORIZED = { status: 401, body: '{"error":"unauthorized"}' }
const PARSED = { status: 500, body: '{"error":"body_already_parsed"}' }

type Mount = (app: App, hook: Hook, express: Express) => void

const MOUNTS: Record<string, Mount> = {
  'app.use': (app, hook) => app.use(PATH, hook),
  'app.post': (app, hook) => app.post(PATH, hook),
  'a Router': (app, hook, express) => app.use('/webhooks', express.Router().use('/messages', hook)),
  'a Router in a Router': (app, hook, express) =>
    app.use('/', express.Router().use('/webhooks', express.Router().post('/messages', hook))),
}

/** The places of the webhook among the middleware of an app, and what a delivery gets there. */
const ORDERS: [string, (app: App, express: Express, mount: () => void) => void, object][] = [
  [
    'first of all',
    (app, express, mount) => {
      mount()
      dress(app)
      app.use(express.json())
    },
    ACCEPTED,
  ],
  [
    'behind helmet, cors and compression, before the parser',
    (app, express, mount) => {
      dress(app)
      mount()
      app.use(express.json())
    },
    ACCEPTED,
  ],
  [
    'behind a parser that keeps the bytes',
    (app, express, mount) => {
      dress(app)
      app.use(express.json({ verify: keepRawBody }))
      mount()
    },
    ACCEPTED,
  ],
  [
    'behind a parser that does not',
    (app, express, mount) => {
      dress(app)
      app.use(express.json())
      mount()
    },
    PARSED,
  ],
]

describe.each(Object.entries(VERSIONS))('an app of %s', (_, express) => {
  describe.each(Object.entries(MOUNTS))('with the webhook under %s', (_, mount) => {
    describe.each(ORDERS)('%s', (_, order, expected) => {
      /** The rest of the app: another webhook beside ours, routes below it, and its own pages. */
      const shop = () =>
        hostOn(express, (app, hook) => {
          app.post('/webhooks/stripe', express.raw({ type: '*/*' }), (request, response) => {
            // Behind another parser there are no bytes left to keep, whatever the bot does.
            response.status(290).send(Buffer.isBuffer(request.body) ? request.body : JSON.stringify(request.body))
          })
          order(app, express, () => mount(app, hook, express))
          app.all('/webhooks/messages/:id', (request, response) => {
            response.status(291).json({ below: request.params['id'], body: request.body })
          })
          app.post('/orders', (request, response) => {
            response.status(292).json(request.body)
          })
          app.use((_request, response) => {
            response.status(294).end()
          })
        })

      it('a delivery gets its answer, with a final slash and a query too [R SIG-02, F-21]', async () => {
        const { post, rows, timers } = await shop()
        expect(await post()).toMatchObject(expected)
        const again = expected === ACCEPTED ? DUPLICATE : expected
        expect(await post(`${PATH}/`)).toMatchObject(again)
        expect(await post(`${PATH}?shop=1`)).toMatchObject(again)
        expect(await rows()).toBe(expected === ACCEPTED ? 1 : 0)
        expect(timers.waiting(DEADLINE_MS)).toBe(0)
      })

      it('a forged delivery gets its answer too [R SIG-04, F-12]', async () => {
        const { post, rows } = await shop()
        const headers = { 'x-service-signature': signatureOf(MESSAGE, { secret: 'whsec_other' }) }
        expect(await post(PATH, { headers })).toMatchObject(expected === ACCEPTED ? UNAUTHORIZED : expected)
        expect(await rows()).toBe(0)
      })

      it('the app keeps the paths beside and below, with bodies [F-39]', async () => {
        const { post, rows } = await shop()
        const message: unknown = JSON.parse(String(MESSAGE))
        expect(await post('/webhooks/stripe')).toMatchObject({ status: 290, body: String(MESSAGE) })
        const below = await post(`${PATH}/msg_1`)
        expect([below.status, JSON.parse(below.body)]).toEqual([291, { below: 'msg_1', body: message }])
        const orders = await post('/orders')
        expect([orders.status, JSON.parse(orders.body)]).toEqual([292, message])
        expect(await post('/webhooks')).toMatchObject({ status: 294 })
        expect(await rows()).toBe(0)
      })
    })
  })

  describe('middleware in front', () => {
    const dressed = () =>
      hostOn(express, (app, hook) => {
        dress(app)
        app.use(PATH, hook)
      })

    it('compression leaves the short answer readable [R SIG-09]', async () => {
      const { port } = await dressed()
      const post = () =>
        fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', headers: headersOf(MESSAGE), body: MESSAGE })
      for (const { status, body } of [ACCEPTED, DUPLICATE]) {
        const response = await post()
        expect(response.headers.get('content-encoding')).toMatch(/^(gzip|br)$/)
        expect([response.status, await response.text()]).toEqual([status, body])
      }
    })

    it('compression leaves errors readable, and HEAD too [R SIG-09]', async () => {
      const { port } = await dressed()
      const url = `http://127.0.0.1:${port}${PATH}`
      const refused = await fetch(url, { method: 'POST', body: MESSAGE })
      expect([refused.status, await refused.text()]).toEqual([401, UNAUTHORIZED.body])
      const large = await fetch(url, {
        method: 'POST',
        body: Buffer.alloc(1_048_577),
        headers: { ...headersOf(MESSAGE), connection: 'close' },
      })
      expect([large.status, await large.text()]).toEqual([413, '{"error":"too_large"}'])
      const head = await fetch(url, { method: 'HEAD' })
      expect([head.status, head.headers.get('allow'), await head.text()]).toEqual([405, 'POST', ''])
    })

    it('helmet and cors add their headers, and ours stay [R SIG-09]', async () => {
      const { post } = await dressed()
      expect(await post(PATH, { headers: { origin: 'https://shop.example' } })).toMatchObject({
        ...ACCEPTED,
        headers: {
          'content-type': 'application/json',
          'content-length': String(ACCEPTED.body.length),
          'x-content-type-options': 'nosniff',
          'access-control-allow-origin': '*',
        },
      })
    })

    it('cors in front answers a preflight itself; after the webhook it is 405 [F-39]', async () => {
      const preflight = {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
      }
      const front = await dressed()
      expect(await front.post(PATH, preflight)).toMatchObject({ status: 204 })
      const back = await hostOn(express, (app, hook) => {
        app.use(PATH, hook)
        dress(app)
      })
      expect(await back.post(PATH, preflight)).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    })

    it('a trusted proxy and its headers change nothing [R SIG-01, F-45]', async () => {
      const { post } = await hostOn(express, (app, hook) => {
        app.set('trust proxy', true)
        app.set('strict routing', true)
        app.set('case sensitive routing', true)
        app.use(PATH, hook)
      })
      const headers = { host: 'evil.example', 'x-forwarded-host': 'shop.example', 'x-forwarded-for': '203.0.113.9' }
      expect(await post(PATH, { headers })).toMatchObject(ACCEPTED)
      expect(await post(`${PATH}/`, { headers })).toMatchObject(DUPLICATE)
    })
  })
})
