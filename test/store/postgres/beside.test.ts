import { expect, it, onTestFinished } from 'vitest'
import type { Fence, Held, StartedItem } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { letGo } from '../../../src/store/turns/item-turns.ts'
import { claim, delivery, ingested, item, LEASE_MS, T0 } from '../samples.ts'
import { besideAnArrival, openSeveral } from './several.ts'
import { WAITING } from './waiting.ts'

const COUNTED = 'SELECT count(*) AS rows, sum(repeats) AS repeats FROM switchhook.deliveries'

it('deliveries that come at once to one process under one id are stored once, and counted each [R DEL-02]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const same = delivery()
  const answers = await Promise.all(
    Array.from({ length: 9 }, () => store.accept(same, { ingested: ingested(item()), waitMs: 60_000 })),
  )
  expect(answers.map(({ as }) => as).sort()).toEqual([...Array(8).fill('duplicate'), 'stored'])
  expect(await database.read(COUNTED)).toEqual([{ rows: 1, repeats: '8' }])
})

it('the same deliveries to several processes at once, in another order each, are stored once [R DEL-02, F-8]', async () => {
  const { stores, database } = await openSeveral(3)
  const deliveries = Array.from({ length: 200 }, (_, index) => ({
    given: delivery(),
    ingested: ingested(
      item({ customer: `2557120${index % 20}`, lane: `default/2557120${index % 20}`, at: T0 + index }),
    ),
  }))
  const answers = await Promise.all(
    stores.flatMap((store, turn) =>
      deliveries
        .map((_, index) => deliveries[(index * (2 * turn + 1) + 67 * turn) % 200] as (typeof deliveries)[number])
        .map(({ given, ingested }) => store.accept(given, { ingested, waitMs: 60_000 })),
    ),
  )
  expect(answers.filter(({ as }) => as === 'stored')).toHaveLength(200)
  expect(answers.filter(({ as }) => as === 'duplicate')).toHaveLength(400)
  expect(await database.read(COUNTED)).toEqual([{ rows: 200, repeats: '400' }])
  expect(await database.read('SELECT count(*) AS n FROM switchhook.items')).toEqual([{ n: 200 }])
})

it('an ordinary delivery is stored, begun, settled and claimed while others write beside it [R DEL-02, R DEL-03]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  // An operation that writes alone waits for this lock.
  await database.read('SELECT pg_advisory_lock_shared(1400326251, 1)')
  onTestFinished(async () => void (await database.read('SELECT pg_advisory_unlock_all()')))
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const accept = () => store.accept(delivery(), { ingested: ingested(item()), begin })
  const { started } = await accept()
  await accept()
  const [fence, first] = [started?.fence as Fence, started?.work as StartedItem]
  const { next } = await store.settleItem(fence, first.id, { as: 'done' }, { now: T0, goOn: true })
  await accept()
  const done = {
    as: 'done',
    session: { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: undefined },
  } as const
  await store.settleItem(fence, next?.id as number, done, { now: T0, goOn: false })
  const { held } = await store.claimItems(claim())
  expect(held.map(({ work }) => [work.attempt, work.delivery.seq])).toEqual([[1, 3]])
  expect((await store.counts()).items).toEqual({ done: 2, running: 1 })
})

it('lanes whose holder is gone are taken while others write beside, and past the suspects among them [R DEL-03, F-55]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  for (const customer of ['255712000101', '255712000102', '255712000103'])
    await store.accept(delivery(), { ingested: ingested(item({ customer, lane: `default/${customer}` })) })
  await store.claimItems(claim({ owner: 'gone' }))
  await database.read("UPDATE switchhook.items SET attempts = 2 WHERE lane = 'default/255712000101'")
  const later = { owner: 'two', now: T0 + LEASE_MS }
  // What has come due is put in its place.
  await store.claimItems(claim({ ...later, limit: 0 }))
  // A message that came later has an older time: what has begun before goes first.
  const straggler = item({ customer: '255712000102', lane: 'default/255712000102', at: T0 - 60_000 })
  await store.accept(delivery(), { ingested: ingested(straggler) })
  // An operation that writes alone waits for this lock.
  await database.read('SELECT pg_advisory_lock_shared(1400326251, 1)')
  onTestFinished(async () => void (await database.read('SELECT pg_advisory_unlock_all()')))
  const { held, nextAt } = await store.claimItems(claim({ ...later, suspects: false }))
  expect(held.map(({ fence, work }) => `${fence.lane}: attempt ${work.attempt}`).sort()).toEqual([
    'default/255712000102: attempt 2',
    'default/255712000103: attempt 2',
  ])
  // A suspect that is left is no reason to look again at once.
  expect(nextAt).toBeUndefined()
})

it('a lane that changes while a claim looks for lanes is left to the next claim, whole [R DEL-03, F-46]', async () => {
  const { stores, database } = await openSeveral(2)
  const [store, other] = stores as [Store, Store]
  const windows = [{ number: 'default', customer: '255712000101', lastAt: T0 }]
  const arriving = () => store.accept(delivery(), { ingested: { ...ingested(item()), windows } })
  await arriving()
  // The look lasts for as long as this lock is held. PostgreSQL 17.5 then locks the row's new version, in another place.
  await database.read('SELECT pg_advisory_lock(1, 1)')
  await database.read(`ALTER TABLE switchhook.timers RENAME TO timers_behind`)
  await database.read(`
    CREATE VIEW switchhook.timers AS SELECT t.* FROM (SELECT pg_advisory_xact_lock_shared(1, 1)) l
    LEFT JOIN switchhook.timers_behind t ON true OFFSET 0`)
  const looking = other.claimItems(claim())
  const waiting = `${WAITING} AND locktype = 'advisory'`
  await expect.poll(() => database.read(waiting)).toHaveLength(1)
  await arriving()
  await database.read('SELECT pg_advisory_unlock(1, 1)')
  expect((await looking).held).toEqual([])
  expect((await store.claimItems(claim())).held.map(({ work }) => work.attempt)).toEqual([1])
})

