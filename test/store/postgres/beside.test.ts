import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { BEGINS, claim, delivery, ingested, item, LEASE_MS, T0 } from '../samples.ts'
import { openSeveral } from './several.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'

it('processes that store, begin and settle at once keep each lane to one, in its order, and lose nothing [R DEL-02, R DEL-03, F-55]', async () => {
  const { stores, database } = await openSeveral(3)
  const customers = Array.from({ length: 8 }, (_, index) => `25571200020${index}`)
  const each = 12
  const atWork = new Set<string>()
  const order = new Map<string, number[]>()
  let settled = 0

  async function run(store: Store, first: Begun<StartedItem>): Promise<void> {
    for (let begun: Begun<StartedItem> | undefined = first; begun; ) {
      const { fence, work } = begun
      expect(atWork.has(fence.lane), 'the lane is at work').toBe(false)
      atWork.add(fence.lane)
      order.set(fence.lane, [...(order.get(fence.lane) ?? []), work.at])
      await new Promise((resolve) => setImmediate(resolve))
      // Others may take the lane before the answer of its settlement is here.
      atWork.delete(fence.lane)
      const after = await store.settleItem(fence, work.id, { as: 'done' }, { now: T0, goOn: work.at % 3 > 0 })
      expect(after.stands).toBe(true)
      settled++
      begun = after.next
    }
  }

  async function receive(customer: string): Promise<void> {
    for (let turn = 0; turn < each; turn++) {
      const store = stores[turn % stores.length] as Store
      const lease = { processName: `${turn % stores.length}`, now: T0, leaseMs: LEASE_MS }
      const begin = turn % 2 === 0 ? lease : undefined
      const arriving = item({ customer, lane: `default/${customer}`, at: T0 + turn })
      const { started } = await store.accept(delivery(), { ingested: ingested(arriving), begin, waitMs: 60_000 })
      if (started) running.push(run(store, started))
    }
  }

  const running: Promise<void>[] = []
  const work = async (store: Store, processName: string) => {
    while (settled < customers.length * each) {
      const { begun } = await store.claimItems(claim({ processName, limit: 3 }))
      await Promise.all(begun.map((each) => run(store, each)))
    }
  }
  await Promise.all([...customers.map(receive), ...stores.map((store, index) => work(store, `${index}`))])
  await Promise.all(running)

  const inOrder = Array.from({ length: each }, (_, turn) => T0 + turn)
  expect([...order].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(
    customers.map((customer) => [`default/${customer}`, inOrder]),
  )
  expect(await database.read('SELECT count(*) AS n FROM switchhook.inbox')).toEqual([{ n: customers.length * each }])
  expect(await database.read('SELECT item FROM switchhook.work')).toEqual([])
  const [faults] = await database.read(
    'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(faults).toEqual({ deadlocks: 0 })
})

it('a message does not begin before those of a delivery that came before it, though that one is stored alone [R DEL-03]', async () => {
  const { stores } = await openSeveral(1)
  const [store] = stores as [Store]
  const several = ingested(item({ at: T0 }), item({ idx: 1, at: T0 + 1 }))
  const [, later] = await Promise.all([
    store.accept(delivery(), { ingested: several, begin: BEGINS }),
    store.accept(delivery(), { ingested: ingested(item({ at: T0 + 2 })), begin: BEGINS }),
  ])
  expect(later.started).toBeUndefined()
  expect((await store.claimItems(claim({ processName: 'one' }))).begun.map(({ work }) => work.at)).toEqual([T0])
})
