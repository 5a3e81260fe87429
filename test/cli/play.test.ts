import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlayFile, PlayStep } from 'switchhook/testing'
import { createEmulator } from '../../src/emulator/index.ts'
import { besideEmulator } from '../examples/beside-emulator.ts'
import { freePort } from '../support/free-port.ts'
import { ASHA, JUMA } from '../support/people.ts'
import { jsonLines, switchhook } from './support.ts'

const READY = { name: 'ready', language: 'sw', body: 'Oda {{1}} iko tayari' }

let folder = ''
let running: Awaited<ReturnType<typeof besideEmulator>>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-play-'))
  running = await besideEmulator(resolve(import.meta.dirname, 'play-bot.ts'))
})
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

let files = 0
function write(what: PlayFile | string): string {
  const path = join(folder, `${++files}.json`)
  writeFileSync(path, typeof what === 'string' ? what : JSON.stringify(what))
  return path
}

const conversation = (...steps: PlayStep[]): PlayFile => ({ switchhook: 1, name: 'a day in the shop', steps })

type Reached = { readonly url: string; readonly controlToken: string }

const play = (path: string, flags: string[] = [], { url, controlToken }: Reached = running.emulator) =>
  switchhook(['play', path, ...flags], { SWITCHHOOK_EMULATOR: url, SWITCHHOOK_CONTROL_TOKEN: controlToken }, folder)

it('plays all that can happen against the running app, a line a step', async () => {
  const path = write({
    ...conversation(
      { customer: ASHA, says: 'hours', expect: [{ text: '9 to 17', to: ASHA }] },
      { customer: ASHA, says: 'hi' },
      { customer: ASHA, taps: 'Track order', expect: [{ text: 'On its way' }] },
      {
        customer: ASHA,
        sends: { kind: 'image', url: 'https://media.example/1.jpg', caption: 'shoe' },
        expect: [{ text: 'What a shoe!' }],
      },
      { customer: ASHA, writes: [{ says: 'hours' }, { says: 'silence' }], expect: [{ text: '9 to 17' }] },
      {
        event: 'order.ready',
        payload: { id: '7781' },
        expect: [{ refused: 'outside_messaging_window' }, { to: JUMA, template: { name: 'ready', body: ['7781'] } }],
      },
    ),
    templates: [READY],
  })
  const { code, stdout, stderr } = await play(path)
  expect(stdout).toBe(`a day in the shop  (${path})
  ok     ${ASHA} says "hours"
  ok     ${ASHA} says "hi"
  ok     ${ASHA} taps "Track order"
  ok     ${ASHA} sends image "shoe"
  ok     ${ASHA} says "hours", says "silence"
  ok     order.ready comes

6 passed, 0 fell, 0 not played.
`)
  expect([code, stderr]).toEqual([0, ''])
})

it("moves the emulator's clock and tells the app at once: what is scheduled goes out", async () => {
  const path = write(
    conversation(
      { customer: ASHA, says: 'remind me', expect: [{ text: 'I will' }] },
      { advance: '59m', expect: [] },
      { advance: '1m', expect: [{ to: ASHA, text: 'The hour is over' }] },
    ),
  )
  const { code, stdout } = await play(path, ['--wait', '3s'])
  expect(stdout).toMatch(/^ {2}ok +59m pass$/m)
  expect(stdout).toMatch(/^ {2}ok +1m pass$/m)
  expect(code).toBe(0)
})

it('says what differs if a step fails, leaves out the rest, goes on with the next file, and exits with 1', async () => {
  const falls = write(
    conversation(
      { customer: ASHA, says: 'hours', expect: [{ text: '9 to 18' }] },
      { customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] },
    ),
  )
  const holds = write(conversation({ customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] }))
  const report = join(folder, 'report.xml')
  const { code, stdout } = await play(falls, [holds, '--junit', report])
  expect(stdout).toBe(
    `a day in the shop  (${falls})
  FALLS  ${ASHA} says "hours"
         - expected "9 to 18"
         + came     "9 to 17" to ${ASHA}
  -      ${ASHA} says "hours" (not played)
a day in the shop  (${holds})
  ok     ${ASHA} says "hours"

1 passed, 1 fell, 1 not played.
`,
  )
  expect(code).toBe(1)
  const xml = readFileSync(report, 'utf8')
  expect(xml).toContain('<testsuite name="a day in the shop" tests="2" failures="1" errors="0" skipped="1">')
  expect(xml).toContain('- expected &quot;9 to 18&quot;')
  expect(xml).toContain('<skipped/>')
})

it.for<[string, PlayStep, RegExp, wait?: string]>([
  [
    'nothing comes',
    { customer: ASHA, says: 'silence', expect: [{ text: 'x' }] },
    /- expected "x"\n +\+ came +nothing more/,
  ],
  [
    'something comes besides',
    { customer: ASHA, says: 'hours', expect: [] },
    /- expected nothing more\n +\+ came +"9 to 17"/,
    '60s',
  ],
  [
    'an option is not on the phone',
    { customer: JUMA, taps: 'pay' },
    /the phone shows no option "pay"; to tap there is: /,
  ],
  ['no such number is connected', { customer: ASHA, number: 'sales', says: 'hi' }, /No number "sales" is connected/],
])('a step fails if %s', async ([, step, why, wait = '500ms']) => {
  const { code, stdout } = await play(write(conversation(step)), ['--wait', wait])
  expect(stdout).toMatch(/^ {2}FALLS/m)
  expect(stdout).toMatch(why)
  expect(code).toBe(1)
})

