/**
 * A steady load for long: does anything grow? One serving process answers every message through the emulator; memory,
 * handles, the write-ahead log and the lag are sampled all the while.
 *
 *     npm run soak                          30 minutes at 100 deliveries a second, into docs/guarantees.md
 *     npm run soak -- --minutes 2           shorter, to the terminal
 *     npm run soak -- --rate 300            more deliveries a second, to the terminal
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { machine } from '../bench/machine.ts'
import { DOCS, writeSection } from '../../test/support/docs-section.ts'
import { createPoster, messageFrom } from '../torture/post.ts'
import { grown, type Sample, seriesOf, table } from './figures.ts'
import { plot } from './plot.ts'
import type { Figures } from './server.ts'

const USUAL = { minutes: 30, rate: 100 }
const CUSTOMERS = 1_000
const SAMPLES = 180
const TICK_MS = 20
const SECRET = 'a signing secret of some length'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, rate: { type: 'string' } } })
const minutes = Number(values.minutes ?? USUAL.minutes)
const rate = Number(values.rate ?? USUAL.rate)

const folder = mkdtempSync(join(tmpdir(), 'switchhook-soak-'))
const database = join(folder, 'switchhook.db')
const emulator = await createEmulator()
await openWindows(emulator)
const server = fork(join(import.meta.dirname, 'server.ts'), {
  execArgv: ['--conditions=switchhook-source', '--expose-gc'],
  env: {
    ...process.env,
    SWITCHHOOK_DATABASE: database,
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: SECRET,
  },
})
process.once('exit', () => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
const [{ url }] = (await once(server, 'message')) as [{ url: string }]

const began = performance.now()
const elapsed = () => performance.now() - began
const poster = createPoster(SECRET)
const answers = new Map<string, number>()
const samples: Sample[] = []
const sampling = setInterval(() => void sample(), (minutes * 60_000) / SAMPLES)
await load()
clearInterval(sampling)
const acknowledged = answers.get('200') ?? 0
while ((await sample()).handled < acknowledged) await new Promise((resolve) => setTimeout(resolve, 1_000))
report()
process.exit(grown(samples).length > 0 ? 1 : 0)

/** As many posts as are due by now, whether or not the last ones are answered. */
async function load(): Promise<void> {
  const open = new Set<Promise<void>>()
  for (let posted = 0; posted < minutes * 60 * rate; ) {
    for (const due = (elapsed() / 1_000) * rate; posted < due; posted++) {
      const one = post(posted).finally(() => open.delete(one))
      open.add(one)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(open)
}

/** As the service does: until it is acknowledged. */
async function post(index: number): Promise<void> {
  const delivery = messageFrom(customer(index), String(Date.now()))
  for (let answer = ''; answer !== '200'; answers.set(answer, (answers.get(answer) ?? 0) + 1)) {
    const outcome = await poster.post(url, delivery)
    answer = 'status' in outcome ? String(outcome.status) : outcome.none
  }
}

async function sample(): Promise<Figures> {
  const answered = once(server, 'message')
  server.send('figures')
  const [figures] = (await answered) as [Figures]
  const size = (suffix: string) => statSync(`${database}${suffix}`, { throwIfNoEntry: false })?.size ?? 0
  const files = readdirSync(`/proc/${server.pid}/fd`).length
  const one = { ...figures, minute: elapsed() / 60_000, wal: size('-wal'), file: size(''), files }
  samples.push(one)
  if (samples.length % 6 === 0) console.log(table(samples.slice(-1)))
  return figures
}

function report(): void {
  const said = [...answers].map(([answer, count]) => `${count.toLocaleString('en')} × ${answer}`).join(', ')
  const text = [
    `${minutes} minutes at ${rate} deliveries a second, each answered by a reply: ${said}; all handled.`,
    '',
    table(samples),
    '',
    `${new Date().toISOString().slice(0, 10)}, on ${machine()}.`,
  ].join('\n')
  console.log(`\n${text}`)
  for (const what of grown(samples)) console.error(`it grows: ${what}`)
  if (minutes !== USUAL.minutes || rate !== USUAL.rate) return
  const picture = plot(
    `${minutes} minutes at ${rate} deliveries a second`,
    samples.map(({ minute }) => minute),
    seriesOf(samples),
  )
  writeFileSync(resolve(DOCS, 'soak.svg'), picture)
  writeSection('guarantees.md', { name: 'soak', by: 'npm run soak' }, text)
}

async function openWindows({ customer: of }: Emulator): Promise<void> {
  for (let index = 0; index < CUSTOMERS; index++) await of(customer(index)).says('Habari')
}

function customer(index: number): string {
  return String(255712000000 + (index % CUSTOMERS))
}
