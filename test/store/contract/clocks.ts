import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, attempting, begin, claim, HOUR, item, LEASE_MS, send, T0 } from '../samples.ts'

export function clocks(at: Stage): void {
  it('frees the items of a process that is gone, although its lease was given by a clock an hour ahead [F-61]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'gone', now: T0 + HOUR })
    expect((await at.store.claimItems(claim({ owner: 'two', now: T0 }))).begun).toEqual([])
    await at.store.renew('two', () => T0, LEASE_MS)
    expect((await at.store.claimItems(claim({ owner: 'two', now: T0 + LEASE_MS }))).begun).toHaveLength(1)
  })

  it('leaves leases alone that a clock of now can have given [F-61]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'living', now: T0 + 50_000 })
    await at.store.renew('two', () => T0, LEASE_MS)
    expect((await at.store.claimItems(claim({ owner: 'two', now: T0 + 50_000 + LEASE_MS - 1 }))).begun).toEqual([])
  })

  it('begins at its time what a process put off whose clock was two hours ahead, once that process is gone [F-100]', async () => {
    await arrive(at.store, [item()])
    const ahead = T0 + 2 * HOUR
    await at.store.renew('ahead', () => ahead, LEASE_MS)
    const { fence, item: begun } = await begin(at.store, { owner: 'ahead', now: ahead })
    await at.store.renew('right', () => T0, LEASE_MS)
    // Written after the other one has looked at its lease.
    const { completedHandlers } = begun
    const retry = { as: 'retry', reason: 'x', at: ahead + 1_000, blocksLane: true, completedHandlers } as const
    await at.store.settleItem(fence, begun.id, retry, { now: ahead, goOn: false })
    const one = send()
    const sending = await attempting(at.store, one, { owner: 'ahead', now: ahead })
    const unclear = { as: 'attempting', code: undefined, reason: 'x', at: ahead + 1_000 } as const
    await at.store.settleSend(sending, one.id, unclear, { now: ahead, goOn: false })
    // For that clock the lease of the other one had ended, so it has a new name.
    const later = { owner: 'right.1', now: T0 + LEASE_MS + 1_000 }
    expect((await at.store.claimItems(claim(later))).begun).toHaveLength(1)
    expect((await at.store.claimSends(claim(later))).begun).toHaveLength(1)
  })

  it('begins at its time what was put off before the clock of all processes went back by two hours [F-100]', async () => {
    const before = T0 + 2 * HOUR
    await at.store.renew('one', () => before, LEASE_MS)
    await at.store.renew('two', () => before, LEASE_MS)
    await arrive(at.store, [item()])
    const { fence, item: begun } = await begin(at.store, { owner: 'one', now: before })
    const { completedHandlers } = begun
    const retry = { as: 'retry', reason: 'x', at: before + 5_000, blocksLane: true, completedHandlers } as const
    await at.store.settleItem(fence, begun.id, retry, { now: before, goOn: false })
    await at.store.renew('two', () => T0, LEASE_MS)
    await at.store.renew('one', () => T0, LEASE_MS)
    expect((await at.store.claimItems(claim({ now: T0 + 4_999 }))).begun).toEqual([])
    expect((await at.store.claimItems(claim({ now: T0 + 5_000 }))).begun).toHaveLength(1)
  })

  it('ends a lease when the clock leaps ahead: the work begins again, and the earlier run changes nothing [F-61]', async () => {
    await arrive(at.store, [item()])
    const { fence, item: begun } = await begin(at.store, { owner: 'one' })
    const again = await begin(at.store, { owner: 'two', now: T0 + HOUR })
    expect(again.item).toMatchObject({ id: begun.id, attempt: 2 })
    expect(await at.store.openSend(send(), { fence })).toBeUndefined()
  })
}
