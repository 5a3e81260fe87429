/**
 * Announcements at their full size: is each message sent once, whatever dies, does memory stay flat, and is the pace kept?
 *
 *     npm run announcement
 *     npm run announcement -- --postgres      over a server that comes with the tests
 *
 * An announcement of 20,000 recipients, during which the process is killed ten times, a person pauses and resumes it, and a
 * recipient opts out. One of 2,000 is the measure for memory. Then the pace, on virtual time with crashes.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createBot, template } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { scenario } from 'switchhook/testing'
import { startPostgres } from '../../test/support/own-postgres.ts'
import type { Asked, Figures } from './bot.ts'

const FEW = 2_000
const MANY = 20_000
const KILLS = 10
const PER_MINUTE = 24_000
const FIRST = 255_712_000_000
const NEWS = { name: 'news', language: 'en', body: 'News' }

const problems: string[] = []
const expectThat = (holds: boolean, what: string) => {
  console.log(`${holds ? 'ok ' : 'NOT'} ${what}`)
  if (!holds) problems.push(what)
}

const { values } = parseArgs({ options: { postgres: { type: 'boolean', default: false } } })
const few = await announce(FEW, 0)
const many = await announce(MANY, KILLS)
const ratio = many / few
expectThat(ratio <= 1.2, `heap at ${MANY} is ${ratio.toFixed(2)} times that at ${FEW}: ${mib(many)} and ${mib(few)}`)
await keepPace(600)
process.exit(problems.length > 0 ? 1 : 0)

/** The most memory that the process needed, in bytes. */
async function announce(recipients: number, kills: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-announcement-'))
  await using server = values.postgres ? await startPostgres() : undefined
  const emulator = await createEmulator()
  await emulator.templates.add(NEWS)
  const environment = {
    ...process.env,
    SWITCHHOOK_DATABASE: server?.url ?? join(folder, 'switchhook.db'),
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: 'a signing secret of some length',
    RECIPIENTS: String(recipients),
    PER_MINUTE: String(PER_MINUTE),
  }
  const boot = async (begins: boolean): Promise<ChildProcess> => {
    const child = fork(join(import.meta.dirname, 'bot.ts'), {
      execArgv: ['--conditions=switchhook-source', '--expose-gc'],
      env: { ...environment, BEGINS: begins ? '1' : '0' },
    })
    await once(child, 'message')
    return child
  }
  let child = await boot(true)
  const ask = async (asked: Asked): Promise<Figures> => {
    const answered = once(child, 'message')
    child.send(asked)
    return ((await answered) as [Figures])[0]
  }

  let heap = 0
  const optedOut = String(FIRST + recipients - 1)
  let killed = 0
  let acted = false
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { progress, heap: now } = await ask('figures')
    heap = Math.max(heap, now)
    if (progress.state === 'done') break
    if (killed < kills && progress.sent >= ((killed + 1) * recipients) / (kills + 2)) {
      child.kill('SIGKILL')
      await once(child, 'exit')
      killed++
      child = await boot(false)
    } else if (kills > 0 && !acted && progress.sent >= recipients / 2) {
      acted = true
      await ask({ optOut: optedOut })
      await ask('pause')
      // What is under way still goes out.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const paused = await ask('figures')
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const later = await ask('resume')
      expectThat(paused.progress.sent === later.progress.sent, 'nothing goes out while it is paused')
    }
  }
  const { progress } = await ask('figures')
  const messages = await Promise.all(
    Array.from({ length: recipients }, async (_, index) => {
      const thread = await emulator.customer(String(FIRST + index)).thread()
      return thread.filter((item) => item['refused'] === undefined).length
    }),
  )
  const skipped = acted ? 1 : 0
  expectThat(killed === kills, `${recipients} recipients, killed ${killed} times: ${JSON.stringify(progress)}`)
  expectThat(progress.failed === 0 && progress.waiting === 0 && progress.skipped === skipped, 'all are counted')
  const once_ = messages.filter((count) => count === 1).length
  expectThat(once_ === recipients - skipped, `${once_} have one message, ${messages.filter((n) => n > 1).length} more`)
  child.kill('SIGKILL')
  await emulator.close()
  rmSync(folder, { recursive: true, force: true })
  return heap
}

/** Sends of each virtual minute, in which the process crashes once. */
async function keepPace(perMinute: number): Promise<void> {
  const bot = createBot()
  bot.otherwise(() => {})
  await using s = await scenario(bot, { templates: [NEWS] })
  const recipients = Array.from({ length: FEW }, (_, index) => String(FIRST + index))
  await bot.announce(['pace'], recipients, template('news', 'en'), { perMinute })
  for (let minute = 1; minute <= 3; minute++) {
    const before = s.sent.length
    await s.advance('30s')
    await s.crash()
    await s.advance('30s')
    const sent = s.sent.length - before
    expectThat(Math.abs(sent / perMinute - 1) <= 0.05, `minute ${minute}: ${sent} messages at ${perMinute} a minute`)
  }
}

function mib(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
