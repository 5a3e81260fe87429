import { createServer } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhook } from 'switchhook/express'
import { serve, webhook as listener } from 'switchhook/node'
import { botOn } from '../bot.ts'
import type { Line } from '../log.ts'
import { headersOf, MESSAGE, SECONDS, SECRET } from '../signing.ts'
import { appOn, HOSTS, PATH } from './hosts.ts'
import { ask, listenOn } from './http.ts'

const ACCEPTED = { status: 200, body: '{"status":"accepted"}' }
const NOT_FOUND = { status: 404, body: '{"error":"not_found"}' }
/** Each is another delivery: one that is posted twice may be captured, and need not count twice. */
const nth = (at: number) => headersOf(MESSAGE, { timestamp: SECONDS + at, delivery: `d${at}` })
const FORGED = headersOf(MESSAGE, { secret: 'whsec_of_a_stranger' })

async function serveOn(o: { path?: string; health?: string } = {}) {
  const on = botOn()
  const served = await serve(on.bot, { port: 0, ...o })
  onTestFinished(() => served.close())
  const port = Number(new URL(served.url).port)
  const post = (path: string, headers = headersOf(MESSAGE), body: Uint8Array = MESSAGE) =>
    ask(port, path, { headers, body })
  return { ...on, port, post }
}

const told = (lines: readonly Line[]) =>
  lines.filter(({ about }) => 'path' in about).map(({ level, about }) => ({ level, ...about }))

describe('serve', () => {
  it.each([
    [PATH, [`${PATH}/`, PATH.toUpperCase(), `${PATH}/?tenant=1`]],
    ['/Hooks/', ['/hooks', '/HOOKS/']],
    ['/', ['/', '/?x']],
  ])(
    'accepts deliveries at %s with and without a final slash, and in any case, as Express does',
    async (path, alike) => {
      const { post } = await serveOn({ path })
      expect(await post(path)).toMatchObject(ACCEPTED)
      for (const one of alike) expect(await post(one)).toMatchObject({ status: 200, body: '{"status":"duplicate"}' })
    },
  )

  it('answers probes at /Health/ too, and refuses a path for both', async () => {
    const { port } = await serveOn()
    expect(await ask(port, '/Health/', { method: 'GET' })).toMatchObject({ status: 200 })
    await expect(serve(botOn().bot, { port: 0, path: '/a', health: '/A/' })).rejects.toThrow(
      'health: expected another path',
    )
  })

  it('tells of a genuine delivery at another path, with the right one, and counts it towards the 20 failures', async () => {
    const { post, lines, failureCounts, counts, time } = await serveOn()
    for (let each = 0; each < 5; each++) expect(await post('/webhook/messages', nth(each))).toMatchObject(NOT_FOUND)
    expect(told(lines)).toEqual([{ level: 'error', path: '/webhook/messages', right: PATH, status: 404 }])
    expect(failureCounts().map(({ about }) => about['failures'])).toEqual([5])
    expect((await counts()).deliveries).toEqual({})
    time.now += 10_000
    await post('/webhook/messages')
    expect(told(lines).at(-1)).toMatchObject({ more: 4 })
  })

  it('acknowledges no delivery at the path of probes', async () => {
    const { post, lines } = await serveOn()
    expect(await post('/health')).toMatchObject(NOT_FOUND)
    expect(told(lines)).toEqual([{ level: 'error', path: '/health', right: PATH, status: 404 }])
  })

  it.each<[string, Record<string, string>, Uint8Array]>([
    ['a forgery', FORGED, MESSAGE],
    ['a signature that is none', { ...FORGED, 'x-service-signature': 'sha256=0' }, MESSAGE],
    ['an old delivery, posted again', headersOf(MESSAGE, { timestamp: 1_700_000_000 }), MESSAGE],
    ['a body of more than 64 KiB', headersOf(Buffer.alloc(65_537)), Buffer.alloc(65_537)],
  ])(
    'at another path: mentions %s in one line below warnings, which counts for nothing',
    async (_what, headers, body) => {
      const { post, lines, failureCounts, warnings } = await serveOn()
      for (let each = 0; each < 20; each++)
        expect(await post('/orders/255712345678', headers, body)).toMatchObject({ status: 404 })
      expect(told(lines)).toEqual([{ level: 'info', path: '/orders/…678', right: PATH }])
      expect([warnings(), failureCounts()]).toEqual([[], []])
    },
  )

  it('reads a body of up to 64 KiB for that, and says nothing of requests without the header', async () => {
    const { post, lines } = await serveOn()
    const large = Buffer.alloc(65_536, ' ')
    await post('/robots.txt', { 'content-type': 'application/json' })
    expect(told(lines)).toEqual([])
    await post('/other', headersOf(large), large)
    expect(told(lines)).toMatchObject([{ level: 'error' }])
  })
})

type Wire = Parameters<typeof appOn>[0]