it('--json: one object a line and nothing else on stdout', async () => {
  const path = write(
    conversation(
      { customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] },
      { customer: ASHA, says: 'hours', expect: [{ text: '9 to 18' }] },
      { advance: '1h' },
    ),
  )
  const { code, stdout, stderr } = await play(path, ['--json'])
  const about = { kind: 'step', file: path }
  expect(jsonLines(stdout)).toMatchObject([
    { ...about, step: 1, does: `${ASHA} says "hours"`, state: 'passed', came: [{ to: ASHA, text: '9 to 17' }] },
    { ...about, step: 2, state: 'failed', expected: [{ text: '9 to 18' }], came: [{ text: '9 to 17' }] },
    { ...about, step: 3, does: '1h pass', state: 'skipped', came: [] },
    { kind: 'score', passed: 1, failed: 1, skipped: 1 },
  ])
  expect([code, stderr]).toEqual([1, ''])
})

describe('customers who write meanwhile', () => {
  const LONG = ['--wait', '60s', '--json']
  const OTHERS = 40
  const AT_A_TIME = 4

  /** Others write for as long as the work lasts, without a pause. */
  async function amongOthers(work: () => Promise<void>): Promise<void> {
    const { customer, deliveries } = running.emulator
    let talking = true
    const talk = async (first: number) => {
      for (let index = first; talking; index += AT_A_TIME) {
        const { deliveryIds } = await customer(`2557130000${10 + (index % OTHERS)}`).says('hours')
        await deliveries.wait(({ id, state }) => deliveryIds.includes(id) && state === 'delivered', 60_000)
      }
    }
    const crowd = Promise.all(Array.from({ length: AT_A_TIME }, (_, first) => talk(first)))
    try {
      await work()
    } finally {
      talking = false
      await crowd
    }
  }

  it('are left out', () =>
    amongOthers(async () => {
      const path = write(
        conversation(
          { customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] },
          { customer: ASHA, says: 'hello', expect: [{ text: 'How can we help?' }] },
        ),
      )
      const { stdout } = await play(path, LONG)
      expect(jsonLines(stdout).at(-1)).toMatchObject({ passed: 2, failed: 0 })
    }))

  it('are all that is left out: a send to somebody else counts', () =>
    amongOthers(async () => {
      const steps = conversation({ event: 'order.ready', payload: { order: 'p' }, expect: [] })
      const { code, stdout } = await play(write({ ...steps, templates: [READY] }), LONG)
      expect(stdout).toContain('255712000102')
      expect(code).toBe(1)
    }))
})

it('says that the app does not accept the delivery, or that there is no endpoint at all', async () => {
  const path = write(conversation({ customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] }))
  await using alone = await createEmulator({ webhook: `http://127.0.0.1:${await freePort()}/webhooks/messages` })
  const refused = await play(path, ['--wait', '500ms'], alone)
  expect(refused.stdout).toContain('message.received was not taken by the app: connection_refused')
  expect(refused.code).toBe(1)

  await fetch(`${alone.url}/_emulator/subscriptions`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${alone.controlToken}` },
    body: JSON.stringify({ url: (await alone.subscriptions.list())[0]?.url }),
  })
  const nobody = await play(path, ['--wait', '500ms'], alone)
  expect(nobody.stdout).toContain('it reached nobody: the emulator has no active endpoint')
  expect(nobody.code).toBe(1)
})

it('exits with 3 if no emulator answers', async () => {
  const path = write(conversation({ customer: ASHA, says: 'hours' }))
  const { code, stderr } = await play(path, [], { url: `http://127.0.0.1:${await freePort()}`, controlToken: 'x' })
  expect(stderr).toMatch(/^switchhook: no emulator answers at http:\/\/127\.0\.0\.1:\d+ /)
  expect(code).toBe(3)
})

it('exits with 2 if the file, the token or the span is wrong, and has played nothing', async () => {
  const good = write(conversation({ customer: ASHA, says: 'hours' }))
  const before = (await running.texts()).length
  const calls: [Promise<{ code: number | null; stderr: string }>, RegExp][] = [
    [play(write('{')), /\.json: .*JSON/],
    [play(write(conversation({ customer: 'asha', says: 'hi' }))), /steps\[0\]\.customer: expected the 6 to 15 digits/],
    [play(join(folder, 'nowhere.json')), /nowhere\.json cannot be read/],
    [play(good, ['--wait', 'soon']), /--wait: expected a span/],
    [play(good, ['--wait', '0']), /--wait: expected more than nothing/],
    [
      play(good, [], { ...running.emulator, url: running.emulator.url, controlToken: 'wrong' }),
      /another control token/,
    ],
  ]
  for (const [call, why] of calls) {
    const { code, stderr } = await call
    expect(stderr).toMatch(why)
    expect(code).toBe(2)
  }
  expect(await running.texts()).toHaveLength(before)
})

it('ends with 3 if the emulator goes away in the middle of a step', async () => {
  const path = write(conversation({ customer: ASHA, says: 'hours', expect: [{ text: '9 to 17' }] }))
  const alone = await createEmulator({ webhook: `http://127.0.0.1:${await freePort()}/webhooks/messages` })
  const written = alone.deliveries.wait(({ attempts }) => attempts.length > 0)
  const ended = play(path, ['--wait', '1m'], alone)
  await written
  await alone.close()
  const { code, stderr } = await ended
  expect(stderr).toMatch(/does not answer any more|no emulator answers/)
  expect(code).toBe(3)
})
