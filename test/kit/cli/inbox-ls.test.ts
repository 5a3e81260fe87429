import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { delivery, send, unclear } from '../../store/samples.ts'
import { advice } from '../../../src/kit/cli/support/advice.ts'
import { alone, arrived, DEAD, inboxFolder, PARKED } from './inbox-support.ts'
import { jsonLines } from './support.ts'

const { file, inbox, came, handled, inApp } = inboxFolder()

const PHONE = '255712345678'
const UPSTREAM = 'wamid.HBgMMjU1NzEyMzQ1Njc4'
const HOUR = 3_600_000

/** A delivery that says something in every place that may hold a text, and whose handler repeats it as it fails. */
async function canaries() {
  const payload = {
    event: 'message.received',
    data: {
      id: UPSTREAM,
      type: 'text',
      timestamp: 1_772_614_800,
      from: PHONE,
      text: { body: 'canary of a text' },
      [PHONE]: 1,
    },
  }
  const body = Buffer.from(JSON.stringify(payload))
  const values = {
    customer: PHONE,
    text: 'canary of a text',
    kind: 'text',
    upstreamId: UPSTREAM,
    at: 1_772_614_800_000,
  }
  const facts = JSON.stringify({ values, sure: ['customer'], mapped: [], own: { orderId: 'canary-7781' } })
  return inApp(async (store) => {
    const seq = await arrived(
      store,
      [alone({ customer: PHONE, facts, cause: { identity: undefined, signed: UPSTREAM } })],
      { body },
    )
    const now = Date.now()
    const [begun] = (await store.claimItems({ processName: 'app', limit: 1, now, leaseMs: 10_000 })).begun
    if (!begun) throw new Error('nothing was begun')
    await store.keepOnce(begun.fence, begun.work.id, `canary ${PHONE}`, '"canary of once"')
    await store.openSend(send({ customer: PHONE, cause: UPSTREAM, body: '{"text":"canary of a reply"}' }), {
      fence: begun.fence,
    })
    const failed = { as: 'dead', reason: `Error: no order for ${PHONE}`, completedHandlers: [`hears:canary`] } as const
    await store.settleItem(begun.fence, begun.work.id, failed, { now, goOn: false })
    return seq
  })
}

