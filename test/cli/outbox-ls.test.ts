import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { API_ERRORS } from '../../src/contract/index.ts'
import { REMEDIES } from '../../src/inspect/send-states.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { fresh, outboxFolder, REFUSED, UNKNOWN } from './outbox-support.ts'
import { jsonLines } from './support.ts'

const { file, inApp, outbox, attempted } = outboxFolder()

const HOUR = 3_600_000
const PHONE = '255712345678'
const TEXT = 'canary in the text'
const TEMPLATE_TEXT = 'canary in the template'
const UPSTREAM = 'wamid.HBgMMjU1NzEyMzQ1Njc4'

/** Every kind of text that a send may hold, and one of each state of waiting. */
async function canaries() {
  const body = JSON.stringify({ to: PHONE, type: 'text', text: TEXT })
  const fallbackBody = JSON.stringify({
    to: PHONE,
    type: 'template',
    template_name: 'order_ready',
    template_language: 'sw',
    template_components: [{ type: 'body', parameters: [{ type: 'text', text: TEMPLATE_TEXT }] }],
  })
  return attempted(
    fresh({
      customer: PHONE,
      body,
      cause: UPSTREAM,
      slot: `["hears:${PHONE}"]`,
      ref: '7781',
      fallback: { key: 'sh1_f:fallback', body: fallbackBody },
    }),
    { as: 'accepted', messageId: 'msg_1', upstreamId: UPSTREAM, possiblyTwice: true },
  )
}

