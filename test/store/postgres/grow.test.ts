import type { Writable } from 'node:stream'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openConnection } from '../../../src/store/postgres/connection.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { attempting, settle } from '../acts.ts'
import {
  ACCEPTED,
  ASHA,
  beginning,
  BEGINS,
  claim,
  DAY,
  delivery,
  HOUR,
  ingested,
  item,
  JUMA,
  LEASE_MS,
  named,
  NEEMA,
  send,
  T0,
  WHO,
} from '../samples.ts'
import { openHeld } from './held.ts'
import { WAITING } from './waiting.ts'
import type { NewStatus } from '../../../src/store/outbox/statuses.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'

const NEXT = { now: T0, goOn: true }
const window = (customer: string, lastAt = T0) => [{ number: 'default', customer, lastAt }]
const message = (customer: string) => ({
  ingested: { ...ingested(item({ customer })), windows: window(customer) },
  waitMs: 60_000,
})
const STATUS: NewStatus = {
  number: 'default',
  messageId: 'm1',
  upstreamId: undefined,
  status: 'delivered',
  at: T0 + 1,
  reason: undefined,
}

/** Two stores over one database; the first can be stopped in front of a statement. */
async function openTwo() {
  const database = await usedDatabase()
  const one = await openHeld(database.url)
  const other = await openHeld(database.url)
  // Of a customer who is new the second process waits for the row.
  for (const customer of [ASHA, JUMA]) await other.store.accept(delivery(), message(customer))
  other.asked.length = 0
  const waits = () => expect.poll(async () => (await database.read(WAITING)).length).toBeGreaterThan(0)
  return { ...database, one, other, waits }
}

/** What a transaction does that is alone. */
const ALONE = /LOCK TABLE .* IN EXCLUSIVE MODE/

