import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator/emulator.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { allCommands } from '../../../docs/.vitepress/commands.ts'
import { beside, CUSTOMER, SECRET } from './emulator-support.ts'
import { alone, arrived, DEAD, handle } from './inbox-support.ts'
import { announced } from '../../store/announced.ts'
import { attempt, fresh, UNKNOWN } from './outbox-support.ts'
import { jsonLines, type Running, spawnSwitchhook, switchhook } from './support.ts'

/** Arguments, and how the command differs: its exit code, no end before a signal, perhaps nothing to print. */
type Row = readonly [args: readonly string[], o?: { code?: number; lives?: true; silent?: true }]

const SEND = '01JNG3C0V2K7G0ZP6T2J5M8Q40'

/** Every command that prints JSON with `--json`, in an order in which each finds what it needs. */
const rowsFor = (emulator: Emulator, receiver: string): Readonly<Record<string, Row>> => ({
  dev: [['--port', '0'], { lives: true }],
  emulator: [['--port', '0'], { lives: true }],
  send: [['--to', CUSTOMER, '--text', 'hello']],
  trigger: [['message.received']],
  replay: [['last']],
  play: [['conversation.json']],
  clock: [[]],
  faults: [['lose_answer']],
  'inbox ls': [[]],
  'inbox show': [['1']],
  'inbox retry': [['--dead']],
  'inbox export': [['--reveal', '--out', 'recording.json']],
  'inbox prune': [['--verify']],
  'inbox forget': [['255712000999', '--yes']],
  'announcement ls': [[]],
  'announcement show': [['1']],
  'announcement pause': [['1']],
  'announcement resume': [['1']],
  'announcement retry': [['1']],
  'announcement export': [['1']],
  'announcement cancel': [['1']],
  'outbox ls': [[]],
  'outbox show': [[SEND]],
  'outbox resolve': [[SEND, '--accepted']],
  'outbox resume': [[]],
  'outbox hold': [[]],
  backup: [['backup.db']],
  'database recustomer': [['--rule', 'brazil']],
  // No server answers there: the way to one is in postgres-copy.test.ts.
  'database copy': [['--to', 'postgres://127.0.0.1:1/bot'], { code: 1, silent: true }],
  // The environment of these tests names no service, so one finding is bad.
  doctor: [[], { code: 1 }],
  verify: [[receiver, '--secret', SECRET], { code: 1 }],
  'payload report': [[]],
  'payload export': [[]],
  'contract diff': [['--base-url', emulator.url, '--token', emulator.accessToken], { silent: true }],
})

/** Stdout is the command's, a file of types, or empty. */
const WITHOUT_JSON = ['exec', 'init', 'templates pull']

/** An app that has received, failed and sent; a customer who has written; files that commands read. */
async function populate({ emulator, folder }: { emulator: Emulator; folder: string }): Promise<void> {
  const store = openSqlite(join(folder, 'switchhook.db'))
  await arrived(store, [alone()])
  await handle(store, DEAD)
  const one = fresh({ id: SEND })
  await store.openSend(one)
  await attempt(store, one, UNKNOWN)
  await announced(store, [CUSTOMER])
  await store.close()
  const { deliveryIds } = await emulator.customer(CUSTOMER).says('hours')
  await emulator.deliveries.wait(({ id, state }) => id === deliveryIds[0] && state === 'delivered')
  const steps = [{ kind: 'text', at: '2026-03-04T09:00:00Z', customer: CUSTOMER, text: 'hello' }]
  writeFileSync(join(folder, 'conversation.json'), JSON.stringify({ recording: 1, name: 'hello', steps }))
}

const QUIET = { NO_COLOR: '1' }
const STACK = /\n\s+at |EPIPE|UnhandledPromise/
const ESCAPE = '\u001B'

describe('beside an emulator and a database', () => {
  const { emulator, receiver, folder, run, start } = beside()
  beforeEach(() => populate({ emulator: emulator(), folder: folder() }))
  async function untilFirstLine(running: Running) {
    await running.line('stdout')
    running.kill('SIGTERM')
    return await running.ended
  }

  it('every command prints JSON and nothing else on stdout, without a colour or a terminal', async () => {
    const rows = rowsFor(emulator(), receiver().url)
    expect([...Object.keys(rows), ...WITHOUT_JSON].sort()).toEqual([...(await allCommands()).keys()].sort())
    for (const [name, [args, { code = 0, lives, silent } = {}]] of Object.entries(rows)) {
      // Its stdin is a pipe that nobody ends: a command that asked there would wait for ever.
      const words = [...name.split(' '), '--json', ...args]
      const ended = await (lives ? untilFirstLine(start(words, QUIET)) : run(words, QUIET))
      expect([ended.code, ended.stderr], name).toEqual([code, expect.not.stringMatching(STACK)])
      const lines = jsonLines(ended.stdout)
      expect(
        lines.every((line) => typeof line === 'object'),
        name,
      ).toBe(true)
      if (!silent) expect(lines, name).not.toEqual([])
      expect(ended.stdout + ended.stderr, name).not.toContain(ESCAPE)
    }
  })
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
