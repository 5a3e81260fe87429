/**
 * A day of the shop of the examples, 5,000 messages, played through five versions of it. Says what holds, and exits with 1
 * if something does not.
 *
 *     node --conditions=switchhook-source test/backtest/shop/shop.ts
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '../../../src/cli/backtest/findings.ts'
import type { Recording } from '../../../src/backtest/recording.ts'
import { liveADay, type Message } from './day.ts'
import { type Version, writeVersion } from './versions.ts'

const ROOT = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'switchhook-shop-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const effects = join(folder, 'effects')
writeFileSync(effects, '')
const cpu = join(folder, 'cpu')
const env = { ...process.env, EFFECTS: effects, SWITCHHOOK_DATABASE: join(folder, 'switchhook.db') }

const program = writeVersion(folder, 'same')
const written = await liveADay(program, env)
const count = (...messages: Message[]) => messages.reduce((sum, one) => sum + (written.get(one) ?? 0), 0)
const orders = count('7781', '#7782', '7799')
assert.equal(readFileSync(effects, 'utf8').length, orders)

const [first, second] = ['first.json', 'second.json'].map((name) => {
  backtest(['record', '--database', env.SWITCHHOOK_DATABASE, '--out', join(folder, name), '--', ...commandOf(program)])
  return readRecording(name)
})
assert(first && second)
assert.equal(first.deliveries.length, 5_000)
assert.deepEqual(withoutTimes(first), withoutTimes(second))
holds(`5,000 messages of ${written.size} kinds: two recordings are the same`)

assert.deepEqual(compare('same').findings, [])
holds('unchanged code: no difference')

const text = compare('text')
expectFinding(text, 'different', 'hears:hours|saa', (body) => /"(?:hours|saa)"/.test(body) && !body.includes('Opening'))
assert.equal(text.findings[0]?.ids.length, count('hours', 'saa'))
holds(`a changed text: ${text.findings[0]?.ids.length} differ, and no others`)

const route = compare('route')
expectFinding(route, 'other_route', 'hears:#7782', (body) => body.includes('"#7782"'))
assert.equal(route.findings[0]?.ids.length, count('#7782'))
holds(`a route that takes some of them now is named: ${count('#7782')}`)

const throws = compare('throws')
expectFinding(throws, 'failed', 'tapped:person', (body) => body.includes('"person"'))
assert.equal(count('tap:person'), throws.findings.find(({ is }) => is === 'failed')?.ids.length)
holds(`a handler that throws is named with its route: ${count('tap:person')}`)

assert.deepEqual(compare('effect').findings, [])
assert.equal(readFileSync(effects, 'utf8').length, orders)
holds(`${orders} stored effects: none ran again in ${cpuOfRuns().length} runs`)
const perDelivery = cpuOfRuns().map((one) => Math.round(one / first.deliveries.length))
console.log(
  `µs of CPU a delivery, in the processes of the app, with its start and the service: ${perDelivery.join(', ')}`,
)

type Compared = { findings: (Omit<Finding, 'kind'> & { is: Finding['kind'] })[]; changed: string[] }

function compare(version: Version): Compared {
  const path = version === 'same' ? program : writeVersion(folder, version)
  const flags = ['--json', '--reveal', '--slower', '1000']
  const lines = backtest(['compare', join(folder, 'first.json'), ...flags, '--', ...commandOf(path)])
  const all = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { findings: all.filter(({ kind }) => kind === 'finding'), changed: all.at(-1).changed }
}

/** All deliveries whose bytes fit, by a look that knows no payload, and no others. */
function expectFinding({ findings, changed }: Compared, is: string, route: string, fits: (body: string) => boolean) {
  const expected = first?.deliveries.filter(({ body }) => fits(body)).map(({ id }) => id)
  const found = findings.filter((one) => one.is === is && one.route === route)
  const seen = findings.map((one) => `${one.is} ${one.route} ${one.ids.length}`)
  const isExact = isDeepStrictEqual([found.map(({ ids }) => ids), changed], [[expected], expected])
  assert(isExact, `expected ${is} ${route} ${expected?.length}, seen: ${seen.join('; ')}`)
}

function backtest(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=switchhook-source', join(ROOT, 'src/cli/main.ts'), 'backtest', ...args],
    { cwd: folder, env: { ...env, NODE_OPTIONS: `--import=${counter()}` }, encoding: 'utf8', maxBuffer: 1e8 },
  )
  assert((status === 0 || status === 1) && !stderr.includes('switchhook:'), stderr)
  return stdout
}

/** A module that appends the CPU of each process that a backtest starts. */
function counter(): string {
  const path = join(folder, 'counter.mjs')
  writeFileSync(
    path,
    `import { appendFileSync } from 'node:fs'
if (process.env.SWITCHHOOK_BACKTEST)
  process.once('exit', () => {
    const { user, system } = process.cpuUsage()
    appendFileSync(${JSON.stringify(cpu)}, user + system + '\\n')
  })`,
  )
  return pathToFileURL(path).href
}

function cpuOfRuns(): number[] {
  return readFileSync(cpu, 'utf8').trim().split('\n').map(Number)
}

function commandOf(path: string): string[] {
  return [process.execPath, '--conditions=switchhook-source', path]
}

function readRecording(name: string): Recording {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recording
}

function withoutTimes({ deliveries, runs }: Recording) {
  return { deliveries, runs: JSON.parse(JSON.stringify(runs, (name, value) => (name === 'ms' ? undefined : value))) }
}

function holds(sentence: string): void {
  console.log(`+ ${sentence}`)
}