describe('two processes', () => {
  it('store messages of two customers at the same time; one in a transaction keeps only its own customer waiting', async () => {
    const { one, other } = await openTwo()
    const stops = one.hold(/^COMMIT/)
    const first = one.store.accept(delivery(), message(ASHA))
    await stops.came
    let waited = 0
    const behind = other.store.accept(delivery(), message(ASHA)).finally(() => waited++)
    expect((await other.store.accept(delivery(), message(JUMA))).as).toBe('stored')
    expect({ waited, faults: other.faults }).toEqual({ waited: 0, faults: [] })
    stops.release()
    expect((await first).as).toBe('stored')
    expect((await behind).as).toBe('stored')
  })

  it('give ids of one customer in the order of their commits, and give none that was left over [R DEL-03]', async () => {
    const { one, other, url } = await openTwo()
    const third = await openHeld(url)
    const stops = one.hold(/^COMMIT/)
    const first = one.store.accept(delivery(), message(JUMA))
    await stops.came
    const both = [ASHA, JUMA].map((customer) => other.store.accept(delivery(), message(customer)))
    await both[0]
    const waits = other.hold(/^BEGIN/)
    await waits.came
    stops.release()
    await first
    const second = await third.store.accept(delivery(), message(JUMA))
    waits.release()
    const last = await both[1]
    expect(last?.seq).toBeGreaterThan(second.seq as number)
  })

  it('read what the one before has committed, once they have their customers [R DEL-03]', async () => {
    const { one, other } = await openTwo()
    const stops = other.hold(/ FOR NO KEY UPDATE/)
    const later = other.store.accept(delivery(), { ...message(NEEMA), begin: BEGINS })
    await stops.came
    await one.store.accept(delivery())
    stops.release()
    // The delivery that is not read yet may have an older message of this customer.
    expect((await later).started).toBeUndefined()
  })

  it('may claim one identity at a time: the slower one repeats, and finds the claim [R DEL-03]', async () => {
    const { one, other, waits } = await openTwo()
    const claims = (...customers: readonly string[]) => ({
      ingested: ingested(
        ...customers.map((customer, idx) =>
          named({ key: idx === 1 ? 'upstream:1' : `upstream:${customer}`, claimant: customer }, { customer, idx }),
        ),
      ),
      waitMs: 60_000,
    })
    const stops = one.hold(/^COMMIT/)
    const first = one.store.accept(delivery(), claims(ASHA, JUMA))
    await stops.came
    const second = other.store.accept(delivery(), claims(NEEMA, '255712000109'))
    await waits()
    stops.release()
    expect((await first).ingested).toEqual([])
    expect((await second).ingested).toEqual([{ idx: 1, identity: 'reused' }])
    expect(other.faults).toEqual(['23505'])
  })

  it('record a status and the answer to its send at the same time, and the status is shown and kept [R EVT-04]', async () => {
    const { one, other, read } = await openTwo()
    const sent = send()
    const fence = await attempting(other.store, sent)
    const stops = one.hold(/^COMMIT/)
    const told = one.store.accept(delivery(), { ingested: { ...ingested(), statuses: [STATUS] } })
    await stops.came
    await other.store.settleSend(fence, sent.id, ACCEPTED, NEXT)
    stops.release()
    await told
    const shown = async () => {
      const row = await other.store.findSend({ id: sent.id })
      return row && (await other.store.statusesOf(row)).map(({ status }) => status)
    }
    expect(await shown()).toEqual(['delivered'])
    const pruning = { now: T0 + 49 * HOUR, bytesBefore: T0 - DAY, idsBefore: T0 - DAY, limit: 100 }
    for (let after = (await other.store.prune(pruning)).next; after; )
      after = (await other.store.prune({ ...pruning, after })).next
    expect(await shown()).toEqual(['delivered'])
    expect(await read('SELECT stray FROM statuses'), 'no later pruning asks for it again').toEqual([{ stray: null }])
  })

  it('wait shortly for being alone, so that others begin meanwhile', async () => {
    const { one, other, read } = await openTwo()
    const stops = one.hold(/^COMMIT/)
    const first = one.store.accept(delivery(), message(ASHA))
    await stops.came
    const alone = other.store.cancelSend('nobody', T0)
    await expect.poll(() => other.faults.length).toBeGreaterThan(0)
    expect((await other.store.accept(delivery(), message(JUMA))).as).toBe('stored')
    expect(other.asked.find((text) => ALONE.test(text))).toContain('lock_timeout = 150;')
    expect(await read('SELECT count(*) AS n FROM inbox')).toEqual([{ n: 3 }])
    stops.release()
    expect([(await first).as, await alone]).toEqual(['stored', false])
  })

  it('meet at their first start', async () => {
    const { url } = await usedDatabase()
    const pool = new Pool({ connectionString: url })
    onTestFinished(() => pool.end())
    await pool.query('DROP SCHEMA IF EXISTS switchhook CASCADE')
    const stores = await Promise.all([1, 2, 3].map(() => openPostgres(url)))
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    const stored = await Promise.all(stores.map((store) => store.accept(delivery(), message(ASHA))))
    expect(stored.map(({ as }) => as)).toEqual(['stored', 'stored', 'stored'])
  })
})

/** A store whose round trips are counted. It has seen that repeats are rare. */
async function openCounting() {
  const { url } = await usedDatabase()
  const pool = new Pool({ connectionString: url, pipeline: true })
  let trips = 0
  const counting = {
    async connect() {
      const client = await pool.connect()
      const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
      Object.defineProperty(stream, 'uncork', {
        configurable: true,
        value() {
          if (stream.writableCorked === 1) trips++
          Object.getPrototypeOf(stream).uncork.call(stream)
        },
      })
      return client
    },
  }
  const commits: number[] = []
  const store = await openPostgres(counting, { onCommit: ({ operations }) => void commits.push(operations) })
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  const accept = (customer: string) => store.accept(delivery(), { ...message(customer), begin: BEGINS })
  for (let nth = 0; nth < 20; nth++) await accept(`2557120002${nth}`)
  const ends = ({ fence, work }: Begun<StartedItem>) => store.settleItem(fence, work.id, { as: 'done' }, NEXT)
  async function tripsOf<T>(work: () => Promise<T>): Promise<{ result: T; trips: number }> {
    trips = 0
    return { result: await work(), trips }
  }
  return { store, accept, ends, tripsOf, commits }
}

