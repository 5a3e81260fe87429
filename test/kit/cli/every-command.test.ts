import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator/emulator.ts'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { delivery, item, send, ingested } from '../../store/samples.ts'
import { allCommands } from '../../../docs/.vitepress/commands.ts'
import { beside, CUSTOMER, SECRET } from './emulator-support.ts'
import { jsonLines, type Running, spawnSwitchhook, switchhook } from './support.ts'

interface World {
  readonly emulator: Emulator
  /** The receiver's address. */
  readonly receiver: string
}

interface Row {
  /** The arguments. `call` differs at each call, since some things can be done only once. */
  readonly args: (call: number, world: World) => readonly string[]
  /** The flags for JSON; absent if the command prints none. */
  readonly json?: readonly string[]
  readonly code?: number
  /** The command runs until a signal. */
  readonly lives?: true
  /** The command may print nothing. */
  readonly silent?: true
}

const JSON_FLAG = ['--json']
const SENDS = ['01JNG3C0V2K7G0ZP6T2J5M8Q40', '01JNG3C0V2K7G0ZP6T2J5M8Q41', '01JNG3C0V2K7G0ZP6T2J5M8Q42']
const nothing = () => []

const ROWS: Readonly<Record<string, Row>> = {
  init: { args: (call) => [`bot-${call}`], json: JSON_FLAG },
  dev: { args: () => ['--port', '0'], json: JSON_FLAG, lives: true },
  // Its stdout is the command's.
  exec: { args: () => ['--', 'true'] },
  emulator: { args: () => ['--port', '0'], json: JSON_FLAG, lives: true },
  send: { args: () => ['--to', CUSTOMER, '--text', 'hello'], json: JSON_FLAG },
  trigger: { args: () => ['message.received'], json: JSON_FLAG },
  replay: { args: () => ['last'], json: JSON_FLAG },
  play: { args: () => ['conversation.json'], json: JSON_FLAG },
  clock: { args: nothing, json: JSON_FLAG },
  faults: { args: () => ['lose_answer'], json: JSON_FLAG },
  'inbox ls': { args: nothing, json: JSON_FLAG },
  'inbox show': { args: () => ['1'], json: JSON_FLAG },
  'inbox retry': { args: () => ['--dead'], json: JSON_FLAG },
  'inbox export': { args: (call) => ['--out', `recording-${call}.json`], json: JSON_FLAG },
  'inbox prune': { args: nothing, json: JSON_FLAG },
  'inbox forget': { args: () => ['255712000999', '--yes'], json: JSON_FLAG },
  'outbox ls': { args: nothing, json: JSON_FLAG },
  'outbox show': { args: () => [SENDS[0] ?? ''], json: JSON_FLAG },
  'outbox resolve': { args: (call) => [SENDS[call] ?? '', '--accepted'], json: JSON_FLAG },
  'outbox resume': { args: nothing, json: JSON_FLAG },
  'outbox hold': { args: nothing, json: JSON_FLAG },
  backup: { args: (call) => [`backup-${call}.db`], json: JSON_FLAG },
  // No server answers there: the way to one is in postgres-copy.test.ts.
  'database copy': {
    args: () => ['--to', 'postgres://127.0.0.1:1/bot'],
    json: JSON_FLAG,
    code: 1,
    silent: true,
  },
  // The environment of these tests names no service, so one finding is bad.
  doctor: { args: nothing, json: JSON_FLAG, code: 1 },
  verify: { args: (_, { receiver }) => [receiver, '--secret', SECRET, '--only', 'SIG-04'], json: JSON_FLAG, code: 1 },
  'templates pull': { args: service },
  'payload report': { args: nothing, json: JSON_FLAG },
  'payload export': { args: nothing, json: JSON_FLAG },
  'contract diff': { args: service, json: JSON_FLAG, silent: true },
}

function service(_: number, { emulator }: World): readonly string[] {
  return ['--base-url', emulator.url, '--token', emulator.accessToken]
}