describe('switchhook outbox ls', () => {
  it('lists sends, the newest first, a line each: state, number, customer, age, attempts, code, reference', async () => {
    const old = await attempted(fresh({ createdAt: Date.now() - 3 * HOUR - 1_000, ref: '7781' }), UNKNOWN)
    const refused = await attempted(fresh({ number: 'retail', customer: PHONE }), REFUSED)
    const later = fresh({ dueAt: Date.UTC(2099, 2, 4, 9) })
    await inApp((store) => store.openSend(later))
    const { code, stdout, stderr } = await outbox('ls')
    expect([code, stderr]).toEqual([0, ''])
    const cells = stdout.split('\n').map((line) => line.split(/ {2,}/))
    const seconds = expect.stringMatching(/^\d+s$/) as string
    expect(cells).toEqual([
      ['ID', 'STATE', 'NUMBER', 'CUSTOMER', 'VIA', 'AGE', 'ATTEMPTS', 'CODE', 'REF', 'NOTE'],
      [later.id, 'scheduled', 'default', '…101', 'freeform', seconds, '0', 'goes out at 2099-03-04T09:00:00.000Z'],
      [refused.id, 'refused', 'retail', '…678', 'freeform', seconds, '1', 'template_not_found'],
      [old.id, 'unknown', 'default', '…101', 'freeform', '3h', '1', '7781'],
      [''],
    ])
  })

  it('prints an object a line with --json, filtered by state, number and customer, as many as are asked for', async () => {
    const one = await attempted(fresh({ number: 'retail', customer: PHONE, ref: 'r' }), UNKNOWN)
    const two = await attempted(fresh({ number: 'retail' }), UNKNOWN)
    const three = await attempted(fresh(), REFUSED)
    const ids = async (...args: string[]) =>
      jsonLines((await outbox('ls', '--json', ...args)).stdout).map(({ id }) => id)
    expect(await ids()).toEqual([three.id, two.id, one.id])
    expect(await ids('--limit', '2')).toEqual([three.id, two.id])
    expect(await ids('--state', 'unknown')).toEqual([two.id, one.id])
    expect(await ids('--number', 'retail', '--customer', PHONE)).toEqual([one.id])
    const [line] = jsonLines((await outbox('ls', '--json', '--customer', PHONE)).stdout)
    expect(line).toEqual({
      kind: 'send',
      id: one.id,
      state: 'unknown',
      number: 'retail',
      customer: '…678',
      via: 'freeform',
      createdAt: new Date(one.createdAt).toISOString(),
      ageSeconds: expect.any(Number),
      attempts: 1,
      ref: 'r',
      possiblyTwice: false,
    })
  })

  it('lists more than one page of the store, and says that there may be more', async () => {
    await inApp(async (store) => {
      await Promise.all(Array.from({ length: 1_001 }, () => store.openSend(fresh())))
    })
    const all = await outbox('ls', '--json', '--limit', '5000')
    expect(new Set(jsonLines(all.stdout).map(({ id }) => id)).size).toBe(1_001)
    const some = await outbox('ls')
    expect(some.stdout.trimEnd().split('\n')).toHaveLength(51)
    expect(some.stderr).toBe('The newest 50; --limit shows more.\n')
  })

  it('shows the closed queues above: stopped since when and why, what is to be done, paused until when [B ERR-05]', async () => {
    const now = Date.now()
    const stopped = {
      stopped: true,
      closedUntil: now + HOUR,
      inARow: 1,
      code: 'not_authenticated',
      reason: 'bad token',
    }
    const paused = { ...stopped, stopped: false, code: 'rate_limited', reason: 'slow down' }
    const held = { as: 'held', code: 'not_authenticated', reason: 'bad token' } as const
    const one = await attempted(fresh({ number: 'retail' }), held, { move: stopped })
    const later = { as: 'ready', at: now + HOUR, code: 'rate_limited', reason: 'slow down' } as const
    await attempted(fresh({ number: 'wholesale' }), later, { move: paused })
    const { stdout } = await outbox('ls')
    const [first = '', toDo = '', second = '', , empty, head = ''] = stdout.split('\n')
    expect(first).toMatch(/^The queue of retail is stopped since .*Z \(\d+s\): not_authenticated; bad token$/)
    expect(toDo).toBe('  To do: the token is not valid any more: bring the new one; it goes on by itself')
    expect(second).toContain(
      `The queue of wholesale is pausing until ${new Date(now + HOUR).toISOString()}: rate_limited`,
    )
    expect([empty, head.slice(0, 2)]).toEqual(['', 'ID'])
    const lines = jsonLines((await outbox('ls', '--json', '--number', 'retail')).stdout)
    expect(lines).toMatchObject([
      { kind: 'queue', number: 'retail', state: 'stopped', code: 'not_authenticated', toDo: toDo.slice(9) },
      { kind: 'send', id: one.id, state: 'held' },
    ])
  })

  it('has a sentence for every answer that stops a queue [B ERR-05]', () => {
    const stops = Object.entries(API_ERRORS).flatMap(([code, rule]) => ('stops' in rule ? [code] : []))
    expect(Object.keys(REMEDIES).sort()).toEqual([...stops, 'no_access_token'].sort())
  })

  it('says that a restored database holds its timers, also if no send is open in it', async () => {
    await inApp(async () => {}, { restored: true })
    expect((await outbox('ls')).stdout).toMatch(/no send is held, but its timers are.*`switchhook outbox resume`/)
  })

  it('says that a restored database holds its sends, and what to do', async () => {
    await inApp((store) => store.openSend(fresh()))
    await inApp(async () => {}, { restored: true })
    expect((await outbox('ls')).stdout).toContain('brought back from a backup, and 1 of its sends wait for a person')
  })

  it('shows neither phone nor text, in lists and details, as a table and as JSON, unless they are asked for [B OTP-06, F-87]', async () => {
    const { id } = await canaries()
    const printed = await Promise.all(
      [['ls'], ['ls', '--json'], ['show', id], ['show', id, '--json']].map((args) => outbox(...args)),
    )
    for (const { code, stdout, stderr } of printed) {
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain('…678')
      for (const secret of [PHONE, 'canary', UPSTREAM]) expect(stdout).not.toContain(secret)
    }
    const revealed = await Promise.all([outbox('ls', '--reveal'), outbox('show', id, '--reveal')])
    for (const { stdout } of revealed) expect(stdout).toContain(PHONE)
    for (const { stdout } of revealed) expect(stdout).toContain(TEXT)
    for (const secret of [TEMPLATE_TEXT, UPSTREAM]) expect(revealed[1].stdout).toContain(secret)
  })

  it('lets no text from outside move the cursor or begin a line of its own', async () => {
    const hostile = 'x\u001B[2Jy\u009Bz\nforged  line\u202E'
    const { id } = await attempted(fresh({ ref: hostile }), { as: 'refused', code: hostile, reason: hostile })
    for (const args of [['ls'], ['show', id]])
      expect((await outbox(...args)).stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]|^forged/u)
  })

  it('changes nothing in the database, with the app at work and without it', async () => {
    const { id } = await canaries()
    const files = () => [file(), `${file()}.generation`].map((name) => readFileSync(name))
    const before = files()
    for (const args of [['ls'], ['show', id]]) expect((await outbox(...args)).code).toBe(0)
    expect(files()).toEqual(before)
    const app = openSqlite(file())
    await app.openSend(fresh({ ref: 'not yet in the file itself' }))
    const open = files()
    expect((await outbox('ls')).stdout).toContain('not yet in the file itself')
    expect(files()).toEqual(open)
    await app.close()
  })
})
