import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { compile } from '../support/compile.ts'
import { writeFixtures } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { listening } from '../support/listening.ts'
import { type Ended, run, startSwitchhook, switchhook } from './support.ts'

const root = resolve(import.meta.dirname, '../..')
const PAGE = readFileSync(join(root, 'docs/payloads.md'), 'utf8')
const walk = PAGE.slice(PAGE.indexOf('## From the first delivery'), PAGE.indexOf('## The lock'))
const blocks = [...walk.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language = '', code = '']) => ({
  language,
  code,
}))
const ofLanguage = (language: string) => blocks.filter((block) => block.language === language).map(({ code }) => code)

const [bot = ''] = ofLanguage('ts')
const [shown = ''] = ofLanguage('')
const [handler = '', test = ''] = ofLanguage('typescript')
const [look, lock, bringBack, update, types, fixtures] = ofLanguage('sh').map((code) =>
  code
    .trim()
    .split('\n')
    .map((line) => line.replace(/^npx switchhook /, '').split(' ')),
)

const MAIN = `import { serve } from 'switchhook/node'
import { bot } from './bot.ts'
await serve(bot, { port: Number(process.env['PORT']) })
`

/** Payloads of a service that says who wrote at a place that nobody can be certain of. */
const received = (facts: object, message: object) => {
  const { phone_number, message: at } = { phone_number: 'data.conversation.phone_number', message: 'data.message' }
  return {
    event: 'message.received',
    facts: { customer: phone_number, messageId: `${at}.id`, kind: `${at}.type`, at: `${at}.timestamp`, ...facts },
    payload: {
      event: 'message.received',
      data: {
        conversation: { phone_number: '255712000301', language: 'sw' },
        message: { id: 'm-1', ...message, timestamp: 1772615721 },
      },
    },
  }
}
const SERVICE = [
  received({ text: 'data.message.body' }, { type: 'text', body: 'Habari' }),
  received(
    {
      'tapped.id': 'data.message.interactive.button_reply.id',
      'tapped.title': 'data.message.interactive.button_reply.title',
    },
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'a', title: 'A' } } },
  ),
  received(
    { 'media.url': 'data.message.image.url' },
    { type: 'image', image: { url: 'https://media.example.test/1' } },
  ),
  {
    event: 'message.status',
    facts: { messageId: 'data.message_id', customer: 'data.recipient', status: 'data.status', at: 'data.timestamp' },
    payload: {
      event: 'message.status',
      data: { message_id: 'm-2', recipient: '255712000301', status: 'sent', timestamp: 1772615721 },
    },
  },
]

