/**
 * Runs the docs' blocks one after another beside an emulator. A fragment has the globals of `docs-prelude.ts`: it registers
 * its routes, sends, and its bot starts and stops. A whole program, given as `file:port`, answers a customer and stops on
 * SIGTERM. Prints each failure to stderr.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { createBot, oneTimeCode, type Sender, template } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { health, webhook } from 'switchhook/express'

const PHONE = '255712000101'
const PATIENCE_MS = 60_000
const BETWEEN_MS = 20

await using emulator = await createEmulator()
for (const language of ['en', 'sw']) {
  await emulator.templates.add({ name: 'order_ready', language, body: 'Order {{1}}' })
  await emulator.templates.add({ name: 'pickup_reminder', language, body: 'Order {{1}}' })
  await emulator.templates.add({ name: 'login_code', language, category: 'AUTHENTICATION' })
}
await emulator.customer(PHONE).says('hello')
const folder = mkdtempSync(join(tmpdir(), 'switchhook-docs-run-'))
process.env['SWITCHHOOK_SIGNING_SECRET'] = emulator.signingSecret
process.env['SWITCHHOOK_BASE_URL'] = emulator.url
process.env['SWITCHHOOK_ACCESS_TOKEN'] = emulator.accessToken
// A fragment's own bot sends nothing, but may be started.
process.env['SWITCHHOOK_DATABASE'] = join(folder, 'own.db')

const [programs, fragments] = [true, false].map((isProgram) =>
  process.argv.slice(2).filter((given) => /:\d+$/.test(given) === isProgram),
) as [string[], string[]]
for (const file of fragments) {
  const bot = createBot({ database: ':memory:', logger: false })
  const started = startingLate(bot)
  Object.assign(globalThis, globals(), { bot: started, sender: started })
  try {
    await import(file)
    await bot.start()
  } catch (error) {
    process.stderr.write(`${basename(file)}: ${String(error)}\n`)
  } finally {
    await bot.stop()
  }
}
for (const program of programs) await answers(program)
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.kill(process.pid, 'SIGTERM')

async function answers(program: string): Promise<void> {
  const [file = '', port = ''] = program.split(/:(?=\d+$)/)
  const service = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  process.env['SWITCHHOOK_SIGNING_SECRET'] = service.signingSecret
  process.env['SWITCHHOOK_BASE_URL'] = service.url
  process.env['SWITCHHOOK_ACCESS_TOKEN'] = service.accessToken
  process.env['SWITCHHOOK_DATABASE'] = join(folder, `${basename(file)}.db`)
  await import(file)
  const asha = service.customer(PHONE)
  await asha.says('good morning')
  const until = Date.now() + PATIENCE_MS
  while (!(await asha.thread()).some(({ direction }) => direction === 'OUTBOUND')) {
    if (Date.now() > until) return void process.stderr.write(`${basename(file)}: its first customer has no answer\n`)
    await wait(BETWEEN_MS)
  }
  await service.close()
}

/** Routes are registered before the start, and what is sent needs it. */
function startingLate<B extends Sender & { start(): Promise<void> }>(bot: B): B {
  const { to, cancel } = bot
  const started =
    <A extends unknown[], T>(run: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      await bot.start()
      return run(...given)
    }
  return Object.assign(bot, {
    to: (customer: string) => {
      const reach = to(customer) as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>
      return Object.fromEntries(Object.entries(reach).map(([name, run]) => [name, started(run)]))
    },
    cancel: started(cancel),
  })
}

function globals() {
  return {
    app: express(),
    express,
    webhook,
    health,
    template,
    oneTimeCode,
    phone: PHONE,
    code: '123456',
    attemptId: 'a1',
  }
}
