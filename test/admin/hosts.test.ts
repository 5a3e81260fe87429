import { type IncomingMessage, request as ask, type RequestListener, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import helmet from 'helmet'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { adminPage } from '../../src/admin/admin.ts'
import { EVENT_STREAM, jsonAnswer } from '../../src/admin/admin-http.ts'
import type { State } from '../../src/admin/api.ts'
import { sendAnswer } from '../../src/admin/hosts.ts'
import { listenOn } from '../bot/inbox/adapters/http.ts'
import { dead, posted, useStage } from './stage.ts'

const at = useStage()
const listen = async (listener: RequestListener) => (await listenOn(listener)).url

/** A proxy that takes a prefix off, as nginx does with `location /ops/ { proxy_pass http://app/; }`. */
function stripping(prefix: string, to: string): RequestListener {
  return (request, response) => {
    const { hostname, port } = new URL(to)
    const path = (request.url ?? '').slice(prefix.length)
    const headers = { ...request.headers, 'x-forwarded-host': request.headers.host, host: 'app.internal' }
    request.pipe(
      ask({ hostname, port, path, method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }),
    )
  }
}

const page = () => adminPage(at.bot, { authorize: () => 'neema' })

/** The page's address in each host. */
const HOSTS: Readonly<Record<string, () => Promise<string>>> = {
  async 'Express at /admin'() {
    const app = express()
    app.use('/admin', page())
    return `${await listen(app)}/admin`
  },
  async 'Express 4, below a router, under helmet and behind body parsers'() {
    const [app, router] = [express4(), express4.Router()]
    app.use(helmet() as never, express4.json())
    router.use('/admin', page())
    app.use('/api/team', router)
    return `${await listen(app)}/api/team/admin`
  },
  async 'node:http below a path'() {
    const admin = page()
    return `${await listen((request, response) => admin(request, response))}/deep/admin`
  },
  async 'Hono, by the fetch standard'() {
    const app = new Hono()
    const admin = adminPage<Request>(at.bot, { authorize: () => 'neema' })
    app.all('/admin/*', (c) => admin.fetch(c.req.raw))
    app.all('/admin', (c) => admin.fetch(c.req.raw))
    // Files of the suite share their globals: others make a `Response` too.
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
    return `${await listen((request, response) => void listener(request, response))}/admin`
  },
  async 'Express behind a proxy with a prefix'() {
    const app = express()
    app.use('/admin', page())
    return `${await listen(stripping('/ops', await listen(app)))}/ops/admin`
  },
}

describe.each(Object.entries(HOSTS))('the admin page in %s', (_, mount) => {
  it('answers at its path with a slash, shows data and acts', async () => {
    const address = await mount()
    const landed = await fetch(address)
    expect(landed.url).toBe(`${address}/`)
    expect(landed.headers.get('content-type')).toMatch(/^text\/html/)
    expect(landed.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)

    const deliveries = [await dead(at.store)]
    const list = await fetch(`${address}/api/deliveries?state=dead`)
    expect(await list.json()).toMatchObject({ rows: [{ states: { dead: 1 } }] })

    const origin = new URL(address).origin
    const acted = await fetch(`${address}/api/act`, posted({ act: 'retry', deliveries }, { origin }))
    expect(await acted.json()).toEqual({ count: 1, untouched: [] })

    const state = (await (await fetch(`${address}/api/state`)).json()) as State
    expect(state.health.waiting.items).toBe(1)
  })
})

it('a path below the mount path in Express that is not the page’s goes to the app', async () => {
  const app = express()
  app.use('/admin', page())
  app.get('/admin/own', (_request, response) => void response.send('mine'))
  const address = await listen(app)
  expect(await (await fetch(`${address}/admin/own`)).text()).toBe('mine')
  expect((await fetch(`${address}/admin/other`)).status).toBe(404)
})

it('no path leads out of the page’s folder', async () => {
  const address = await listen(page())
  for (const path of ['/assets/..%2f..%2fpackage.json', '/..%2findex.js', '/assets/%2e%2e/index.js']) {
    const answer = await fetch(`${address}${path}`, { redirect: 'manual' })
    expect([404, 308]).toContain(answer.status)
  }
})

it('a browser that leaves before its answer costs nothing but that answer, and ends its stream', async () => {
  const gone = { destroyed: true } as ServerResponse
  const request = {} as IncomingMessage
  const answer = jsonAnswer({})
  // It has been read by then, and a locked stream that is cancelled is a rejection that nobody handles.
  const cancelled = vi.spyOn(answer.body as ReadableStream, 'cancel')
  await sendAnswer(request, gone, answer)
  expect(cancelled).not.toHaveBeenCalled()
  const ended = vi.fn<() => void>()
  const stream = new ReadableStream({ cancel: ended })
  await sendAnswer(request, gone, new Response(stream, { headers: { 'content-type': EVENT_STREAM } }))
  expect(ended).toHaveBeenCalledOnce()
})
