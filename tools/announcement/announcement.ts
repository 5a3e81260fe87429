/**
 * Announcements at their full size: is each message sent once, whatever dies, does the report add up, does memory stay flat,
 * and is the pace kept?
 *
 *     npm run announcement
 *     npm run announcement -- --recipients 5000     smaller
 *     npm run announcement -- --postgres            over a server that comes with the tests
 *
 * A list of 50,000 people in a CSV file with duplicates, bad rows and people who opted out. The process is killed ten times,
 * the platform pauses the template in the middle, a person pauses and resumes too, some messages are refused, and those are
 * retried once. A tenth of that is the measure for memory. Then the pace, on virtual time with crashes.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createBot, template } from 'switchhook'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { scenario } from 'switchhook/testing'
import { startPostgres } from '../../test/support/own-postgres.ts'
import type { Asked, Figures } from './bot.ts'

const KILLS = 10
const PER_MINUTE = 24_000
const FIRST = 255_712_000_000
const NEWS = { name: 'news', language: 'en', body: 'News' }
/** In so many lines one of them repeats an earlier number, is no number, or belongs to somebody who opted out. */
const EVERY = { duplicate: 100, bad: 250, optedOut: 200 }
const REFUSED_EVERY = 150

const problems: string[] = []
const expectThat = (holds: boolean, what: string) => {
  console.log(`${holds ? 'ok ' : 'NOT'} ${what}`)
  if (!holds) problems.push(what)
}

const { values } = parseArgs({
  options: { postgres: { type: 'boolean', default: false }, recipients: { type: 'string', default: '50000' } },
})
const size = Number(values.recipients)
const few = await announce(size / 10, 0)
const many = await announce(size, KILLS)
const ratio = many / few
expectThat(
  ratio <= 1.2,
  `heap at ${size} is ${ratio.toFixed(2)} times that at ${size / 10}: ${mib(many)} and ${mib(few)}`,
)
await keepPace(600)
process.exit(problems.length > 0 ? 1 : 0)