describe('switchhook inbox ls', () => {
  it('counts first what needs a person, then lists deliveries, newest first, a line each [F-62]', async () => {
    const receivedAt = Date.UTC(2026, 2, 4, 9)
    const dead = await came([alone()], { receivedAt, deliveryId: 'A' })
    await handled(DEAD)
    const batch = await came([alone(PARKED), alone({ idx: 1, customer: PHONE })], { receivedAt, deliveryId: 'B' })
    const ignored = await came([], { receivedAt, deliveryId: 'C', event: 'order.paid' })
    const [quarantined, replay] = await inApp(async (store) => {
      await store.accept(unclear({ receivedAt }))
      const first = delivery({ receivedAt, deliveryId: 'D' })
      await store.accept(first)
      await store.accept({ ...first, deliveryId: 'E' })
      return (await store.listDeliveries({ limit: 3 })).deliveries.map(({ seq }) => seq).reverse() as [number, number]
    })
    const [waiting, ...rows] = jsonLines((await inbox('ls', '--all', '--json')).stdout)
    expect(waiting).toMatchObject({ kind: 'waiting', dead: 1, parked: 1, quarantined: 1, suspected_replay: 1 })
    expect(rows).toMatchObject([
      {
        seq: replay + 1,
        id: 'E',
        states: { suspected_replay: 1 },
        note: 'these signed bytes arrived before',
        resembles: replay,
      },
      { seq: replay, id: 'D', states: { stored: 1 } },
      { seq: quarantined, states: { quarantined: 1 }, note: 'the delivery id is missing' },
      { seq: ignored, id: 'C', event: 'order.paid', states: { ignored: 1 } },
      { seq: batch, items: [{ customer: '…101', reason: 'fact_missing: customer' }, { customer: '…678' }] },
      { seq: dead, id: 'A', items: [{ state: 'dead', attempts: 1, reason: 'TypeError: no price for habari yako' }] },
    ])
    const { code, stdout, stderr } = await inbox('ls')
    expect(code).toBe(0)
    expect(stderr).toContain('Waiting for a person: 1 dead, 1 parked, 1 quarantined, 1 suspected_replay')
    expect(stdout).toMatch(/ …101, …678 +parked: 1, stored: 1 +0 +0 +fact_missing: customer$/m)
  })

  it('shows the attempts of open items, and none where the count is gone', async () => {
    await came([alone()])
    await handled({ as: 'done' })
    await came([alone()])
    const [, waiting, done] = jsonLines((await inbox('ls', '--json')).stdout)
    expect([waiting, done]).toMatchObject([
      { items: [{ state: 'stored', attempts: 0 }] },
      { items: [{ state: 'done' }] },
    ])
    expect(JSON.stringify(done)).not.toContain('attempts')
    const { stdout } = await inbox('ls')
    expect(stdout).toMatch(/ stored: 1 +0 +0 /m)
    expect(stdout).toMatch(/ done: 1 +- +0 /m)
  })

  it('repeats the database that was typed in the commands that it advises, but no address', async () => {
    const dead = await came([alone()])
    await handled(DEAD)
    const typed = `${file()}/../switchhook.db`
    const ls = await inbox('ls', '--database', typed)
    expect(ls.stderr).toContain(`\`inbox retry --database ${typed}\` requeues them`)
    const show = await inbox('show', String(dead), '--database', typed)
    expect(show.stdout).toContain(`switchhook inbox retry --database ${typed} ${dead}\n`)
    const unknown = await inbox('show', '99', '--database', typed)
    expect(unknown.stderr).toContain(`\`switchhook inbox ls --database ${typed}\` shows them`)
    expect((await inbox('show', String(dead))).stdout).toContain(`switchhook inbox retry ${dead}\n`)
    expect(advice({ database: 'postgres://u:hunter2@h/db' }, 'run `switchhook outbox resume`')).toBe(
      'run `switchhook outbox resume --database postgres://…`',
    )
    expect(advice({ database: './my bot.db' }, 'inbox ls')).toBe("inbox ls --database './my bot.db'")
  })

  it('prints an object a line with --json, only messages by default, by state, event, customer, number and age', async () => {
    const old = await came([alone({ number: 'retail', customer: PHONE })], { receivedAt: Date.now() - 2 * HOUR })
    const retryAt = Date.now() + HOUR
    await handled({ as: 'retry', reason: 'busy', at: retryAt, blocksLane: false, completedHandlers: [] })
    const young = await came([alone()])
    const paid = await came([], { event: 'order.paid' })
    const asked = [
      ['--all'],
      [],
      ['--all', '--limit', '2'],
      ['--state', 'retry'],
      ['--event', 'order.paid'],
      ['--customer', PHONE, '--number', 'retail'],
      ['--all', '--since', '1h'],
    ]
    const lists = await Promise.all(asked.map(async (args) => jsonLines((await inbox('ls', '--json', ...args)).stdout)))
    for (const [waiting] of lists)
      expect(waiting).toEqual({ kind: 'waiting', dead: 0, parked: 0, quarantined: 0, conflict: 0, suspected_replay: 0 })
    expect(lists.map((lines) => lines.slice(1).map(({ seq }) => seq))).toEqual([
      [paid, young, old],
      [young, old],
      [paid, young],
      [old],
      [paid],
      [old],
      [paid, young],
    ])
    expect(lists[3]?.[1]).toEqual({
      kind: 'delivery',
      seq: old,
      id: expect.any(String),
      event: 'message.received',
      subscription: 'default',
      receivedAt: expect.stringMatching(/Z$/),
      ageSeconds: expect.any(Number),
      states: { retry: 1 },
      repeats: 0,
      items: [
        {
          idx: 0,
          kind: 'message',
          number: 'retail',
          customer: '…678',
          state: 'retry',
          attempts: 1,
          retryAt: new Date(retryAt).toISOString(),
          reason: 'busy',
        },
      ],
    })
  })
})

