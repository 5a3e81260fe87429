import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseLock, shapeOf } from '../../src/payload/index.ts'
import { delivery } from '../stores/samples.ts'
import vectors from '../vectors/payloads.json' with { type: 'json' }
import { databaseFolder } from './database-folder.ts'
import { run as start, switchhook } from './support.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

const { folder, inApp } = databaseFolder()
const run = (...args: string[]) => switchhook(['payload', 'lock', ...args], {}, folder())
const FILE = './payload.lock.json'
const EVENT = 'message.received'

/** Ids differ: the same bytes twice would be one delivery. */
let nth = 0
const of = (changes: object = {}, event = EVENT) => ({
  event,
  json: {
    data: {
      id: `m-${nth++}`,
      from: '255712000101',
      message_type: 'text',
      content: 'Habari',
      timestamp: 1772615721,
      ...changes,
    },
  },
})
const came = (...payloads: readonly { event: string; json: unknown }[]) =>
  inApp(async (store) => {
    for (const { event, json } of payloads)
      await store.accept(delivery({ event, body: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)) }))
  })
const written = () => parseLock(readFileSync(join(folder(), FILE), 'utf8'), FILE).events
const factsIn = (event = EVENT) => written()[event]?.facts

describe('switchhook payload lock', () => {
  it('writes where the facts of what came stand, and says so; a file that is there is not written over [R EVT-08]', async () => {
    await came(of(), of({ content: 'Nyingine' }))
    const { code, stdout, stderr } = await run()
    expect([code, stderr]).toEqual([
      0,
      'The lock is in ./payload.lock.json: read it, and commit it. A bot reads it when it starts.\n',
    ])
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      '+ message.received.at: data.timestamp:number',
      '+ message.received.customer: data.from:string',
      '+ message.received.kind: data.message_type:string',
      '+ message.received.messageId: data.id:string',
      '+ message.received.text: data.content:string',
    ])
    expect(stdout).toMatch(/\n\+ message\.received shape [a-z]{12} \(2 payloads\)\n$/)
    expect(factsIn()).toMatchObject({ customer: ['data.from:string'], at: ['data.timestamp:number'] })
    const again = await run()
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already: `--update`')])
  })

  it('refuses what is in doubt, with the words that settle it: chosen it is locked, left it is guessed [R EVT-08]', async () => {
    await came(of(), of({ customer: { phone: '255712000999' } }))
    const { code, stderr } = await run()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `  --choose message.received.customer=data.from   found 2 times, 1 of them in doubt
  --leave message.received.customer
switchhook: nothing was written: a fact is in doubt; say of each where it stands, or leave it to guessing
`,
    )
    expect(existsSync(join(folder(), FILE))).toBe(false)
    expect((await run('--leave', 'message.received.customer', '--file', 'left.json')).code).toBe(0)
    expect((await run('--choose', 'message.received.customer', '--file', 'all.json')).code).toBe(0)
    expect((await run('--choose', 'message.received.customer=data.customer.phone')).code).toBe(0)
    expect(factsIn()?.customer).toEqual(['data.customer.phone:string'])
    const gone = await run('--choose', 'message.received.customer=data.who', '--file', 'gone.json')
    expect(gone.stderr).toContain('no payload of message.received has data.who, chosen for customer')
  })

  it.each([
    ['--choose', 'customer=data.from'],
    ['--leave', 'message.received.who'],
  ])('takes no %s %s: an event and one of its facts are expected', async (flag, value) => {
    await came(of())
    const { code, stderr } = await run(flag, value)
    expect([code, stderr]).toEqual([2, expect.stringContaining('such as message.received.customer')])
  })

  it('leaves out what the app maps itself, and takes the bot’s counts for deliveries that are no longer kept [R EVT-08]', async () => {
    await came(of())
    const about = { event: EVENT, firstAt: 0, lastAt: 0 }
    const { fingerprint, paths } = shapeOf({ data: { from: '', id: '', text: '' } })
    await inApp(async (store) => {
      await store.keepMapping([{ event: EVENT, fact: 'at', path: '()' }])
      await store.addPayloads({
        shapes: [{ ...about, fingerprint, paths, truncated: false, deliveries: 7, messages: 7 }],
        facts: [
          { ...about, fact: 'text', path: 'data.text', how: 'guessed', seen: 7, sure: 7 },
          { ...about, fact: 'customer', path: 'data.customer.phone', how: 'conflict', seen: 3, sure: 0 },
        ],
      })
    })
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('--choose message.received.customer=data.from   found 1 times, 3 of them in doubt'),
    ])
    expect((await run('--choose', 'message.received.customer')).code).toBe(0)
    expect(factsIn()).toEqual({
      customer: ['data.from:string'],
      kind: ['data.message_type:string'],
      messageId: ['data.id:string'],
      text: ['data.content:string', 'data.text:string'],
    })
    expect(Object.keys(written()[EVENT]?.shapes ?? {})).toContain(fingerprint)
  })

  it('is not hindered by a payload with an odd value, says what it left out, and writes no empty lock [R EVT-08]', async () => {
    const large = Object.fromEntries(
      Array.from({ length: 80 }, (_, index) => [`member_${'abcdefghij'[index % 10]}${'k'.repeat(index / 10)}`, 1]),
    )
    await came({ event: 'order.paid', json: large })
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('no fact was found anywhere') })
    await came(of(), of({ from: 'nobody' }), {
      event: EVENT,
      json: { data: { id: 'm', text: 'x', type: 'text' }, large },
    })
    expect(await run('--choose', 'message.received.customer')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Left out: 2 payloads of a shape too large to be locked.\n'),
    })
    expect(await run('--check')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /(?:^|\n)delivery 3: message\.received\.customer is not to be read at data\.from \(fact_unreadable\)\n/,
      ),
    })
  })

  it('has nothing of a customer in the file, nor in what it prints [R EVT-08, AUTH-07]', async () => {
    const canaries = ['255712000777', 'Siri kubwa', 'Asha Canary', 'wamid.CANARY', 'm-canary']
    const [from, content, name, wa_message_id, id] = canaries
    const json = {
      data: {
        ...of().json.data,
        from,
        content,
        contact: { name },
        wa_message_id,
        id,
        ['255712000777']: { [name ?? '']: 1 },
      },
    }
    await came({ event: EVENT, json }, of({ from, customer: { phone: '255712000999' } }))
    const outputs = [
      await run(),
      await run('--json'),
      await run('--choose', 'message.received.customer'),
      await run('--check'),
    ]
    const said =
      outputs.map(({ stdout, stderr }) => stdout + stderr).join('') + readFileSync(join(folder(), FILE), 'utf8')
    for (const canary of [...canaries, '255712000999', 'CANARY']) expect(said).not.toContain(canary)
  })
})

