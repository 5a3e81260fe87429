import { expect, it } from 'vitest'
import type { Claim } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Stage } from './index.ts'
import { arrive, ASHA, attempting, begin, claim, dueSend, item, LEASE_MS, send, T0 } from '../samples.ts'

const HOUR = 3_600_000

/** The wall clock is stepped now and then, by people, by the network's time and by machines that were paused. */
export function clocks(at: Stage): void {
  it('measures a lease from the clock of its renewal: one that went back leaves no lane stuck [F-61]', async () => {
    await arrive(at.store, [item()])
    const { fence } = await begin(at.store, { owner: 'killed later' })
    await at.store.renew('one', () => T0 - HOUR, LEASE_MS)
    const before = await at.store.claimItems(claim({ owner: 'two', now: T0 - HOUR + LEASE_MS - 1 }))
    expect(before).toEqual({ held: [], nextAt: T0 - HOUR + LEASE_MS })
    // An item that was ingested before the step is begun, although its ingest lies in the future now.
    const { item: again } = await begin(at.store, { owner: 'two', now: T0 - HOUR + LEASE_MS })
    expect(again.attempt).toBe(2)
  })

  it('goes on with a lane after the clock went back, and the holder keeps it [F-61]', async () => {
    await arrive(at.store, [item(), item({ idx: 1 })])
    const { fence, item: first } = await begin(at.store)
    const now = T0 - HOUR
    const { next } = await at.store.settleItem(fence, first.id, { as: 'done' }, { now, goOn: true })
    expect(next).toMatchObject({ idx: 1, attempt: 1 })
    await at.store.settleItem(next?.fence ?? fence, next?.work.id ?? 0, { as: 'done' }, { now, goOn: true })
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('handles what comes after the clock went back, and what waits in its lane before it [F-61]', async () => {
    const earlier = await arrive(at.store, [item()], T0)
    const later = await arrive(at.store, [item({ at: T0 + 1 })], T0 - HOUR)
    const { fence, item: first } = await begin(at.store, { now: T0 - HOUR })
    expect(first.delivery.seq).toBe(earlier)
    const { next } = await at.store.settleItem(fence, first.id, { as: 'done' }, { now: T0 - HOUR, goOn: true })
    expect(next?.work.delivery.seq).toBe(later)
  })

  it('frees the lane of a process that is gone, although its lease was given by a clock an hour ahead [F-61]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'killed' })
    await at.store.openSend(send())
    await at.store.claimSends(claim({ owner: 'killed' }))
    await at.store.renew('one', () => T0 - HOUR, LEASE_MS)
    const { item: again } = await begin(at.store, { owner: 'two', now: T0 - HOUR })
    expect(again.attempt).toBe(2)
    expect((await at.store.claimSends(claim({ owner: 'two', now: T0 - HOUR }))).held).toHaveLength(1)
  })

  it('leaves leases alone that a clock of now can have given [F-61]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'living' })
    await at.store.renew('one', () => T0 - LEASE_MS, LEASE_MS)
    expect((await at.store.claimItems(claim({ owner: 'two', now: T0 - LEASE_MS }))).held).toEqual([])
  })

  it('begins at once what waits in a lane that nobody holds, be the lane new or released by a clock an hour ahead [F-61]', async () => {
    await arrive(at.store, [item()], T0)
    await arrive(at.store, [item({ customer: '255712000102' })], T0)
    const first = (await at.store.claimItems(claim({ limit: 1 }))).held[0]
    if (!first) throw new Error('nothing was begun')
    const released = { as: 'released', completedHandlers: [] } as const
    await at.store.settleItem(first.fence, first.work.id, released, { now: T0, goOn: false })
    const { held } = await at.store.claimItems(claim({ now: T0 - HOUR }))
    expect(held.map(({ work }) => work.attempt)).toEqual([1, 1])
  })

  it.each([
    ['that blocked its lane', 5_000, true],
    ['that left its lane', 64_000, false],
    ['that the app asked for', 6 * HOUR, false],
  ])('a back-off %s is no longer for a clock that went back by an hour [F-61]', async (_which, wait, holds) => {
    const first = await arrive(at.store, [item()])
    const { fence, item: begun } = await begin(at.store)
    if (holds) await arrive(at.store, [item({ at: T0 - HOUR })])
    const retry = { as: 'retry', reason: 'x', at: T0 + wait, blocksLane: holds, completedHandlers: [] } as const
    await at.store.settleItem(fence, begun.id, retry, { now: T0, goOn: true })
    const now = T0 - HOUR
    await at.store.renew('one', () => now, LEASE_MS)
    await at.store.renew('one', () => now + 3_000, LEASE_MS)
    expect((await at.store.claimItems(claim({ now: now + wait - 1 }))).held).toEqual([])
    const { item: again } = await begin(at.store, { now: now + wait })
    expect(again).toMatchObject({ attempt: 2, delivery: { seq: first } })
  })

  it('leaves a back-off as it is for a process that knows the time half a second less well, each time it looks [F-61]', async () => {
    await arrive(at.store, [item()])
    const { fence, item: begun } = await begin(at.store)
    const retry = { as: 'retry', reason: 'x', at: T0 + 5_000, blocksLane: true, completedHandlers: [] } as const
    await at.store.settleItem(fence, begun.id, retry, { now: T0, goOn: true })
    for (const now of [T0 - 500, T0 + 1_000, T0 + 500]) await at.store.renew('one', () => now, LEASE_MS)
    expect((await at.store.claimItems(claim({ now: T0 + 4_999 }))).held).toEqual([])
  })

  it('sends at once a send that was recorded by a clock an hour ahead [F-61]', async () => {
    await at.store.openSend(send())
    expect((await at.store.claimSends(claim({ now: T0 - HOUR }))).held).toHaveLength(1)
  })

  it('ends a lease when the clock leaps ahead: the work begins again, and the earlier holder changes nothing [F-61]', async () => {
    await arrive(at.store, [item()])
    const first = await begin(at.store)
    const second = await begin(at.store, { owner: 'two', now: T0 + HOUR })
    expect(second.item.attempt).toBe(2)
    const done = { as: 'done' } as const
    const late = await at.store.settleItem(first.fence, first.item.id, done, { now: T0 + HOUR, goOn: true })
    expect(late.held).toBe(false)
  })

  it.each(['item', 'send'] as const)(
    'begins the %s that came due while all lanes were taken, although the clock went back then, and after a restart [F-100]',
    async (kind) => {
      await arrive(at.store, [item()])
      await at.store.openSend(send())
      const { fence, item: begun } = await begin(at.store)
      const retry = { as: 'retry', reason: 'x', at: T0 + 5_000, blocksLane: true, completedHandlers: [] } as const
      await at.store.settleItem(fence, begun.id, retry, { now: T0, goOn: true })
      const { fence: sending, due } = await dueSend(at.store)
      const ready = { as: 'ready', at: T0 + 5_000, code: undefined, reason: 'x' } as const
      await at.store.settleSend(sending, due.send.id, ready, { now: T0, goOn: false })
      const find = (store: Store, given: Partial<Claim>) =>
        kind === 'item' ? store.claimItems(claim(given)) : store.claimSends(claim(given))
      // No lane is free, and this claim finds the lane due.
      await find(at.store, { limit: 0, now: T0 + 5_000 })
      const again = await at.place.open()
      expect((await find(again, { now: T0 - 2 * HOUR })).held).toHaveLength(1)
    },
  )

  it('goes on with the ten minutes of an unknown outcome after the clock went back and the process ended [B IDEM-07, F-100]', async () => {
    const one = send()
    const fence = await attempting(at.store, one)
    const again = { as: 'attempting', at: T0 + 60_000, code: undefined, reason: 'x' } as const
    await at.store.settleSend(fence, one.id, again, { now: T0 + 50_000, goOn: false })
    await at.store.renew('one', () => T0 - 2 * HOUR, LEASE_MS)
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      attemptingSince: T0 - 2 * HOUR - 50_000,
      nextAt: T0 - 2 * HOUR + 10_000,
    })
  })

  it('has a lane that is ready keep its place before what comes after the clock went back [F-100]', async () => {
    await arrive(at.store, [item()], T0)
    await at.store.renew('one', () => T0 - 2 * HOUR, LEASE_MS)
    await arrive(at.store, [item({ customer: '255712000102' })], T0 - 2 * HOUR + 1)
    const { item: first } = await begin(at.store, { now: T0 - 2 * HOUR + 1, limit: 1 })
    expect(first.customer).toBe(ASHA)
  })
}
