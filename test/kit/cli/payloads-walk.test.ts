import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { writeFixtures } from '../../support/fixtures.ts'
import { freePort } from '../../support/free-port.ts'
import { listening } from '../../support/listening.ts'
import { type Ended, run, startSwitchhook, switchhook } from './support.ts'

const root = resolve(import.meta.dirname, '../../..')
const PAGE = readFileSync(join(root, 'docs/payloads.md'), 'utf8')
const walk = PAGE.slice(PAGE.indexOf('## From the first delivery'), PAGE.indexOf('## Map facts'))
const blocks = [...walk.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language = '', code = '']) => ({
  language,
  code,
}))
const ofLanguage = (language: string) => blocks.filter((block) => block.language === language).map(({ code }) => code)

const [bot = '', mapping = ''] = ofLanguage('ts')
const [test = ''] = ofLanguage('typescript')
const [look, retry, fixtures] = ofLanguage('sh').map((code) =>
  code
    .trim()
    .split('\n')
    .map((line) => line.replace(/^npx switchhook /, '').split(' ')),
)
/** The bot with the options of the page's mapping. */
const mapped = bot.replace(/createBot\(\)/, mapping.slice(mapping.indexOf('createBot(')).trim())

const MAIN = `import { serve } from 'switchhook/node'
import { bot } from './bot.ts'
await serve(bot, { port: Number(process.env['PORT']) })
`

/** Payloads of a service whose field names are all unfamiliar. */
const received = (facts: object, content: object) => ({
  event: 'message.received',
  facts: { customer: 'mteja.simu', messageId: 'ujumbe.namba', kind: 'ujumbe.aina', at: 'ujumbe.muda', ...facts },
  payload: {
    mteja: { simu: '255712000301', lugha: 'sw' },
    ujumbe: { namba: 'm-1', ...content, muda: '2026-03-04T09:15:21Z' },
  },
})
const SERVICE = [
  received({ text: 'ujumbe.maneno' }, { aina: 'text', maneno: 'Habari' }),
  received(
    { 'tapped.id': 'ujumbe.jibu.alama', 'tapped.title': 'ujumbe.jibu.jina' },
    { aina: 'interactive', jibu: { alama: 'a', jina: 'A' } },
  ),
  received(
    { 'media.url': 'ujumbe.picha.anwani' },
    { aina: 'image', picha: { anwani: 'https://media.example.test/1' } },
  ),
  {
    event: 'message.status',
    facts: { messageId: 'namba', customer: 'mpokeaji', status: 'hali', at: 'muda' },
    payload: { namba: 'm-2', mpokeaji: '255712000301', hali: 'sent', muda: '2026-03-04T09:15:21Z' },
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

/** Restarts the bot, as after a deploy. */
async function deploy(source: string): Promise<void> {
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

it('the way from the first parked delivery to a mapped bot with tests and dev works as the page describes [R EVT-02, EVT-05, EVT-08, EVT-09]', async () => {
  await mapWhatArrived()
  await testWithFixturesAndWithout()
  await developBesideThem()
})

async function mapWhatArrived(): Promise<void> {
  await deploy(bot)
  await customer().says('hours')
  await customer().says('hello')
  await expect.poll(parked).toBe(2)
  const [report, delivery] = await allOf(look)
  for (const line of [/^mteja\.simu +string +-$/m, /^ujumbe\.muda +string +-$/m, /^ {6}customer: '', \/\/ not found/m])
    expect(report?.stdout).toMatch(line)
  expect(report?.stdout).toContain('switchhook inbox retry --parked')
  expect(report?.stdout).not.toContain('hours')
  expect(delivery?.stdout).toContain('hours')

  await deploy(mapped)
  await allOf(retry)
  await expect.poll(replies).toEqual(['9 to 17', 'How can we help?'])
  await customer().taps('track')
  await expect.poll(replies).toContain('On its way')
  await customer().sendsMedia({ kind: 'image' })
  await expect.poll(replies).toHaveLength(4)
  await expect.poll(async () => (await command(['inbox', 'ls', '--all', '--json'])).stdout).toContain('message.status')
  expect(await parked()).toBe(0)
}

async function testWithFixturesAndWithout(): Promise<void> {
  await allOf(fixtures)
  writeFileSync(join(folder, 'bot.test.ts'), test)
  const conditions = ['switchhook-source', 'node']
  const config = { resolve: { conditions }, ssr: { resolve: { conditions } } }
  writeFileSync(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify(config)}\n`)
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--dir', folder]
  const { code, stdout, stderr } = await run(process.execPath, vitest, { NO_COLOR: '1' }, folder).ended
  expect(code, stdout + stderr).toBe(0)
}

/** Without recorded payloads: the emulator writes the facts at the app's paths. */
async function developBesideThem(): Promise<void> {
  const other = String(await freePort())
  const node = [process.execPath, '--conditions=switchhook-source', 'main.ts']
  const flags = ['--port', '0', '--webhook', `http://127.0.0.1:${other}/webhooks/messages`, '--json']
  await using dev = startSwitchhook(['dev', ...flags, '--', ...node], { PORT: other }, folder)
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
  await expect
    .poll(async () => (await call('GET', 'thread')).items.map(({ text }) => text))
    .toEqual(['hours', '9 to 17'])
}
