import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { DueSend, Held, StartedItem } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { beginning, claim, delivery, ingested, item, LEASE_MS, send, T0 } from '../samples.ts'
import { besideAnArrival, openSeveral } from './several.ts'
import { WAITING } from './waiting.ts'

it('a reply is recorded and accepted, and its statuses are kept, while others write beside it [B IDEM-06, R DEL-02]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  await database.read('SELECT pg_advisory_lock_shared(1400326251, 1)')
  onTestFinished(async () => void (await database.read('SELECT pg_advisory_unlock_all()')))
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const { started } = await store.accept(delivery(), { ingested: ingested(item()), begin })
  const { begun } =
    (await store.openSend(send(), { fence: (started as Held<StartedItem>).fence, begin: beginning() })) ?? {}
  const { fence, work } = begun as Held<DueSend>
  const taken = { as: 'accepted', messageId: 'm1', upstreamId: 'u1', possiblyTwice: false } as const
  await store.settleSend(fence, work.send.id, taken, { now: T0, goOn: false })
  const tell = (status: string) => {
    const statuses = [{ number: 'default', messageId: 'm1', upstreamId: 'u1', status, at: T0, reason: undefined }]
    return store.accept(delivery(), { ingested: { ...ingested(), statuses } })
  }
  await Promise.all(['sent', 'delivered', 'read'].map(tell))
  expect((await store.statusesOf({ ...work.send, ...taken })).map(({ status }) => status)).toEqual([
    'delivered',
    'read',
    'sent',
  ])
})

it('repeats, results and steps that a handler keeps, retries, talks, turns of a session and sends of the app are written while others write beside them [R DEL-02, R DEL-03, F-47]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  // The first conversation of all is opened alone.
  await database.read(`
    INSERT INTO conversations (id, number, customer, name, version, state, item, opened_at)
    VALUES ('first', 'default', '255712000199', 'order', 1, 'ended', 1, 1)`)
  await database.read('SELECT pg_advisory_lock_shared(1400326251, 1)')
  onTestFinished(async () => void (await database.read('SELECT pg_advisory_unlock_all()')))
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const one = delivery()
  const { started } = await store.accept(one, { ingested: ingested(item()), begin })
  expect((await store.accept(one, { ingested: ingested(item()) })).as).toBe('duplicate')
  const { fence, work } = started as Held<StartedItem>
  const { number, customer = '' } = work
  const order = { id: 'order', number, customer, name: 'order', version: 1, input: undefined }
  const talks = [
    { id: 'order', opens: order, next: { waits: { step: 1, for: 'answer', since: T0, dueAt: T0 + 9 } } },
  ] as const
  // The settlement is asked for before the others are answered, and goes behind them.
  const kept = [
    store.keepOnce(fence, work.id, 'charge', '1'),
    store.keepStep(fence, work.id, order, { step: 0, kind: 'once', name: 'charge', result: '1' }, T0),
  ]
  const again = { as: 'retry', reason: 'why', at: T0, blocksLane: false, completedHandlers: [] } as const
  const settled = store.settleItem(fence, work.id, again, { now: T0, goOn: true })
  expect(await Promise.all(kept)).toEqual([true, true])
  const { next } = await settled
  expect(next).toMatchObject({ id: work.id, attempt: 2 })
  expect(await store.claimReached(work.id, 'm1', ['sent', 'read'])).toEqual(['sent', 'read'])
  await store.settleItem(fence, work.id, { as: 'done', conversations: talks }, { now: T0, goOn: true })
  expect((await store.journalOf('order')).conversation?.state).toBe('open')
  expect((await store.openSend(send(), { begin: beginning() }))?.begun).toBeDefined()
})

it('a message that takes a lane sees the conversation that its customer entered just before it [R DEL-03, F-55]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const customer = '255712000101'
  const windows = [{ number: 'default', customer, lastAt: T0 }]
  const accept = () => store.accept(delivery(), { ingested: { ...ingested(item({ customer })), windows }, begin })
  const handled = async (of: string, id: string) => {
    const { fence, work } = (await accept()).started as Held<StartedItem>
    const opens = { id, number: 'default', customer: of, name: 'order', version: 1, input: undefined }
    return () =>
      store.settleItem(fence, work.id, { as: 'done', conversations: [{ id, opens }] }, { now: T0, goOn: false })
  }
  // Another customer's is the first of all.
  await (await handled('255712000102', 'first'))()
  await (await handled(customer, 'second'))()
  await database.read("UPDATE conversations SET state = 'entering' WHERE id = 'second'")
  // The settlement that opens it is about to commit while the next message comes.
  const other = new Client({ connectionString: database.url, options: '-c search_path=switchhook' })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query(`BEGIN; UPDATE lanes SET moved_at = 1; UPDATE conversations SET state = 'open' WHERE id = 'second'`)
  const accepting = accept()
  const waiting = `${WAITING} AND locktype IN ('transactionid', 'tuple')`
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBeGreaterThan(0)
  await other.query('COMMIT')
  expect((await accepting).started?.work.conversation?.id).toBe('second')
})

it('what is kept of an attempt goes before its settlement, though it is kept by another transaction [F-47]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const beginFor = async (customer: string) =>
    (await store.accept(delivery(), { ingested: ingested(item({ customer })), begin })).started as Held<StartedItem>
  const before = await beginFor('255712000101')
  const { fence, work } = await beginFor('255712000102')
  // What is kept of another customer goes first, and its row is locked: so the settlement could overtake what is behind it.
  await database.read(`BEGIN; INSERT INTO once_results (item, name, result) VALUES (${before.work.id}, 'charge', '1')`)
  const keptBefore = store.keepOnce(before.fence, before.work.id, 'charge', '2')
  await expect.poll(async () => (await database.read(WAITING)).length).toBeGreaterThan(0)
  const kept = store.keepOnce(fence, work.id, 'charge', '2')
  const settled = store.settleItem(fence, work.id, { as: 'done' }, { now: T0, goOn: false })
  // Settlements that may go have gone by the end of a claim that comes behind them.
  await store.claimItems(claim({ owner: 'one' }))
  await database.read('ROLLBACK')
  expect([await keptBefore, await kept, (await settled).held]).toEqual([true, true, true])
})

it('a retry that releases its lane sees what another process has just put into it [R DEL-03, F-55]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const { started } = await store.accept(delivery(), { ingested: ingested(item()), begin })
  const { fence, work } = started as Held<StartedItem>
  const later = { as: 'retry', reason: 'why', at: T0 + 5, blocksLane: false, completedHandlers: [] } as const
  const settled = await besideAnArrival(database, () =>
    store.settleItem(fence, work.id, later, { now: T0, goOn: true }),
  )
  expect(settled.next?.id).toBe(work.id + 1)
})