describe('switchhook inbox show', () => {
  it('shows everything about a delivery: times, what it resembles, its items, why they are in their state, its sends [R SIG-07]', async () => {
    const seq = await canaries()
    await inApp((store) => store.accept(delivery({ deliveryId: 'X' })))
    const [row] = await inApp((store) => store.deliveries([seq]))
    const id = row?.deliveryId ?? ''
    await inApp((store) => store.accept(delivery({ deliveryId: id })))
    const [bySeq, byId] = await Promise.all([
      inbox('show', String(seq), '--json'),
      inbox('show', id.toLowerCase(), '--json'),
    ])
    expect(bySeq.code).toBe(0)
    expect(jsonLines(byId.stdout)).toMatchObject([{ states: { conflict: 1 }, resembles: seq }, { seq }])
    expect(jsonLines(bySeq.stdout)).toMatchObject([
      {
        seq,
        id,
        states: { dead: 1 },
        why: ['its handlers failed for good: fix what the reason states, then retry it'],
        possible: `switchhook inbox retry ${seq}`,
        event: 'message.received',
        resembledBy: [expect.any(Number)],
        items: [{ state: 'dead', customer: '…678', reason: 'Error: no order for …678', finished: 1, once: 1 }],
        sends: [{ state: 'ready' }],
        body: { data: { from: '[12 characters]', text: { body: '[16 characters]' }, '…678': '[number]' } },
      },
    ])
  })

  it('shows in which route the last attempt failed, and where: the app’s own frames first, without a number in them [F-87]', async () => {
    const seq = await came([alone()])
    const frames = [`at Object.${PHONE} (shops/${PHONE}/bot.js:1:1234567)`, 'at node:internal/process:105:5']
    await handled({ as: 'dead', reason: 'x', failure: { attempt: 2, route: `hears:${PHONE}`, frames } })
    const [masked, json, revealed] = await Promise.all(
      [[], ['--json'], ['--reveal']].map((flags) => inbox('show', String(seq), ...flags)),
    )
    expect(masked?.stdout).toMatch(/hears:…678[^]*at Object.…678 \(shops\/…678\/bot\.js:1:1234567\)/)
    expect(json?.stdout).not.toContain(PHONE)
    expect(json?.stdout).toContain('"route":"hears:…678"')
    expect(revealed?.stdout).toContain(`at Object.${PHONE} (shops/${PHONE}/bot.js:1:1234567)`)
  })

  it('shows neither phone nor text, in lists and details, as a table and as JSON, without --reveal [F-83, F-87]', async () => {
    const seq = String(await canaries())
    const printed = await Promise.all(
      [['ls'], ['ls', '--json'], ['show', seq], ['show', seq, '--json']].map((args) => inbox(...args)),
    )
    for (const { code, stdout } of printed) {
      expect(code).toBe(0)
      expect(stdout).not.toBe('')
      for (const secret of [PHONE, 'canary', UPSTREAM]) expect(stdout).not.toContain(secret)
    }
    const revealed = await inbox('show', seq, '--reveal')
    for (const secret of [
      PHONE,
      UPSTREAM,
      'canary of a text',
      'canary-7781',
      'Error: no order',
      'hears:canary',
      `canary ${PHONE}`,
    ])
      expect(revealed.stdout).toContain(secret)
  })

  it('changes nothing in the database by reading, with and without a running app', async () => {
    const seq = String(await canaries())
    const files = () => [file(), `${file()}.generation`].map((name) => readFileSync(name))
    const before = files()
    const looks = await Promise.all([inbox('ls'), inbox('show', seq), inbox('export', '--reveal')])
    expect(looks.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(files()).toEqual(before)
    const app = openSqlite(file())
    await app.accept(delivery({ event: 'not.yet.in.the.file' }))
    const open = files()
    expect((await inbox('ls', '--all')).stdout).toContain('not.yet.in.the.file')
    expect(files()).toEqual(open)
    await app.close()
  })
})
