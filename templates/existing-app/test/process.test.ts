/** The app as a process, beside an emulator of the service, over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { createEmulator } from 'switchhook/emulator'
import { templates } from '../dev/templates.ts'
import { TEMPLATES, WORDS } from '../src/words.ts'

let app: ChildProcess
afterEach(() => void app.kill('SIGKILL'))

it('answers a customer behind a JSON parser, reports an order, and stops on a signal', {
  timeout: 30_000,
}, async () => {
  await using emulator = await createEmulator()
  for (const template of templates) await emulator.templates.add(template)
  app = start({
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_DATABASE: ':memory:',
    PORT: '0', // any that is free
  })
  const url = (await says(app, /listens at (\S+)/))[1] ?? ''
  await emulator.subscriptions.register({ url: `${url}/webhooks/messages`, secret: emulator.signingSecret })
  const post = (path: string) => fetch(url + path, { method: 'POST' }).then(({ status }) => status)
  const asha = emulator.customer('255712000101')
  const shows = (text: string) =>
    vi.waitFor(async () => expect((await asha.thread()).at(-1)?.text).toBe(text), { timeout: 10_000 })

  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect(await post('/webhooks/payments')).toBe(200)
  expect(await post('/orders/7781/ready')).toBe(202)
  await shows(TEMPLATES.order_ready.replace('{{1}}', '7781'))
  await asha.says('7781')
  await shows(WORDS.order('7781', WORDS.states.ready))

  app.kill('SIGTERM')
  expect(await once(app, 'exit')).toEqual([0, null])
})

it('ends with the reason where its port is taken', { timeout: 30_000 }, async () => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  app = start({
    SWITCHHOOK_BASE_URL: 'http://127.0.0.1:1',
    SWITCHHOOK_ACCESS_TOKEN: 'any',
    SWITCHHOOK_SIGNING_SECRET: 'any',
    SWITCHHOOK_DATABASE: ':memory:',
    PORT: String((other.address() as AddressInfo).port),
  })
  await says(app, /EADDRINUSE/)
  expect(app.exitCode ?? (await once(app, 'exit'))[0]).toBe(1)
  other.close()
})

it('says what its environment lacks, and does not start', { timeout: 30_000 }, async () => {
  app = start({ SWITCHHOOK_BASE_URL: 'https://service.example', PORT: 'http' })
  const [told] = await says(app, /complete[\s\S]*PORT .*\n/)
  expect(told).toContain('SWITCHHOOK_ACCESS_TOKEN is missing')
  expect(told).toContain('SWITCHHOOK_SIGNING_SECRET is missing')
  expect(told).toContain('PORT must be a number')
  expect(app.exitCode ?? (await once(app, 'exit'))[0]).toBe(1)
})

function start(environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['src/main.ts'], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** What the process says when it says that. */
async function says(app: ChildProcess, what: RegExp): Promise<RegExpExecArray> {
  let heard = ''
  for await (const chunk of app.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    heard += chunk
    const found = what.exec(heard)
    if (found) return found
  }
  throw new Error(`the app ended without saying ${what}; it said: ${heard}`)
}
