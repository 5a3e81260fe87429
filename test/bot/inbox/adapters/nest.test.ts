import { readFileSync } from 'node:fs'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBot } from 'switchhook'
import { webhook } from 'switchhook/express'
import { expectConformance } from '../../../examples/beside-emulator.ts'
import { headersOf, MESSAGE, SECRET } from '../signing.ts'
import { PATH } from './hosts.ts'
import { ask, listenOn } from './http.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

/**
 * An app in the order of Nest over Express: what the program mounts with `app.use` after `NestFactory.create`, then, in
 * `listen`, the parsers of JSON and of forms, the controllers, and an answer to what is not found.
 */
async function nestOn(mount: (app: express.Express, hook: RequestHandler) => unknown) {
  const bot = createBot({ signingSecret: SECRET, database: ':memory:', logger: false })
  await bot.start()
  onTestFinished(() => bot.stop({ drain: 0 }))
  const app = express()
  mount(app, webhook(bot) as RequestHandler)
  app.use(express.json(), express.urlencoded({ extended: true }))
  app.post('/api/orders', (request, response) => void response.json(request.body))
  app.use((_request, response) => void response.status(404).json({ statusCode: 404 }))
  return listenOn(app)
}

describe('the recipe for Nest: app.use(path, webhook(bot)) on an untouched app', () => {
  it('passes the conformance checks, and leaves forms and JSON to the app [R SIG-02]', async () => {
    const { url, port } = await nestOn((app, hook) => app.use(PATH, hook))
    await expectConformance({ url, emulator: { signingSecret: SECRET } })
    const form = await ask(port, '/api/orders', { headers: FORM, body: Buffer.from('item[name]=Maji&count=2') })
    expect(JSON.parse(form.body)).toEqual({ item: { name: 'Maji' }, count: '2' })
    const json = await ask(port, '/api/orders', { headers: JSON_TYPE, body: Buffer.from('{"count":2}') })
    expect(JSON.parse(json.body)).toEqual({ count: 2 })
    expect(await ask(port, '/api/none', { body: Buffer.from('x') })).toMatchObject({ status: 404 })
  })

  it('is the one of docs/mounting.md', () => {
    const page = readFileSync(new URL('../../../../docs/mounting.md', import.meta.url), 'utf8')
    const recipe = page.slice(page.indexOf('### Nest'), page.indexOf('Nest on Fastify'))
    expect(recipe).toContain(`app.use('${PATH}', webhook(bot))`)
    expect(recipe).not.toMatch(/bodyParser: false|express\.json/)
    expect(recipe).toContain('before `listen`')
  })

  it('behind the parsers, a delivery is a configuration error: the order is what the recipe is about', async () => {
    const { port } = await nestOn((app, hook) => {
      app.use(express.json(), express.urlencoded({ extended: true }))
      app.use(PATH, hook)
    })
    expect(await ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject({ status: 500 })
  })
})