/** An app that has received, failed and sent; a customer who has written; files that commands read. */
async function populate({ emulator, folder }: { emulator: Emulator; folder: string }): Promise<void> {
  const store = openSqlite(join(folder, 'switchhook.db'))
  await store.accept(delivery({ receivedAt: Date.now() }))
  await store.ingest(1, ingested(item()), Date.now())
  await fail(store)
  for (const id of SENDS) await unknownSend(store, id)
  await store.close()
  const { deliveryIds } = await emulator.customer(CUSTOMER).says('hours')
  await emulator.deliveries.wait(({ id, state }) => id === deliveryIds[0] && state === 'delivered')
  await emulator.templates.add({ name: 'order_ready', language: 'sw', body: 'Order {{1}} is ready' })
  const steps = [{ kind: 'text', at: '2026-03-04T09:00:00Z', customer: CUSTOMER, text: 'hello' }]
  writeFileSync(join(folder, 'conversation.json'), JSON.stringify({ recording: 1, name: 'hello', steps }))
}

async function fail(store: Store): Promise<void> {
  const { begun } = await store.claimItems({ owner: 'app', limit: 9, now: Date.now(), leaseMs: 10_000 })
  for (const { fence, work } of begun)
    await store.settleItem(fence, work.id, { as: 'dead', reason: 'x' }, { now: Date.now(), goOn: false })
}

async function unknownSend(store: Store, id: string): Promise<void> {
  const now = Date.now()
  await store.openSend(send({ id, createdAt: now, lane: `default/${id}/out` }))
  const { begun } = await store.claimSends({ owner: 'app', limit: 9, now, leaseMs: 10_000 })
  for (const { fence, work } of begun) {
    await store.beginSend(fence, work.send.id, 'freeform', now)
    const settlement = { as: 'unknown', code: undefined, reason: 'no answer' } as const
    await store.settleSend(fence, work.send.id, settlement, { now, goOn: false })
  }
}

const QUIET = { NO_COLOR: '1' }
const STACK = /\n\s+at |EPIPE|UnhandledPromise/
const ESCAPE = '\u001B'

it('every command is checked here', async () => {
  expect(Object.keys(ROWS).sort()).toEqual([...(await allCommands()).keys()].sort())
})

describe('beside an emulator and a database', () => {
  const { emulator, receiver, folder, run, start } = beside()
  beforeEach(() => populate({ emulator: emulator(), folder: folder() }))
  const world = () => ({ emulator: emulator(), receiver: receiver().url })
  async function untilFirstLine(running: Running) {
    await running.line('stdout')
    running.kill('SIGTERM')
    return await running.ended
  }

  it.for(Object.entries(ROWS).filter(([, { json }]) => json))(
    '%s prints JSON and nothing else on stdout, without a colour or a terminal',
    async ([name, { args, json = [], code = 0, lives, silent }]) => {
      // Its stdin is a pipe that nobody ends: a command that asked there would wait for ever.
      const words = [...name.split(' '), ...json, ...args(0, world())]
      const ended = await (lives ? untilFirstLine(start(words, QUIET)) : run(words, QUIET))
      expect([ended.code, ended.stderr]).toEqual([code, expect.not.stringMatching(STACK)])
      const lines = jsonLines(ended.stdout)
      expect(lines.every((line) => typeof line === 'object')).toBe(true)
      if (!silent) expect(lines).not.toEqual([])
      expect(ended.stdout + ended.stderr).not.toContain(ESCAPE)
    },
  )
})

describe('switchhook', () => {
  it('groups its commands in one help, each once', async () => {
    const { code, stdout, stderr } = await switchhook(['--help'])
    expect([code, stderr]).toEqual([0, ''])
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)
    const names = new Set([...(await allCommands()).keys()].map((name) => name.split(' ')[0]))
    expect(listed).toEqual([...new Set(listed)])
    expect(new Set(listed)).toEqual(names)
    for (const group of ['Develop:', 'Work on the running emulator:', 'Look after a running app:', 'Check and learn:'])
      expect(stdout).toContain(`\n${group}\n`)
    expect(stdout).toContain('Exit codes: 0 done, 1 failed, 2 usage, 3 no emulator or receiver answers')
  })

  it.for([
    [['trgger'], 'trigger'],
    [['inbox', 'lst'], 'ls'],
    [['clock', '--jason'], '--json'],
  ] as const)('exits with 2 for %j, and suggests a name', async ([args, meant]) => {
    const { code, stdout, stderr } = await switchhook(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`Did you mean ${meant}?`)
  })

  it('prints a command’s help by `help` too', async () => {
    const [one, other] = await Promise.all([switchhook(['help', 'clock']), switchhook(['clock', '--help'])])
    expect([one.code, one.stdout]).toEqual([0, other.stdout])
  })

  it('ends quietly when nobody reads its help', async () => {
    const running = spawnSwitchhook(['--help'])
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })
})