describe.each(Object.entries({ 'Express 5': express5, 'Express 4': express4 }))('%s', (version, express) => {
  const serveApp = (wire: Wire, o: Parameters<typeof appOn>[1] = {}) => appOn(wire, { ...o, make: express })
  const everything = version === 'Express 5' ? '/*all' : '/*'

  const WRONG: Record<string, [wire: Wire, path: string, right: string]> = {
    'under a part of its path': [(app, hook) => app.use('/webhooks', hook), PATH, '/webhooks'],
    'in a router under another path': [
      (app, hook) => app.use('/api', express.Router().use('/in', hook)),
      `/api/in${PATH}`,
      '/api/in',
    ],
    'under the root': [(app, hook) => app.use(hook), PATH, '/'],
    'wrapped, under a wildcard': [
      (app, hook) => app.post(everything, (request, response, next) => hook(request, response, next)),
      PATH,
      PATH,
    ],
  }

  it.each(Object.entries(WRONG))(
    'mounted %s tells at once of a genuine delivery that passes it',
    async (_how, mounted) => {
      const [wire, path, right] = mounted
      const { post, lines, failureCounts } = await serveApp(wire)
      expect(await post(path)).toMatchObject({ status: 404 })
      await expect.poll(() => told(lines)).toEqual([{ level: 'error', path, right, status: 404 }])
      for (let each = 1; each < 5; each++) await post(path, { headers: nth(each) })
      await expect.poll(failureCounts).toHaveLength(1)
    },
  )

  it('leaves the body to the app, and tells of a genuine delivery that the app acknowledged', async () => {
    const { post, lines } = await serveApp((app, hook) => {
      app.use('/webhooks', hook)
      app.use((_request, _response, next) => void setImmediate(next))
      app.use(express.json(), (request, response) => void response.json(request.body))
    })
    expect(JSON.parse((await post(PATH)).body)).toEqual(JSON.parse(MESSAGE.toString()))
    await expect.poll(() => told(lines)).toEqual([{ level: 'error', path: PATH, right: '/webhooks', status: 200 }])
  })

  it('mentions a forgery there in a line below warnings, and is silent about the app’s own requests', async () => {
    const { post, lines } = await serveApp((app, hook) => app.use('/webhooks', hook))
    expect(await post(PATH, { headers: { 'x-service-signature': undefined } })).toMatchObject({ status: 404 })
    expect(await post(PATH, { headers: FORGED })).toMatchObject({ status: 404 })
    await expect.poll(() => told(lines)).toEqual([{ level: 'info', path: PATH, right: '/webhooks' }])
  })

  it('is silent about a delivery that another mount of the bot takes', async () => {
    const { post, lines } = await serveApp((app, hook) => {
      app.use('/webhooks', hook)
      app.use(PATH, hook)
    })
    expect(await post(PATH)).toMatchObject(ACCEPTED)
    expect(await post('/webhooks', { headers: headersOf(MESSAGE, { delivery: 'another' }) })).toMatchObject({
      status: 200,
    })
    expect(told(lines)).toEqual([])
  })

  it('with a number for each endpoint tells of a delivery below one, by the secret of that number', async () => {
    const on = botOn({
      options: { numbers: { find: async (name) => (name === 'shop' ? { signingSecret: SECRET } : null) } },
    })
    await on.bot.start()
    const app = express()
    app.use('/in/:number', webhook(on.bot, { number: (request) => request.params['number'] }))
    const { port } = await listenOn(app)
    expect(await ask(port, '/in/shop/messages', { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject({
      status: 404,
    })
    await expect
      .poll(() => told(on.lines))
      .toMatchObject([{ level: 'error', path: '/in/shop/messages', right: '/in/shop' }])
  })
})

describe('a webhook that gets requests which are no deliveries, as under a wildcard', () => {
  const EVERYTHING = Object.entries(HOSTS).filter(([name]) => name.includes('app') || name.includes('fetch'))
  EVERYTHING.push([
    'switchhook/express',
    async (bot) => {
      await bot.start()
      return (await listenOn(express5().use('/*all', webhook(bot)))).port
    },
  ])

  it.each(EVERYTHING)('tells at the first one how to mount it: %s', async (_adapter, start) => {
    const { bot, lines } = botOn()
    const port = await start(bot)
    await ask(port, '/orders', { body: MESSAGE })
    await ask(port, '/orders/7', { method: 'GET' })
    const own = lines.filter(({ message }) => message.includes('mount webhook(bot) at one exact path'))
    expect(own.map(({ level }) => level)).toEqual(['warn', 'info'])
  })
})

describe('a framework that answers itself, as Koa does without ctx.respond = false', () => {
  /** As Koa: 404 is the status until the app sets another one, and the answer is sent when the middleware has returned. */
  async function koaOn(status: number) {
    const on = botOn()
    await on.bot.start()
    const receive = listener(on.bot)
    const server = createServer((request, response) => {
      response.statusCode = status
      receive(request, response)
      void Promise.resolve().then(() => response.end('from the framework'))
    })
    const { port } = await listenOn(server)
    return { ...on, post: (headers = headersOf(MESSAGE)) => ask(port, PATH, { headers, body: MESSAGE }) }
  }

  it('is reported at the first delivery, and each counts towards the 20 failures', async () => {
    const { post, lines, failureCounts } = await koaOn(404)
    for (let each = 0; each < 5; each++) expect(await post(nth(each))).toMatchObject({ status: 404 })
    await expect.poll(() => failureCounts().map(({ about }) => about['failures'])).toEqual([5])
    const own = lines.filter(({ message }) => message.includes('ctx.respond = false'))
    expect(own).toMatchObject([{ level: 'error', about: { status: 404 } }])
  })

  it('is reported although the service takes its answer for an acknowledgement', async () => {
    const { post, line, failureCounts } = await koaOn(200)
    for (let each = 0; each < 6; each++) expect(await post(nth(each))).toMatchObject({ status: 200 })
    expect(await line(({ message }) => message.includes('ctx.respond = false'))).toMatchObject({ level: 'error' })
    expect(failureCounts()).toEqual([])
  })

  it('is not reported for a forgery', async () => {
    const { post, line, lines } = await koaOn(404)
    await post(FORGED)
    await line(({ about }) => about['reason'] === 'mismatch')
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})