/** The most memory that the process needed, in bytes. */
async function announce(recipients: number, kills: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-announcement-'))
  await using server = values.postgres ? await startPostgres() : undefined
  const emulator = await createEmulator()
  await emulator.templates.add(NEWS)
  await emulator.faults.set([{ on: 'send', do: 'status', code: 'validation_error', every: REFUSED_EVERY }])
  const { numbers, bad, optedOut } = writeList(join(folder, 'list.csv'), recipients)
  const environment = {
    ...process.env,
    SWITCHHOOK_DATABASE: server?.url ?? join(folder, 'switchhook.db'),
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: 'a signing secret of some length',
    LIST: join(folder, 'list.csv'),
    PER_MINUTE: String(PER_MINUTE),
  }
  const boot = async (): Promise<ChildProcess> => {
    const child = fork(join(import.meta.dirname, 'bot.ts'), {
      execArgv: ['--conditions=switchhook-source', '--expose-gc'],
      env: environment,
    })
    await once(child, 'message')
    return child
  }
  let child = await boot()
  const ask = async (asked: Asked): Promise<Figures> => {
    const answered = once(child, 'message')
    child.send(asked)
    return ((await answered) as [Figures])[0]
  }
  const stateIs = async (state: Figures['progress']['state']) => {
    for (;;) {
      const { progress } = await ask('figures')
      if (progress.state === state) return progress
      await pause(200)
    }
  }

  await ask({ optOut: optedOut })
  await ask('begin')
  let heap = 0
  let killed = 0
  let acted = kills === 0
  let isRetried = false
  for (;;) {
    await pause(200)
    const { progress, heap: now } = await ask('figures')
    heap = Math.max(heap, now)
    const done = progress.sent
    if (progress.state === 'done' && isRetried) break
    if (progress.state === 'done') {
      isRetried = true
      expectThat(progress.failed > bad, `${progress.failed - bad} of ${recipients} were refused, and are retried`)
      await emulator.faults.set([])
      await ask('retry')
    } else if (killed < kills && done >= ((killed + 1) * recipients) / (kills + 2)) {
      child.kill('SIGKILL')
      await once(child, 'exit')
      killed++
      child = await boot()
    } else if (!acted && done >= recipients / 2) {
      acted = true
      await setTemplate(emulator, 'PAUSED')
      const { reason, failed, doubtful } = await stateIs('paused')
      expectThat(reason?.includes('paused') === true && doubtful === 0, `the template was paused: ${reason}`)
      await setTemplate(emulator, 'APPROVED')
      await ask('resume')
      await stateIs('running')
      await ask('pause')
      // What is under way still goes out.
      await pause(1_000)
      const paused = await ask('figures')
      await pause(1_000)
      const later = await ask('resume')
      expectThat(paused.progress.sent === later.progress.sent, 'nothing goes out while it is paused')
      expectThat(later.progress.failed - failed < 64, 'the paused template burned nobody')
    }
  }
  const { progress } = await ask('figures')
  const listed = await ask('recipients')
  const messages = await Promise.all(
    numbers.map(async (number) => {
      const thread = await emulator.customer(number).thread()
      return thread.filter((item) => item['refused'] === undefined).length
    }),
  )
  const refusers = new Set(optedOut)
  const wrong = numbers.filter((number, nth) => messages[nth] !== (refusers.has(number) ? 0 : 1))
  expectThat(killed === kills, `${recipients} lines, killed ${killed} times: ${JSON.stringify(progress)}`)
  expectThat(
    wrong.length === 0,
    `${numbers.length - refusers.size} have one message, and ${refusers.size} who opted out none`,
  )
  const { total, state: _, reason: __, endsAbout: ___, ...counts } = progress
  const sum = Object.values(counts).reduce((all, one) => all + one, 0)
  expectThat(sum === total && total === numbers.length + bad, `the report adds up to ${total}`)
  expectThat(
    progress.failed === bad && progress.skipped === refusers.size && progress.unknown === 0 && progress.waiting === 0,
    'bad rows have failed, people who opted out were skipped, and nobody else was left out',
  )
  expectThat(JSON.stringify(listed.states) === JSON.stringify(nonZero(counts)), 'the list has as many in each state')
  child.kill('SIGKILL')
  await emulator.close()
  rmSync(folder, { recursive: true, force: true })
  return heap
}

/** Its numbers, how many rows are bad, and who opted out. */
function writeList(file: string, lines: number) {
  const numbers: string[] = []
  const optedOut: string[] = []
  let bad = 0
  const rows = Array.from({ length: lines }, (_, nth) => {
    if (nth % EVERY.bad === 7) return `nobody ${++bad};Zuhura`
    const repeated = nth % EVERY.duplicate === 9 ? numbers[nth >> 1] : undefined
    if (repeated !== undefined) return `+${repeated};Twice`
    const number = String(FIRST + nth)
    numbers.push(number)
    if (nth % EVERY.optedOut === 11) optedOut.push(number)
    return `${number};Asha`
  })
  writeFileSync(file, `phone;name\n${rows.join('\n')}\n`)
  return { numbers, bad, optedOut }
}

async function setTemplate(emulator: Emulator, status: 'PAUSED' | 'APPROVED'): Promise<void> {
  const headers = { Authorization: `Bearer ${emulator.controlToken}`, 'Content-Type': 'application/json' }
  const templates = `${emulator.url}/_emulator/templates`
  const { items } = (await (await fetch(templates, { headers })).json()) as { items: { id: string }[] }
  await fetch(`${templates}/${items[0]?.id}`, { method: 'PATCH', headers, body: JSON.stringify({ status }) })
}

/** Sends of each virtual minute, in which the process crashes once. */
async function keepPace(perMinute: number): Promise<void> {
  const bot = createBot()
  bot.otherwise(() => {})
  await using s = await scenario(bot, { templates: [NEWS] })
  const recipients = Array.from({ length: 4 * perMinute }, (_, index) => String(FIRST + index))
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

function nonZero(counts: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function mib(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