describe('switchhook payload lock --check', () => {
  const fixture = (name: string, payload: { event: string; json: unknown }) =>
    writeFileSync(join(folder(), 'fixtures', name), JSON.stringify({ event: payload.event, payload: payload.json }))

  it('exits with 1 and names each payload for which the lock does not hold: in a folder, a file of lines, or what came [R EVT-08]', async () => {
    await came(of())
    await run()
    mkdirSync(join(folder(), 'fixtures'))
    fixture('a.json', of())
    fixture('b.json', of({ extra: 1 }))
    fixture('other.json', of({}, 'order.paid'))
    const held = await run('--check', 'fixtures')
    expect([held.code, held.stdout]).toEqual([0, ''])
    expect(held.stderr).toBe(
      './payload.lock.json holds for 2 of 2 payloads; 1 with a shape that it does not know; 1 of events that are not locked.\n',
    )
    const { event, json } = of({ from: undefined, customer_phone: '255712000101' })
    writeFileSync(join(folder(), 'more.jsonl'), `${JSON.stringify({ event, payload: json })}\n\n`)
    const broken = await run('--check', 'fixtures', 'more.jsonl')
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('holds for 2 of 3 payloads')])
    expect(broken.stdout).toMatch(
      /^more\.jsonl:1: message\.received\.customer is not at data\.from:string, perhaps at data\.customer_phone:string \(\.\/payload\.lock\.json, shape [a-z]{12}\)\n$/,
    )
    await came(of({ timestamp: 'now' }))
    const received = await run('--check', '--json')
    expect([received.code, JSON.parse(received.stdout)]).toMatchObject([
      1,
      { held: 1, broken: [{ name: 'delivery 2', fact: 'at' }] },
    ])
  })

  it.each([
    ['a folder', undefined, /f\.json cannot be read: EISDIR/],
    ['an empty file', '', /f\.json is no JSON: .*`switchhook payload export`/],
    ['a list', '[]', /f\.json is no fixture: .*`switchhook payload export`/],
    [
      'a payload without end',
      `{"event":"message.received","payload":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      /f\.json is no fixture: its payload is nested too deep/,
    ],
  ])('names the file if a fixture is %s [R EVT-08]', async (_, text, said) => {
    await came(of())
    await run()
    mkdirSync(join(folder(), 'fixtures'))
    if (text === undefined) mkdirSync(join(folder(), 'fixtures', 'f.json'))
    else writeFileSync(join(folder(), 'fixtures', 'f.json'), text)
    const { code, stderr } = await run('--check', 'fixtures')
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)])
  })

  it('exits with 1 for a locked event that the specification does not name and that never came [R EVT-08]', async () => {
    await came(of(), of({}, 'shop.opened'))
    await run()
    mkdirSync(join(folder(), 'fixtures'))
    fixture('a.json', of())
    const unheard = await run('--check', 'fixtures')
    expect([unheard.code, unheard.stdout]).toEqual([
      1,
      './payload.lock.json locks shop.opened, an event that the specification does not name and that never came: under a misspelt name the real event is guessed\n',
    ])
    expect(JSON.parse((await run('--check', 'fixtures', '--json')).stdout)).toMatchObject({
      neverCame: ['shop.opened'],
    })
    expect((await run('--check')).code).toBe(0)
    fixture('b.json', of({}, 'shop.opened'))
    expect((await run('--check', 'fixtures')).code).toBe(0)
  })

  it('holds for every known payload of which the lock was made [R EVT-08]', async () => {
    await came(...vectors.payloads.map(({ event, body }) => ({ event, json: body })))
    const refused = await run('--json')
    const { doubts } = JSON.parse(refused.stdout) as { doubts: { event: string; fact: string }[] }
    const chosen = doubts.flatMap(({ event, fact }) => ['--choose', `${event}.${fact}`])
    expect(await run(...chosen)).toMatchObject({ stderr: expect.stringContaining('The lock is in'), code: 0 })
    expect(await run('--check')).toMatchObject({ code: 0, stdout: '' })
  })

  it('says what is missing: the lock, or anything to check [R EVT-08]', async () => {
    await came(of())
    expect(await run('--check')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`switchhook payload lock` writes one'),
    })
    await run()
    expect(await run('--check', 'nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere cannot be read'),
    })
  })
})

describe('switchhook payload lock --update', () => {
  const hasScript = spawnSync('script', ['--version']).status === 0
  it.skipIf(!hasScript).for([
    ['y\r', 0, 'payload.lock.json is written'],
    ['n\r', 4, 'payload.lock.json stays as it is'],
  ] as const)('asks at a terminal, and writes if the answer is yes: %j [R EVT-08]', async ([typed, expected, says]) => {
    await came(of())
    await run()
    await came(of({ extra: 'x' }))
    const command = `${process.execPath} --conditions=switchhook-source ${MAIN} payload lock --update`
    const asking = start('script', ['-qec', command, '/dev/null'], {}, folder())
    await asking.heard('stdout', /Write these changes to .*\[y\/N\] /)
    asking.child.stdin?.write(typed)
    const { code, stdout } = await asking.ended
    expect([code, stdout]).toEqual([expected, expect.stringContaining(says)])
  })

  it('takes an event in whose name is that of a member of all objects [R EVT-08]', async () => {
    await came(of())
    await run()
    await came(of({}, 'constructor'))
    expect(await run('--update')).toMatchObject({ code: 4, stdout: expect.stringContaining('+ constructor shape ') })
  })

  it('shows what is new beside the nearest locked shape, and writes that with --yes alone [R EVT-08]', async () => {
    await came(of())
    await run()
    const before = readFileSync(join(folder(), FILE), 'utf8')
    expect(await run('--update')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing is written'),
    })
    await came(
      of({
        message_type: 'interactive',
        content: undefined,
        interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      }),
    )
    const shown = await run('--update')
    expect(shown.code).toBe(4)
    expect(shown.stdout).toMatch(
      /^\+ message\.received\.tapped: data\.interactive\.button_reply:object\n\+ message\.received shape [a-z]{12} \(1 payload\), like [a-z]{12} but \+data\.interactive\.button_reply\.id:string .* -data\.content:string\n$/,
    )
    expect(readFileSync(join(folder(), FILE), 'utf8')).toBe(before)
    expect(await run('--update', '--yes')).toMatchObject({ code: 0 })
    expect(factsIn()).toMatchObject({ text: ['data.content:string'], tapped: ['data.interactive.button_reply:object'] })
    expect(await run('--check')).toMatchObject({ code: 0 })
  })

  it('takes over no shape that was only counted: nobody can tell whether the lock holds for it [R EVT-08]', async () => {
    await came(of())
    await run()
    const about = { event: EVENT, firstAt: 0, lastAt: 0 }
    const shape = { fingerprint: 'bcdfghjkmnpq', paths: ['data.text:string', 'data:object'], truncated: false }
    await inApp((store) =>
      store.addPayloads({ shapes: [{ ...about, ...shape, deliveries: 1, messages: 1 }], facts: [] }),
    )
    expect(await run('--update', '--yes')).toMatchObject({ code: 0, stdout: '' })
  })

  it('asks if a new shape names another customer, or only a place that was passed over, in place of taking it in [R EVT-08, MSG-01]', async () => {
    await came(of({ conversation: { phone_number: '255712000999' } }))
    await run('--choose', 'message.received.customer=data.from')
    const before = readFileSync(join(folder(), FILE), 'utf8')
    await came(of({ contact: { phone: '255712000888' }, conversation: { phone_number: '255712000999' } }))
    const rival = await run('--update', '--yes')
    expect([rival.code, rival.stderr]).toEqual([
      1,
      expect.stringContaining('--choose message.received.customer=data.from   found 1 times, 1 of them in doubt'),
    ])
    expect(await run('--check')).toMatchObject({ code: 1, stdout: expect.stringContaining('(fact_conflict)') })
    await came(of({ from: undefined, conversation: { phone_number: '255712000999' } }))
    const gone = await run('--update', '--yes')
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringContaining('--choose message.received.customer=data.conversation.phone_number   found 1 times'),
    ])
    expect(readFileSync(join(folder(), FILE), 'utf8')).toBe(before)
    expect(await run('--update', '--yes', '--choose', 'message.received.customer=data.from')).toMatchObject({ code: 0 })
    // Judged: the rival is passed over from now on, and of the message that names nobody the check says so.
    expect(await run('--check')).toMatchObject({
      code: 1,
      stdout: 'delivery 3: message.received.customer is not found (fact_missing)\n',
    })
  })

  it('adds the place to which a fact has moved, if it is sure there, and asks if it is not [R EVT-08]', async () => {
    await came(of())
    await run()
    await came(of({ from: undefined, customer_phone: '255712000101' }))
    expect(await run('--update', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        '! message.received.customer: data.from:string -> data.customer_phone:string, data.from:string\n',
      ),
    })
    await came(of({ from: undefined, wa_id: '255712000101' }))
    const doubtful = await run('--update', '--yes')
    expect([doubtful.code, doubtful.stderr]).toEqual([
      1,
      expect.stringContaining('--choose message.received.customer=data.wa_id   found 1 times'),
    ])
    expect(await run('--update', '--yes', '--choose', 'message.received.customer=data.wa_id')).toMatchObject({
      code: 0,
    })
    expect(factsIn()?.customer).toEqual(['data.customer_phone:string', 'data.from:string', 'data.wa_id:string'])
    expect(await run('--check')).toMatchObject({ code: 0 })
  })
})
