/** The bot as a process, beside an emulator of the service, over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { createEmulator } from 'switchhook/emulator'
import { EXAMPLES } from '../dev/examples.ts'
import { WORDS } from '../src/words.ts'

let bot: ChildProcess
afterEach(() => void bot.kill('SIGKILL'))

it('starts, answers a customer, and stops on a signal', { timeout: 30_000 }, async () => {
  await using emulator = await createEmulator()
  bot = start({
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_DATABASE: ':memory:',
    SWITCHHOOK_EMULATOR: emulator.url, // only beside it the example people may sign in
    ...EXAMPLES,
    PORT: '0', // any that is free
  })
  const url = (await says(bot, /listens at (\S+)/))[1] ?? ''
  await emulator.subscriptions.register({ url, secret: emulator.signingSecret })

  const asha = emulator.customer('255712000101')
  await asha.says('saa')
  await vi.waitFor(async () => expect((await asha.thread()).at(-1)?.text).toBe(WORDS.en.open), 10_000)

  bot.kill('SIGTERM')
  expect(await once(bot, 'exit')).toEqual([0, null])
})

it('says what its environment lacks, and does not start', { timeout: 30_000 }, async () => {
  bot = start({ SWITCHHOOK_BASE_URL: 'https://service.example', PORT: 'http' })
  const [told] = await says(bot, /complete[\s\S]*SESSION_SECRET .*\n/)
  expect(told).toContain('SWITCHHOOK_ACCESS_TOKEN is missing')
  expect(told).toContain('SWITCHHOOK_SIGNING_SECRET is missing')
  expect(told).toContain('PORT must be a number')
  expect(told).toContain('DESK_PEOPLE is missing')
  expect(told).toContain('SESSION_SECRET is missing')
  expect(bot.exitCode ?? (await once(bot, 'exit'))[0]).toBe(1)
})

it('does not start for the service itself with people whose passwords everybody knows', {
  timeout: 30_000,
}, async () => {
  const service = {
    SWITCHHOOK_BASE_URL: 'https://service.example',
    SWITCHHOOK_ACCESS_TOKEN: 'token',
    SWITCHHOOK_SIGNING_SECRET: 'secret',
  }
  bot = start({ ...service, ...EXAMPLES, NODE_ENV: 'production', SWITCHHOOK_EMULATOR: 'http://127.0.0.1:4747' })
  const [told] = await says(bot, /complete[\s\S]*SESSION_SECRET .*\n/)
  expect(told).toContain('DESK_PEOPLE has the people of npm run dev')
  expect(bot.exitCode ?? (await once(bot, 'exit'))[0]).toBe(1)
})

function start(environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['src/main.ts'], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** What the process says when it says that. */
async function says(bot: ChildProcess, what: RegExp): Promise<RegExpExecArray> {
  let heard = ''
  for await (const chunk of bot.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    heard += chunk
    const found = what.exec(heard)
    if (found) return found
  }
  throw new Error(`the bot ended without saying ${what}; it said: ${heard}`)
}
