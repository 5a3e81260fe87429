import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SwitchhookError } from 'switchhook'
import { serve } from 'switchhook/node'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE } from '../signing.ts'
import { manualTimers } from '../time.ts'
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
  it.each(['/', `${PATH}/below`, `${PATH}x`])(
    'answers another path with 404, even if the request is signed: %s [F-39]',
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

  it('allows 30 s for a request, where Node alone would wait minutes, and keeps idle connections longer than balancers do [F-37]', async () => {
    const { post } = await serveOn()
    const servers = new Set<Server>()
    const note = (message: unknown) => void servers.add((message as { server: Server }).server)
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
    expect(await post()).toMatchObject(OURS)
    const [server] = [...servers]
    expect(server?.requestTimeout).toBe(30_000)
    expect(server?.keepAliveTimeout).toBeGreaterThan(60_000)
    expect(server?.headersTimeout).toBeGreaterThan(server?.keepAliveTimeout ?? Infinity)
  })

  it('accepts another path, a query, and the address in the form that proxies use [R SIG-02]', async () => {
    const { post, served } = await serveOn({ path: '/hooks/in' })
    expect(served.url).toMatch(/\/hooks\/in$/)
    expect(await post('/hooks/in?tenant=1')).toMatchObject(OURS)
    expect(await post('http://shop.example/hooks/in')).toMatchObject({ status: 200 })
    expect(await post(PATH)).toMatchObject({ status: 404 })
  })

  it('answers probes at /health, or at another path, with 200 while deliveries can be stored [R DEL-02]', async () => {
    const { post } = await serveOn()
    const asked = { method: 'GET', body: undefined, headers: {} }
    expect(await post('/health', asked)).toMatchObject({
      status: 200,
      body: '{"status":"ready","oldestWaitingSeconds":0,"role":"both"}',
    })
    const other = await serveOn({ health: '/up' })
    expect(await other.post('/up?from=probe', asked)).toMatchObject({ status: 200 })
    expect(await other.post('/health', asked)).toMatchObject({ status: 404 })
  })

  it('lets handlers finish within 8 s, or within drain, and releases the others [R DEL-02, F-58]', async () => {
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
  })

  it.each<[string, object]>([
    ['path', { path: 'hooks' }],
    ['path', { path: '/hooks?x=1' }],
    ['health', { health: PATH }],
    ['port', { port: 65_536 }],
    ['host', { host: '127.0.0.1' }],
    ['drain', { drain: 'soon' }],
  ])('refuses a wrong option by name, and opens nothing: %s %j [R SIG-02, R DEL-02]', async (name, wrong) => {
    const on = botOn()
    const listeners = signalListeners()
    await expect(serve(on.bot, { port: 0, ...wrong })).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining(name),
    })
    expect(on.isOpen()).toBe(false)
    expect(signalListeners()).toBe(listeners)
  })

  it('names a port in use, and leaves nothing open [R DEL-02]', async () => {
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

  it('closes: stops listening, closes the store and removes the signal handlers; a second call waits for the first [R DEL-02]', async () => {
    const listeners = signalListeners()
    const { served, post, isOpen } = await serveOn()
    expect(signalListeners()).toBe(listeners + 2)
    expect(await post()).toMatchObject(OURS)
    await Promise.all([served.close(), served.close()])
    expect(isOpen()).toBe(false)
    expect(signalListeners()).toBe(listeners)
    await expect(post()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('closes without waiting for idle connections [R DEL-02, F-37]', async () => {
    const { served, port } = await serveOn()
    const [fresh, kept] = [await dial(port), await dial(port)]
    kept.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE)
    expect(await kept.answer()).toMatchObject(OURS)
    await served.close()
    await Promise.all([fresh.rest(), kept.rest()])
  })
})

describe('after a signal, in this process', () => {
  /** The exits of this process that the signal would have caused. Nobody else listens for it meanwhile. */
  function signalled() {
    const others = process.listeners('SIGTERM')
    process.removeAllListeners('SIGTERM')
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
    onTestFinished(() => {
      exit.mockRestore()
      for (const one of others) process.on('SIGTERM', one)
    })
    return { exit, signal: () => void process.emit('SIGTERM', 'SIGTERM') }
  }
  const stopped = ({ message }: { message: string }) => message === 'stopped'
  const LIVES_ON = expect.stringContaining('The process lives on')

  it('serve ends the process when both of its bots have stopped, and not before [R DEL-02]', async () => {
    const { exit, signal } = signalled()
    let end = () => {}
    const begun = Promise.withResolvers<void>()
    const first = await serveOn({
      routes: (bot) =>
        bot.otherwise(async () => {
          begun.resolve()
          await new Promise<void>((resolve) => (end = resolve))
        }),
    })
    const second = await serveOn()
    await first.post()
    await begun.promise
    signal()
    await second.line(stopped)
    await second.served.close()
    await new Promise(setImmediate)
    expect(exit).not.toHaveBeenCalled()
    end()
    await expect.poll(() => exit.mock.calls).toEqual([[], []])
  })

  it('serve leaves the end to an app that listens once, and did before it, also if the signal comes twice [R DEL-02]', async () => {
    const { exit, signal } = signalled()
    process.once('SIGTERM', () => {})
    const { lines } = await serveOn()
    signal()
    signal()
    await expect.poll(() => lines.map(({ message }) => message)).toContainEqual(LIVES_ON)
    expect(exit).not.toHaveBeenCalled()
  })
})
