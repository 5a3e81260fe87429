import express5 from 'express'
import express4 from 'express4'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { createBot, SwitchhookError } from 'switchhook'
import { health, webhook } from 'switchhook/express'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE, SECRET } from '../signing.ts'
import { appOn, PATH } from './hosts.ts'

const OURS = { status: 200, body: '{"status":"accepted"}' }

const VERSIONS = { 'Express 5': express5, 'Express 4': express4 }
type Wire = Parameters<typeof appOn>[0]

describe.each(Object.entries(VERSIONS))('%s', (_, express) => {
  const serve = (wire: Wire) => appOn(wire, { make: express })

  const STYLES: Record<string, Wire> = {
    'app.use(path, …)': (app, hook) => app.use(PATH, hook),
    'app.post(path, …)': (app, hook) => app.post(PATH, hook),
    'app.post(path, limiter, …)': (app, hook) => app.post(PATH, (_request, _response, next) => next(), hook),
    'app.post([paths], …)': (app, hook) => app.post([PATH, '/other'], hook),
    'app.post(pattern, …)': (app, hook) => app.post('/webhooks/:kind', hook),
    'app.post(expression, …)': (app, hook) => app.post(/^\/webhooks\/messages$/, hook),
    'app.use(prefix, router.use(path, …))': (app, hook) =>
      app.use('/webhooks', express.Router().use('/messages', hook)),
    'app.use(prefix, router.post(path, …))': (app, hook) =>
      app.use('/webhooks', express.Router().post('/messages', hook)),
    'app.post(path, wrapped)': (app, hook) =>
      app.post(PATH, (request, response, next) => hook(request, response, next)),
    'app.post(pattern, wrapped)': (app, hook) =>
      app.post('/webhooks/:kind', (request, response, next) => hook(request, response, next)),
  }

  it.each(Object.entries(STYLES))(
    'receives deliveries under %s, with a query and a final slash too, and leaves other paths to the app [R SIG-02, F-39]',
    async (style, wire) => {
      const { post, counts } = await serve((app, hook) => {
        wire(app, hook)
        app.use((request, response) => {
          response.status(299).send(`the app: ${request.method} ${request.originalUrl}`)
        })
      })
      const others = [`${PATH}/below?x`, '/webhooks', `/x${PATH}`]
      if (!style.includes('pattern')) others.push(`${PATH}x`)
      for (const path of others) expect(await post(path)).toMatchObject({ status: 299, body: `the app: POST ${path}` })
      expect((await counts()).deliveries).toEqual({})
      expect(await post(PATH)).toMatchObject(OURS)
      for (const path of [`${PATH}?tenant=1&x=/y`, ...(style.includes('expression') ? [] : [`${PATH}/`])])
        expect(await post(path)).toMatchObject({ status: 200, body: '{"status":"duplicate"}' })
    },
  )

  it('a route below the mount path is reached with its body untouched [F-39]', async () => {
    const { post } = await serve((app, hook) => {
      app.use(PATH, hook)
      app.use(express.json())
      app.post(`${PATH}/stripe`, (request, response) => {
        response.json({ stripe: request.body })
      })
    })
    const { body } = await post(`${PATH}/stripe`)
    expect(JSON.parse(body)).toEqual({ stripe: JSON.parse(MESSAGE.toString()) })
  })

  it('a route for everything, passed before, does not make it answer paths below [F-39]', async () => {
    const { post } = await serve((app, hook) => {
      app.all(/.*/, (_request, _response, next) => next())
      app.use('/webhooks', hook)
      app.post('/webhooks/stripe', (_request, response) => {
        response.status(299).end('stripe')
      })
    })
    expect(await post('/webhooks/stripe')).toMatchObject({ status: 299, body: 'stripe' })
    expect(await post('/webhooks')).toMatchObject(OURS)
  })

  it('under the root it answers only the root [R GEN-09, F-39]', async () => {
    const { post } = await serve((app, hook) => {
      app.use(hook)
      app.post('/orders', (_request, response) => {
        response.status(299).end()
      })
    })
    expect(await post('/orders')).toMatchObject({ status: 299 })
    expect(await post('/')).toMatchObject(OURS)
  })

  it.each(['GET', 'HEAD'])('under app.post(path, …) leaves %s to the app [F-39]', async (method) => {
    const { post } = await serve((app, hook) => {
      app.post(PATH, hook)
      app.use((_request, response) => {
        response.status(299).end()
      })
    })
    expect(await post(PATH, { method })).toMatchObject({ status: 299 })
  })

  it('a response that the app has begun is left to the app [R SIG-09]', async () => {
    let end = () => {}
    const { post, line } = await serve((app, hook) => {
      app.use((_request, response, next) => {
        response.status(299).write('begun, ')
        end = () => response.end('ended')
        next()
      })
      app.use(PATH, hook)
    })
    const answer = post(PATH)
    await line(({ message }) => message === 'delivery stored')
    setImmediate(end)
    expect(await answer).toMatchObject({ status: 299, body: 'begun, ended' })
  })
})

describe('health', () => {
  it('is 200 while deliveries can be stored, and 503 otherwise [R DEL-02]', async () => {
    const on = botOn()
    const client = supertest(express5().get('/health', health(on.bot)))
    const unavailable = { status: 'unavailable', oldestWaitingSeconds: 0 }
    await client.get('/health').expect(503, unavailable)
    await on.bot.start()
    await client
      .get('/health')
      .expect('content-type', 'application/json')
      .expect(200, { status: 'ready', oldestWaitingSeconds: 0, role: 'both' })
    await client.head('/health').expect(200)
    await on.bot.stop()
    await client.get('/health').expect(503, unavailable)
  })

  it('cannot be changed by a stranger: a signature that cannot be verified yet does not count as a full store [R DEL-02]', async () => {
    const unknown = () => Promise.reject(new Error('no vault here'))
    const on = botOn({ options: { numbers: { one: { signingSecret: SECRET }, two: { signingSecret: unknown } } } })
    await on.bot.start()
    const client = supertest(express5().get('/health', health(on.bot)).use('/webhooks', webhook(on.bot)))
    const forged = headersOf(MESSAGE, { secret: 'whsec_of_a_stranger' })
    await client.post('/webhooks').set(forged).send(MESSAGE.toString()).expect(503)
    await client.get('/health').expect(200)
  })
})

it.each([{}, Object.create(createBot()) as object])(
  'a value that is not a bot is refused by name when it is mounted: %# [R SIG-08]',
  (value) => {
    for (const mount of [webhook, health]) {
      expect(() => mount(value)).toThrow(SwitchhookError)
      expect(() => mount(value)).toThrow(/createBot\(\)/)
    }
  },
)