it('processes that store, begin and settle at once keep each lane to one, in its order, and lose nothing [R DEL-02, R DEL-03, F-55]', async () => {
  const { stores, database } = await openSeveral(3)
  const customers = Array.from({ length: 8 }, (_, index) => `25571200020${index}`)
  const each = 12
  const atWork = new Set<string>()
  const order = new Map<string, number[]>()
  let settled = 0

  async function run(store: Store, { fence, work }: Held<StartedItem>): Promise<void> {
    for (let next: StartedItem | undefined = work; next; ) {
      expect(atWork.has(fence.lane), 'the lane is at work').toBe(false)
      atWork.add(fence.lane)
      order.set(fence.lane, [...(order.get(fence.lane) ?? []), next.at])
      await new Promise((resolve) => setImmediate(resolve))
      // Others may take the lane before the answer of its settlement is here.
      atWork.delete(fence.lane)
      const after = await store.settleItem(fence, next.id, { as: 'done' }, { now: T0, goOn: next.at % 3 > 0 })
      expect(after.held).toBe(true)
      settled++
      next = after.next
    }
  }

  async function receive(customer: string): Promise<void> {
    for (let turn = 0; turn < each; turn++) {
      const store = stores[turn % stores.length] as Store
      const room = { take: () => turn % 2 === 0, give() {} }
      const begin = { owner: `${turn % stores.length}`, now: T0, leaseMs: LEASE_MS, room }
      const arriving = item({ customer, lane: `default/${customer}`, at: T0 + turn })
      const { started } = await store.accept(delivery(), { ingested: ingested(arriving), begin, waitMs: 60_000 })
      if (started) running.push(run(store, started))
    }
  }

  const running: Promise<void>[] = []
  const work = async (store: Store, owner: string) => {
    while (settled < customers.length * each) {
      const { held } = await store.claimItems(claim({ owner, limit: 3 }))
      await Promise.all(held.map((each) => run(store, each)))
    }
  }
  await Promise.all([...customers.map(receive), ...stores.map((store, index) => work(store, `${index}`))])
  await Promise.all(running)

  const inOrder = Array.from({ length: each }, (_, turn) => T0 + turn)
  expect([...order].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(
    customers.map((customer) => [`default/${customer}`, inOrder]),
  )
  expect(await database.read('SELECT state, attempts, count(*) AS n FROM switchhook.items GROUP BY 1, 2')).toEqual([
    { state: 'done', attempts: 1, n: customers.length * each },
  ])
  expect(await database.read('SELECT key FROM switchhook.lanes WHERE ready_at IS NOT NULL')).toEqual([])
  const [faults] = await database.read(
    'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(faults).toEqual({ deadlocks: 0 })
})

it('what enters a lane while its item is being settled is not overlooked [R DEL-03, F-55]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const { started } = await store.accept(delivery(), { ingested: ingested(item()), begin })
  const { fence, work } = started as Held<StartedItem>
  const settled = await besideAnArrival(database, () =>
    store.settleItem(fence, work.id, { as: 'done' }, { now: T0, goOn: true }),
  )
  expect(settled.next?.id).toBe(work.id + 1)
})

it('handlers that an earlier attempt has completed stay so if an item is given back to others [R DEL-03, F-47]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const { fence, work } = (await store.accept(delivery(), { ingested: ingested(item()), begin }))
    .started as Held<StartedItem>
  const released = { as: 'released', completedHandlers: ['charge'] } as const
  await store.settleItem(fence, work.id, released, { now: T0, goOn: false })
  const [held] = (await store.claimItems(claim({ owner: 'one' }))).held
  expect(held?.work.completedHandlers).toEqual(['charge'])
  letGo(store, [held as Held<StartedItem>], T0)
  const again: (readonly string[])[] = []
  await expect
    .poll(async () => {
      const { held } = await store.claimItems(claim({ owner: 'another' }))
      again.push(...held.map(({ work }) => work.completedHandlers))
      return again
    })
    .toEqual([['charge']])
  expect(await database.read('SELECT attempts AS n FROM switchhook.items')).toEqual([{ n: 1 }])
})

it('a message does not begin before those of a delivery that came before it, though that one is stored alone [R DEL-03]', async () => {
  const { stores } = await openSeveral(1)
  const [store] = stores as [Store]
  const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room: { take: () => true, give() {} } }
  const several = ingested(item({ at: T0 }), item({ idx: 1, at: T0 + 1 }))
  const [, later] = await Promise.all([
    store.accept(delivery(), { ingested: several, begin }),
    store.accept(delivery(), { ingested: ingested(item({ at: T0 + 2 })), begin }),
  ])
  expect(later.started).toBeUndefined()
  expect((await store.claimItems(claim({ owner: 'one' }))).held.map(({ work }) => work.at)).toEqual([T0])
})