const CUSTOMER = '255700000999'
let folder: string
let port: number
let service: Emulator
let app: ChildProcess | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-walk-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/switchhook'))
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'main.ts'), MAIN)
  port = await freePort()
  service = await createEmulator({
    webhook: `http://127.0.0.1:${port}/webhooks/messages`,
    payloads: writeFixtures(join(folder, 'service'), SERVICE),
    assumptions: { declaredEvents: 'unpublished', statusAfterMs: { sent: 0, delivered: 0 } },
  })
})
afterAll(async () => {
  app?.kill('SIGKILL')
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the bot anew, as after a deploy. The service is on this machine, so the lock has to be named. */
async function deploy(source: string, locked: boolean): Promise<void> {
  if (app) {
    const ended = once(app, 'exit')
    app.kill('SIGTERM')
    await ended
  }
  writeFileSync(join(folder, 'bot.ts'), source)
  app = spawn(process.execPath, ['--conditions=switchhook-source', 'main.ts'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      SWITCHHOOK_BASE_URL: service.url,
      SWITCHHOOK_ACCESS_TOKEN: service.accessToken,
      SWITCHHOOK_SIGNING_SECRET: service.signingSecret,
      ...(locked && { SWITCHHOOK_PAYLOAD_LOCK: './payload.lock.json' }),
    },
  })
  await listening(`http://127.0.0.1:${port}/`)
}

const command = (words: readonly string[] = []) => switchhook(words, {}, folder)
async function allOf(lines: readonly (readonly string[])[] = []): Promise<Ended[]> {
  const ended: Ended[] = []
  for (const words of lines) ended.push(await command(words))
  expect(ended.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(lines.map(() => [0, '']))
  return ended
}

const customer = () => service.customer(CUSTOMER)
const replies = async () =>
  (await customer().thread()).flatMap(({ direction, text }) => (direction === 'OUTBOUND' ? [text] : []))
const parked = async () =>
  (await command(['inbox', 'ls', '--json', '--state', 'parked'])).stdout
    .split('\n')
    .filter((line) => line.includes('"seq"')).length

it('the walk from the first delivery to a locked bot, with types, tests and dev, goes as the page says [R EVT-02, EVT-05, EVT-08, EVT-09]', async () => {
  await lockWhatCame()
  await takeTypesAndFixtures()
  await developBesideThem()
})

async function lockWhatCame(): Promise<void> {
  await deploy(bot, false)
  await customer().says('hours')
  await customer().says('hello')
  await expect.poll(parked).toBe(2)

  const day = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY').replaceAll(/ +/g, ' ')
  const report = async () => day((await command(look?.[0])).stdout)
  await expect.poll(report).toContain('customer')
  for (const line of shown.trim().split('\n')) expect(await report()).toContain(day(line))
  const [, delivery] = await allOf(look)
  expect(delivery?.stdout).toContain('hours')

  const refused = await command(['payload', 'lock'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(lock?.[0]?.slice(2).join(' ') ?? '-')])
  await allOf(lock)
  await deploy(bot, true)
  const [preview] = await allOf(bringBack)
  expect(preview?.stderr).toContain('data.conversation.phone_number')
  await expect.poll(replies).toEqual(['9 to 17', 'How can we help?'])

  await customer().taps('track')
  await expect.poll(replies).toContain('On its way')
  await customer().sendsMedia({ kind: 'image' })
  await expect.poll(replies).toHaveLength(4)
  await expect.poll(async () => (await command(['inbox', 'ls', '--json'])).stdout).toContain('message.status')
  await allOf(update)
  await deploy(bot.replace('createBot()', "createBot({ replies: 'locked' })"), true)
  await customer().says('hours')
  await expect.poll(replies).toHaveLength(5)
  expect(await parked()).toBe(0)
}

async function takeTypesAndFixtures(): Promise<void> {
  await allOf(types)
  const payloads = readFileSync(join(folder, 'payloads.d.ts'), 'utf8')
  const sources = { 'bot.ts': readFileSync(join(folder, 'bot.ts'), 'utf8'), 'payloads.ts': payloads }
  const wrong = handler
    .replace(/^ +const /m, '// @ts-expect-error -- no delivery had it\n  const ')
    .replaceAll('language', 'lang')
  expect(compile({ ...sources, 'handler.ts': handler, 'wrong.ts': wrong })).toBe('')

  const [, checked] = await allOf(fixtures)
  expect(checked?.stderr).toMatch(/holds for (\d+) of \1 payloads\.\n$/)
  writeFileSync(join(folder, 'bot.test.ts'), test)
  const conditions = ['switchhook-source', 'node']
  const config = { resolve: { conditions }, ssr: { resolve: { conditions } } }
  writeFileSync(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify(config)}\n`)
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--dir', folder]
  const { code, stdout, stderr } = await run(process.execPath, vitest, { NO_COLOR: '1' }, folder).ended
  expect(code, stdout + stderr).toBe(0)
}

async function developBesideThem(): Promise<void> {
  const other = String(await freePort())
  const node = [process.execPath, '--conditions=switchhook-source', 'main.ts']
  const flags = ['--port', '0', '--webhook', `http://127.0.0.1:${other}/webhooks/messages`, '--output', 'json']
  await using dev = startSwitchhook(['dev', '--payloads', 'fixtures', ...flags, '--', ...node], { PORT: other }, folder)
  const { url, controlToken } = JSON.parse(await dev.line('stdout')) as { url: string; controlToken: string }
  await listening(`http://127.0.0.1:${other}/`)
  const call = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${controlToken}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/_emulator/customers/${CUSTOMER}/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as { items: { direction: string; text: string }[] }
  }
  await call('POST', 'messages', { text: 'hours' })
  // Answered by a bot that answers locked customers alone.
  await expect
    .poll(async () => (await call('GET', 'thread')).items.map(({ text }) => text))
    .toEqual(['hours', '9 to 17'])
}
