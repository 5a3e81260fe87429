import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SwitchhookError } from 'switchhook'
import { serve } from 'switchhook/node'
import { botOn } from '../receive/bot.ts'
import { headersOf, MESSAGE } from '../receive/signing.ts'
import { manualTimers } from '../receive/time.ts'
import { ask, dial, head } from './http.ts'

const PATH = '/webhooks/messages'
const OURS = { status: 200, body: '{"status":"accepted"}' }

type ServeOptions = Pick<NonNullable<Parameters<typeof serve>[1]>, 'path' | 'health' | 'drain'>

async function serveOn({ path, health, drain, ...o }: Parameters<typeof botOn>[0] & ServeOptions = {}) {
  const on = botOn(o)
  const given = Object.entries({ path, health, drain }).filter(([, value]) => value !== undefined)
  const served = await serve(on.bot, { port: 0, ...(Object.fromEntries(given) as ServeOptions) })
  onTestFinished(() => served.close())
  const port = Number(new URL(served.url).port)
  const post = (path: string = PATH, more: Parameters<typeof ask>[2] = {}) =>
    ask(port, path, { headers: headersOf(MESSAGE), body: MESSAGE, ...more })
  return { ...on, served, port, post }
}

const signalListeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')

describe('serve', () => {
  it('starts the bot, and gives the address at which deliveries are received [R DEL-02]', async () => {
    const { served, isOpen } = await serveOn()
    expect(isOpen()).toBe(true)
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks\/messages$/)
    const { pathname, port } = new URL(served.url)
    expect(await ask(Number(port), pathname, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject({
      ...OURS,
      headers: { 'content-type': 'application/json', 'content-length': '21' },
    })
  })

  it.each(['/', '/other', `${PATH}/`, `${PATH}/below`, `${PATH}x`, `/x${PATH}`, PATH.toUpperCase(), '//', `/.${PATH}`])(
    'another path is 404, though it is signed: %s [F-39]',
    async (path) => {
      const { post, counts } = await serveOn()
      expect(await post(path)).toMatchObject({
        status: 404,
        body: '{"error":"not_found"}',
        headers: { 'content-type': 'application/json' },
      })
      expect((await counts()).deliveries).toEqual({})
    },
  )

  it('gives a head 10 s and a whole request 30 s, where Node alone would wait minutes [F-37]', async () => {
    const { post } = await serveOn()
    const servers = new Set<Server>()
    const note = (message: unknown) => void servers.add((message as { server: Server }).server)
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
    expect(await post()).toMatchObject(OURS)
    const [server] = [...servers]
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 30_000 })
  })

  it('takes a path of its own, a query, and the address in the form that proxies use [R SIG-02]', async () => {
    const { post, served } = await serveOn({ path: '/hooks/in' })
    expect(served.url).toMatch(/\/hooks\/in$/)
    expect(await post('/hooks/in?tenant=1')).toMatchObject(OURS)
    expect(await post('http://shop.example/hooks/in')).toMatchObject({ status: 200 })
    expect(await post(PATH)).toMatchObject({ status: 404 })
  })

  it('answers probes at /health, or at a path of its own, as long as deliveries can be stored [R DEL-02]', async () => {
    const { post } = await serveOn()
    const asked = { method: 'GET', body: undefined, headers: {} }
    expect(await post('/health', asked)).toMatchObject({
      status: 200,
      body: '{"status":"ready","oldestWaitingSeconds":0,"role":"both"}',
    })
    const other = await serveOn({ health: '/up' })
    expect(await other.post('/up?from=probe', asked)).toMatchObject({ status: 200 })
    expect(await other.post('/health', asked)).toMatchObject({ status: 404 })
    for (const health of ['up', PATH])
      await expect(serve(botOn().bot, { port: 0, health })).rejects.toMatchObject({
        code: 'options_invalid',
        message: expect.stringContaining('health'),
      })
  })

  it('lets handlers end for 8 s, or for as long as it is told, and gives back what runs on [R DEL-02, F-58]', async () => {
    const spans: number[] = []
    for (const [drain, ms] of [
      [undefined, 6_000],
      ['20s', 18_000],
    ] as const) {
      const time = manualTimers()
      const after: typeof time.timers.after = (span, run) => {
        spans.push(span)
        return time.timers.after(span, run)
      }
      const { served } = await serveOn({ ...(drain && { drain }), overrides: { timers: { ...time.timers, after } } })
      spans.length = 0
      await served.close()
      expect(spans).toContain(ms)
    }
    await expect(serve(botOn().bot, { port: 0, drain: 'soon' as '1s' })).rejects.toMatchObject({
      code: 'options_invalid',
    })
  })

  it('logs one line at the start and one at the stop: version, database, routes and what waits', async () => {
    const { served, post, lines } = await serveOn({
      routes: (bot) => bot.otherwise(() => {}).on('contact.updated', () => {}),
    })
    const said = (message: string) => lines.filter((line) => line.message === message)
    expect(said('started')).toMatchObject([
      {
        level: 'info',
        about: {
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          database: ':memory:',
          routes: 2,
          waiting: { deliveries: 0, items: 0, sends: 0 },
        },
      },
    ])
    expect(await post()).toMatchObject(OURS)
    await served.close()
    expect(said('stopped')).toMatchObject([
      {
        level: 'info',
        about: {
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          routes: 2,
          waiting: expect.objectContaining({ sends: 0 }),
        },
      },
    ])
  })

  it.each(['GET', 'PUT', 'OPTIONS', 'DELETE'])('answers %s with 405 and Allow [F-39]', async (method) => {
    const { post } = await serveOn()
    expect(await post(PATH, { method, body: undefined })).toMatchObject({
      status: 405,
      body: '{"error":"method_not_allowed"}',
      headers: { allow: 'POST', 'content-type': 'application/json' },
    })
  })

  it('answers HEAD with 405 and no body [F-39]', async () => {
    const { post } = await serveOn()
    expect(await post(PATH, { method: 'HEAD', body: undefined })).toMatchObject({ status: 405, body: '' })
  })

  it('answers a slow body with 408 at the deadline [R SIG-02, F-37]', async () => {
    const time = manualTimers()
    const { port } = await serveOn({ overrides: { timers: time.timers } })
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 5))
    await time.set(10_000)
    time.pass(10_000)
    expect(await wire.answer()).toMatchObject({ status: 408, headers: { connection: 'close' } })
    await wire.rest()
  })

  it('refuses with the constant body [R SIG-04, F-44]', async () => {
    const { post } = await serveOn()
    expect(await post(PATH, { headers: {} })).toMatchObject({ status: 401, body: '{"error":"unauthorized"}' })
    expect(await post(PATH, { headers: { ...headersOf(MESSAGE), 'content-encoding': 'br' } })).toMatchObject({
      status: 415,
      body: '{"error":"unsupported_encoding"}',
    })
  })

  it.each(['hooks', '', '/hooks?x=1', '/hooks#x', 'http://shop.example/hooks', '/a b'])(
    'refuses a path on which nothing could ever come, by name: %j [R SIG-02]',
    async (path) => {
      const on = botOn()
      await expect(serve(on.bot, { port: 0, path })).rejects.toMatchObject({
        code: 'options_invalid',
        message: expect.stringContaining('path'),
      })
      expect(on.isOpen()).toBe(false)
    },
  )

  it.each([-1, 65_536, 1.5, Number.NaN])('refuses an invalid port, by name: %j [R SIG-02]', async (port) => {
    const on = botOn()
    const listeners = signalListeners()
    await expect(serve(on.bot, { port })).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('port'),
    })
    expect(on.isOpen()).toBe(false)
    expect(signalListeners()).toBe(listeners)
  })

  it('refuses an unknown option by name: an ignored host would be open to all [R DEL-02]', async () => {
    const on = botOn()
    await expect(serve(on.bot, { port: 0, host: '127.0.0.1' } as { port: number })).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('host: serve() has no such option'),
    })
    expect(on.isOpen()).toBe(false)
  })

  it('a port in use is named, and nothing is left open [R DEL-02]', async () => {
    const occupant = createServer()
    await new Promise<void>((resolve) => {
      occupant.listen(0, resolve)
    })
    onTestFinished(() => void occupant.close())
    const { port } = occupant.address() as AddressInfo
    const on = botOn()
    const listeners = signalListeners()
    const error: unknown = await serve(on.bot, { port }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SwitchhookError)
    expect(error).toMatchObject({ code: 'port_in_use', message: expect.stringContaining(String(port)) })
    expect(on.isOpen()).toBe(false)
    expect(signalListeners()).toBe(listeners)
  })

  it('a bot that cannot start listens nowhere [R DEL-02]', async () => {
    const on = botOn({ options: { accessToken: 'token' } })
    const listeners = signalListeners()
    await expect(serve(on.bot, { port: 0 })).rejects.toMatchObject({ code: 'environment_missing' })
    expect(signalListeners()).toBe(listeners)
  })

  it('close stops listening, closes the store and removes the signal handlers; a second call waits for the first [R DEL-02]', async () => {
    const listeners = signalListeners()
    const { served, post, isOpen } = await serveOn()
    expect(signalListeners()).toBe(listeners + 2)
    expect(await post()).toMatchObject(OURS)
    await Promise.all([served.close(), served.close()])
    expect(isOpen()).toBe(false)
    expect(signalListeners()).toBe(listeners)
    await expect(post()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('close does not wait for idle connections [R DEL-02, F-37]', async () => {
    const { served, port } = await serveOn()
    const [fresh, kept] = [await dial(port), await dial(port)]
    kept.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE)
    expect(await kept.answer()).toMatchObject(OURS)
    await served.close()
    await Promise.all([fresh.rest(), kept.rest()])
  })

  it('a delivery that comes while handlers end is stored and answered, on a connection that closes [R DEL-02, F-58]', async () => {
    let end = () => {}
    const begun = Promise.withResolvers<void>()
    const { served, post, counts } = await serveOn({
      routes: (routes) =>
        routes.otherwise(async () => {
          begun.resolve()
          await new Promise<void>((resolve) => {
            end = resolve
          })
        }),
    })
    expect(await post()).toMatchObject(OURS)
    await begun.promise
    const closing = served.close()
    const late = headersOf(MESSAGE, {
      delivery: 'late',
      timestamp: Number(headersOf(MESSAGE)['x-service-timestamp']) + 1,
    })
    const answer = await post(PATH, { headers: late })
    const stored = (await counts()).deliveries
    end()
    await closing
    expect(answer).toMatchObject({ ...OURS, headers: { connection: 'close' } })
    expect(stored).toEqual({ stored: 2 })
  })
})
