import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, begin, beginNew, settle } from '../acts.ts'
import { ASHA, BEGINS, claim, delivery, ingested, item, LEASE_MS, retryAt, T0 } from '../samples.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'

export function lanes(at: Stage): void {
  /** Takes the one lane and settles what is in it as done, up to its end. */
  async function drain(now: number): Promise<StartedItem[]> {
    const begun: StartedItem[] = []
    const { fence, item: first } = await begin(at.store, { now })
    for (let next: Begun<StartedItem> | undefined = { fence, work: first }; next; ) {
      begun.push(next.work)
      next = (await at.store.settleItem(next.fence, next.work.id, { as: 'done' }, { now, goOn: true })).next
    }
    return begun
  }

  it('says since when the item whose turn is next has waited, behind one that runs and pending deliveries too, and nothing of what is worked on or not due [F-108]', async () => {
    const other = (customer: string) => item({ customer, lane: `default/${customer}` })
    expect(await at.store.waitingSince(T0)).toBeUndefined()
    await arrive(at.store, [item()], T0 + 1)
    await arrive(at.store, [item()], T0 + 2)
    await arrive(at.store, [other('255712000102')], T0 + 3)
    expect(await at.store.waitingSince(T0 + 9)).toBe(T0 + 1)
    const { fence, item: begun } = await begin(at.store, { limit: 1, now: T0 + 9 })
    expect(await at.store.waitingSince(T0 + 9)).toBe(T0 + 2)
    await settle(
      at.store,
      { fence, item: begun },
      { as: 'retry', reason: 'x', at: T0 + 60, blocksLane: true, completedHandlers: [] },
      { now: T0 + 10 },
    )
    await begin(at.store, { limit: 1, now: T0 + 11 })
    expect(await at.store.waitingSince(T0 + 59)).toBeUndefined()
    expect(await at.store.waitingSince(T0 + 60)).toBe(T0 + 1)
    await at.store.accept(delivery({ receivedAt: T0 - 5 }))
    expect(await at.store.waitingSince(T0 + 60)).toBe(T0 - 5)
  })

  it('begins all messages one after the other, and says of an earlier one that it comes late [R DEL-03]', async () => {
    const writes = (ahead: number) =>
      arrive(at.store, [item({ at: T0 + ahead })], T0, [{ number: 'default', customer: ASHA, lastAt: T0 + ahead }])
    await writes(5)
    const { fence, item: first } = await begin(at.store)
    for (const ahead of [9, 3, 7]) await writes(ahead)
    const late: [number, boolean][] = []
    for (let next: Begun<StartedItem> | undefined = { fence, work: first }; next; ) {
      late.push([next.work.at - T0, next.work.late])
      next = (await at.store.settleItem(next.fence, next.work.id, { as: 'done' }, { now: T0, goOn: true })).next
    }
    expect(late).toEqual([
      [5, false],
      [3, true],
      [7, false],
      [9, false],
    ])
  })

  it('says that a message comes late once a later one was handled, also one that nobody followed [R DEL-03]', async () => {
    const writes = (ahead: number) =>
      arrive(at.store, [item({ at: T0 + ahead })], T0, [{ number: 'default', customer: ASHA, lastAt: T0 + ahead }])
    await writes(3)
    const { fence, item: first } = await begin(at.store)
    await writes(9)
    const again = { as: 'retry', reason: 'x', at: T0 + 1_000, blocksLane: false, completedHandlers: [] } as const
    const { next } = await at.store.settleItem(fence, first.id, again, { now: T0, goOn: true })
    expect(next?.work).toMatchObject({ at: T0 + 9, late: false })
    await at.store.settleItem(next!.fence, next!.work.id, { as: 'done' }, { now: T0, goOn: true })
    expect((await begin(at.store, { now: T0 + 1_000 })).item).toMatchObject({ at: T0 + 3, late: true })
  })

  it('takes one claim for a customer who writes while each of their messages runs', async () => {
    const message = (ahead: number) => ({ ingested: ingested(item({ at: T0 + ahead })), begin: BEGINS })
    let running = (await at.store.accept(delivery(), message(0))).started
    let claims = 0
    for (let nth = 1; nth <= 10; nth++) {
      await at.store.accept(delivery(), message(nth))
      const { fence, work, isFollowed = false } = running!
      running = (await at.store.settleItem(fence, work.id, { as: 'done' }, { now: T0, goOn: isFollowed })).next
      if (running) continue
      claims++
      running = (await at.store.claimItems({ ...BEGINS, limit: 16 })).begun[0]
    }
    expect(claims).toBe(1)
  })

  it('stores deliveries of one turn by their payload times, also with many others [R DEL-03]', async () => {
    const arrives = (customer: string, ahead: number) =>
      at.store.accept(delivery(), {
        ingested: ingested(item({ customer, at: T0 + ahead })),
        begin: BEGINS,
        waitMs: 60_000,
      })
    const others = Array.from({ length: 9 }, (_, nth) => `2557120003${nth}`)
    const [later, earlier] = await Promise.all([
      arrives(ASHA, 9),
      arrives(ASHA, 3),
      ...others.map((one) => arrives(one, 5)),
    ])
    expect([later?.started, earlier?.started?.work.at]).toEqual([undefined, T0 + 3])
  })

  it('keeps the order of a batch whose payload times are equal [R DEL-03]', async () => {
    await arrive(at.store, [item({ idx: 0 }), item({ idx: 1 }), item({ idx: 2 })])
    expect((await drain(T0)).map(({ idx }) => idx)).toEqual([0, 1, 2])
  })

  it('begins all messages of a batch over the same bytes: they are read once, however many messages there are [F-106]', async () => {
    const customers = ['255712000101', '255712000102', '255712000103']
    await arrive(
      at.store,
      customers.map((customer, idx) => item({ idx, customer })),
    )
    const { begun } = await at.store.claimItems(claim())
    const [first, second, third] = begun
      .toSorted((a, b) => a.work.idx - b.work.idx)
      .map(({ work }) => work.delivery.body)
    expect(second).toEqual(first)
    expect(third).toBe(second)
  })

  it('lets no straggler before an item that has begun: in the back-off that blocks the lane, and after its process is gone [R DEL-03]', async () => {
    const seq = await arrive(at.store, [item({ at: T0 + 10 })])
    const { fence, item: first } = await begin(at.store)
    const late = await arrive(at.store, [item({ at: T0 })])
    await at.store.settleItem(fence, first.id, retryAt(T0 + 1_000), { now: T0, goOn: true })
    expect((await begin(at.store, { now: T0 + 1_000 })).item.delivery.seq).toBe(seq)
    const after = T0 + 1_000 + LEASE_MS
    const again = await begin(at.store, { processName: 'two', now: after })
    expect(again.item).toMatchObject({ attempt: 3, delivery: { seq } })
    const { next } = await at.store.settleItem(again.fence, again.item.id, { as: 'done' }, { now: after, goOn: true })
    expect(next?.work.delivery.seq).toBe(late)
  })

  it('puts a released lane behind those that wait, however long its items have waited', async () => {
    await arrive(at.store, [item(), item({ idx: 1 }), item({ idx: 2 })], T0)
    const { fence, item: first } = await begin(at.store, { now: T0 })
    await arrive(at.store, [item({ customer: '255712000102' })], T0 + 50)
    await at.store.settleItem(fence, first.id, { as: 'done' }, { now: T0 + 100, goOn: false })
    const { item: next } = await begin(at.store, { now: T0 + 100, limit: 1 })
    expect(next.customer).toBe('255712000102')
  })

  it('lets a lane whose back-off is over go before lanes that began to wait later, however many they are', async () => {
    const { fence, item: failing } = await beginNew(at.store)
    await at.store.settleItem(fence, failing.id, retryAt(T0 + 1_000), { now: T0, goOn: true })
    await arrive(at.store, [item({ customer: '255712000103' })], T0 + 500)
    for (const customer of ['255712000102', '255712000104']) await arrive(at.store, [item({ customer })], T0 + 2_000)
    const order = []
    for (let taken = 0; taken < 4; taken++)
      order.push((await begin(at.store, { now: T0 + 3_000, limit: 1 })).item.customer)
    expect(order.slice(0, 2)).toEqual(['255712000103', '255712000101'])
  })

  it('takes nothing while deliveries are unread, if asked for that [R DEL-03]', async () => {
    await arrive(at.store, [item()])
    await at.store.accept(delivery())
    for (const after of [undefined, 'default'])
      expect(await at.store.claimItems(claim({ unlessUnread: [], after }))).toMatchObject({
        begun: [],
        unread: ['default'],
      })
    const { begun, unread } = await at.store.claimItems(claim())
    expect({ begun: begun.length, unread }).toEqual({ begun: 1, unread: undefined })
  })

  it('says when the next lane is ready: the earliest back-off, or the end of another’s lease', async () => {
    await arrive(at.store, [item()])
    await arrive(at.store, [item({ customer: '255712000102' })])
    const { begun, nextAt } = await at.store.claimItems(claim())
    expect(nextAt).toBeUndefined()
    expect((await at.store.claimItems(claim({ processName: 'two' }))).nextAt).toBe(T0 + LEASE_MS)
    const [one] = begun
    if (!one) throw new Error('nothing was begun')
    await at.store.settleItem(one.fence, one.work.id, retryAt(T0 + 3_000), { now: T0, goOn: true })
    for (const processName of ['one', 'two'])
      expect((await at.store.claimItems(claim({ processName }))).nextAt).toBe(T0 + 3_000)
  })
}