describe('one process', () => {
  it('takes two round trips for a group of deliveries and settlements', async () => {
    const { accept, ends, tripsOf } = await openCounting()
    const begun = await tripsOf(() => Promise.all([ASHA, JUMA, NEEMA].map(accept)))
    expect(begun.trips).toBe(2)
    const more = () => ['255712000107', '255712000108'].map(accept)
    const ended = await tripsOf(() => Promise.all([...begun.result.map(({ started }) => ends(started!)), ...more()]))
    expect(ended.trips).toBe(2)
  })

  it('takes two more to begin what is behind in a lane, and none to find that nothing more is there', async () => {
    const { accept, ends, tripsOf } = await openCounting()
    const { started } = await accept(ASHA)
    expect((await tripsOf(() => accept(ASHA))).trips).toBe(2)
    const first = await tripsOf(() => ends(started!))
    expect(first.result.next?.work.customer).toBe(ASHA)
    expect(first.trips).toBe(4)
    const second = await tripsOf(() => ends(first.result.next!))
    expect([second.result.next, second.trips]).toEqual([undefined, 2])
  })

  it('lets a second message of a customer wait for the next group if only that would keep the others, or shares the group [R DEL-03]', async () => {
    const { accept, tripsOf, commits } = await openCounting()
    const others = Array.from({ length: 8 }, (_, nth) => `2557120003${nth}`)
    commits.length = 0
    const { result, trips } = await tripsOf(() => Promise.all([ASHA, ASHA, ...others].map(accept)))
    expect({ commits, trips }).toEqual({ commits: [9, 1], trips: 4 })
    const [first, second, ...after] = result.map(({ seq }) => seq)
    expect(Math.max(first!, ...after.map((seq) => seq!))).toBeLessThan(second!)
    expect(result[1]?.started, 'the first one runs').toBeUndefined()
    commits.length = 0
    await Promise.all([JUMA, JUMA, JUMA, NEEMA].map(accept))
    expect(commits).toEqual([4])
  })

  it('is not alone in an ordinary conversation: message, steps, replies, statuses, session, take-over, the queue of people', async () => {
    const { url } = await usedDatabase()
    const { store, asked } = await openHeld(url)
    const { started } = await store.accept(delivery(), { ...message(ASHA), begin: BEGINS })
    if (!started) throw new Error('it did not begin')
    const { fence, work } = started
    asked.length = 0
    await store.accept(delivery(), { ...message(ASHA), begin: BEGINS })
    await store.renew('one', () => T0 + 1, LEASE_MS)
    await store.keepOnce(fence, work.id, 'shop/price', '1')
    const conversation = { id: 'c1', ...WHO, name: 'order', version: 1, input: undefined }
    await store.keepStep(fence, work.id, conversation, { step: 1, kind: 'run', name: 'price', result: '1' }, T0)
    await store.recordEntry({ ...WHO, key: 'k1', at: T0, name: 'order' } as never, T0, fence)
    const reply = send({ cause: 'message' })
    const opened = await store.openSend(reply, { fence, begin: beginning() })
    await store.beginSend(opened!.begun!.fence, reply.id, 'freeform', T0)
    await store.settleSend(opened!.begun!.fence, reply.id, { ...ACCEPTED, at: T0 }, NEXT)
    const refused = send({ customer: JUMA })
    const other = await store.openSend(refused, { begin: beginning() })
    await store.settleSend(other!.begun!.fence, refused.id, { as: 'refused', code: 'x', reason: 'x' }, NEXT)
    await store.stopAwaiting(refused.id)
    const told = item({ kind: 'status', lane: `default/${ASHA}/status` })
    await store.accept(delivery(), { ingested: { ...ingested(told), statuses: [STATUS] }, begin: BEGINS })
    await store.statusForHandlers(work, { messageId: ACCEPTED.messageId, upstreamId: undefined }, ['delivered'])
    await store.useOption(reply.id, 'tap')
    await store.putSession(WHO, { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: T0 + DAY })
    await store.askForPerson(WHO, { at: T0, now: T0 }, fence)
    await store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR }, fence)
    await store.assign(WHO, 'asha', { now: T0 })
    await store.addNote(WHO, { who: 'asha', note: 'hello' }, T0)
    await store.dismissWait(WHO, { by: 'asha', seen: { message: 9, send: 9 }, confirmed: true, now: T0 })
    await store.giveBack(WHO, [], { by: 'asha', at: T0, now: T0 })
    await store.resume(WHO, T0)
    await store.runsOf('work', 'one')
    const done = await settle(store, { fence, item: work }, { as: 'done' }, { goOn: true })
    expect(done.next).toBeDefined()
    expect(asked.filter((text) => ALONE.test(text))).toEqual([])
  })

  it('finds the send of a status whose answer is in the same group, or calls the status too early [R EVT-08]', async () => {
    const { url } = await usedDatabase()
    const { store } = await openHeld(url)
    const one = send({})
    const opened = await store.openSend(one, { begin: beginning() })
    const status = { id: 1, number: 'default', customer: one.customer, createdAt: T0 + HOUR }
    const ids = { messageId: ACCEPTED.messageId, upstreamId: undefined }
    const [, known] = await Promise.all([
      store.settleSend(opened!.begun!.fence, one.id, { ...ACCEPTED, at: T0 }, NEXT),
      store.statusForHandlers(status, ids, ['sent']),
    ])
    expect(known === undefined || known.sent?.row.id === one.id).toBe(true)
    expect(await store.statusForHandlers(status, ids, ['sent'])).toMatchObject({
      sent: { row: { id: one.id } },
      reports: ['sent'],
    })
  })

  it('takes statuses of many messages together, though each names one id', async () => {
    const { store, tripsOf, commits } = await openCounting()
    commits.length = 0
    const ask = (_: unknown, id: number) => {
      const status = { id, number: 'default', customer: ASHA, createdAt: T0 }
      return store.statusForHandlers(status, { messageId: `m${id}`, upstreamId: undefined }, ['sent'])
    }
    const { trips } = await tripsOf(() => Promise.all(Array.from({ length: 8 }, ask)))
    const alone = await tripsOf(() => ask(undefined, 9))
    expect({ commits, trips }).toEqual({ commits: [8, 1], trips: alone.trips })
    const arrive = (_: unknown, id: number) => {
      const statuses = [{ ...STATUS, messageId: `a${id}` }]
      return store.accept(delivery(), { ingested: { ...ingested(), statuses }, waitMs: 60_000 })
    }
    const arrived = await tripsOf(() => Promise.all(Array.from({ length: 8 }, arrive)))
    expect(arrived.trips).toBe((await tripsOf(() => arrive(undefined, 9))).trips)
  })

  it('is not alone to find out that there is nothing to do', async () => {
    const { url } = await usedDatabase()
    const { store, asked } = await openHeld(url)
    await store.renew('one', () => T0, LEASE_MS)
    asked.length = 0
    expect(await store.claimItems(claim())).toEqual({ begun: [], nextAt: undefined })
    expect((await store.claimSends(claim())).begun).toEqual([])
    const recipients = { ...BEGINS, serviceNow: T0, room: 1, worked: [], functions: [], anyNumber: false }
    expect((await store.claimRecipients(recipients)).portions).toEqual([])
    expect(asked.filter((text) => ALONE.test(text))).toEqual([])
  })

  it('takes no customer for an item that names none', async () => {
    const { url, read } = await usedDatabase()
    const { store } = await openHeld(url)
    const nobody = item({ customer: undefined, lane: undefined })
    const { started } = await store.accept(delivery(), { ingested: ingested(nobody), begin: BEGINS })
    if (!started) throw new Error('it did not begin')
    expect(await settle(store, { fence: started.fence, item: started.work })).toMatchObject({ stands: true })
    expect(await read('SELECT number, customer FROM customers')).toEqual([])
  })

  it('knows nobody by a row that was only locked', async () => {
    const { url, read } = await usedDatabase()
    const { store } = await openHeld(url)
    const write = { before: '{"a":1}', readAt: T0, value: '{}', version: 1, expiresAt: T0 + DAY }
    expect(await store.putSession(WHO, write)).toBe(false)
    expect(await read('SELECT count(*) AS n FROM customers')).toEqual([{ n: 1 }])
    expect(await store.hasCustomers()).toBe(false)
    expect((await store.countKept(ASHA)).numbers).toEqual({})
  })
})

it('a transaction that its server has rolled back is not taken for one that landed [R DEL-02]', async () => {
  const { url } = await usedDatabase()
  await (await openPostgres(url)).close()
  const pool = await openPool(url)
  onTestFinished(() => pool.close())
  const connection = await openConnection(pool)
  await connection.script('BEGIN')
  await connection.script('SELECT 1 / 0').catch(() => {})
  const outcome = await connection.commit([]).then(
    () => 'landed',
    () => 'rolled back',
  )
  connection.release()
  expect(outcome).toBe('rolled back')
})
