import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, begin, claim, item, LEASE_MS, send, T0 } from '../samples.ts'

const HOUR = 3_600_000

/** The wall clock is stepped now and then, by people, by the network's time and by machines that were paused. */
export function clocks(at: Stage): void {
  it('measures a lease from the clock of its renewal: one that went back leaves no lane stuck [F-61]', async () => {
    await arrive(at.store, [item()])
    const { fence } = await begin(at.store, { owner: 'killed later' })
    await at.store.renew([fence], T0 - HOUR, LEASE_MS)
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
    await at.store.settleItem(fence, next?.id ?? 0, { as: 'done' }, { now, goOn: true })
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('handles what comes after the clock went back, and what waits in its lane before it [F-61]', async () => {
    const earlier = await arrive(at.store, [item()], T0)
    const later = await arrive(at.store, [item({ at: T0 + 1 })], T0 - HOUR)
    const { fence, item: first } = await begin(at.store, { now: T0 - HOUR })
    expect(first.delivery.seq).toBe(earlier)
    const { next } = await at.store.settleItem(fence, first.id, { as: 'done' }, { now: T0 - HOUR, goOn: true })
    expect(next?.delivery.seq).toBe(later)
  })

  it('frees the lane of a process that is gone, although its lease was given by a clock an hour ahead [F-61]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'killed' })
    await at.store.openSend(send())
    await at.store.claimSends(claim({ owner: 'killed' }))
    await at.store.renew([], T0 - HOUR, LEASE_MS)
    const { item: again } = await begin(at.store, { owner: 'two', now: T0 - HOUR })
    expect(again.attempt).toBe(2)
    expect((await at.store.claimSends(claim({ owner: 'two', now: T0 - HOUR }))).held).toHaveLength(1)
  })

  it('leaves leases alone that a clock of now can have given [F-61]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'living' })
    await at.store.renew([], T0 - LEASE_MS, LEASE_MS)
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
    await at.store.renew([], now, LEASE_MS)
    await at.store.renew([], now + 3_000, LEASE_MS)
    expect((await at.store.claimItems(claim({ now: now + wait - 1 }))).held).toEqual([])
    const { item: again } = await begin(at.store, { now: now + wait })
    expect(again).toMatchObject({ attempt: 2, delivery: { seq: first } })
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
}
