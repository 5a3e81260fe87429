import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, begin, claim, item, itemsOf, LEASE_MS, T0 } from '../samples.ts'

export function attempts(at: Stage): void {
  it('begins a crashed attempt again when its lease has expired, with one more on its count [F-47]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'killed' })
    const { item: again } = await begin(at.store, { owner: 'two', now: T0 + LEASE_MS })
    expect(again.attempt).toBe(2)
    const { item: third } = await begin(at.store, { owner: 'three', now: T0 + 2 * LEASE_MS })
    expect(third.attempt).toBe(3)
  })

  it('begins suspects one at a time, and counts nothing for those that wait their turn [F-56]', async () => {
    for (const customer of ['255712000101', '255712000102']) await arrive(at.store, [item({ customer })])
    for (const crash of [0, 1]) await at.store.claimItems(claim({ owner: `${crash}`, now: T0 + crash * LEASE_MS }))
    await arrive(at.store, [item({ customer: '255712000103' })])
    const now = T0 + 2 * LEASE_MS
    const { begun } = await at.store.claimItems(claim({ owner: 'three', now, suspects: true }))
    expect(begun.map(({ work }) => [work.attempt, work.suspect])).toEqual([
      [3, true],
      [1, false],
    ])
    const later = { owner: 'three', now: now + 1_000, holding: begun.map(({ fence }) => fence.lane) }
    expect((await at.store.claimItems(claim({ ...later, suspects: false }))).begun).toEqual([])
    const [last] = (await at.store.claimItems(claim({ ...later, now: now + 2_000, suspects: true }))).begun
    expect(last?.work).toMatchObject({ attempt: 3, suspect: true })
  })

  it('continues with what waits behind many suspects, whose lanes it does not touch [F-56]', async () => {
    const suspects = Array.from({ length: 6 }, (_, index) => `25571200010${index}`)
    for (const customer of suspects) await arrive(at.store, [item({ customer })])
    for (const crash of [0, 1]) await at.store.claimItems(claim({ owner: `${crash}`, now: T0 + crash * LEASE_MS }))
    const now = T0 + 2 * LEASE_MS
    const fresh = await arrive(at.store, [item({ customer: '255712000110' })], now)
    const busy = claim({ owner: 'three', now, limit: 2, suspects: false })
    const { begun } = await at.store.claimItems(busy)
    expect(begun.map(({ work }) => work.delivery.seq)).toEqual([fresh])
    const { begun: others } = await at.store.claimItems({ ...busy, owner: 'four', suspects: true })
    expect(others.map(({ work }) => work.suspect)).toEqual([true])
  })

  it('counts no attempt that an orderly stop releases [F-58]', async () => {
    await arrive(at.store, [item(), item({ idx: 1 })])
    for (const owner of ['one', 'two', 'three']) {
      const { fence, item: begun } = await begin(at.store, { owner })
      expect(begun).toMatchObject({ attempt: 1, idx: 0 })
      expect(
        await at.store.settleItem(fence, begun.id, { as: 'released', completedHandlers: [] }, { now: T0, goOn: false }),
      ).toEqual({
        hasLease: true,
        next: undefined,
      })
    }
    expect(await itemsOf(at.store)).toMatchObject([
      { attempts: 0, state: 'stored' },
      { attempts: 0, state: 'stored' },
    ])
  })

  it('gives an attempt no customer and no window if there is none', async () => {
    await arrive(at.store, [item({ customer: undefined, lane: 'default//1.0' })])
    expect((await begin(at.store)).item).toMatchObject({ customer: undefined, lastInboundAt: undefined })
  })
}
