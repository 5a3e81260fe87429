import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, begin, claim, item, LEASE_MS, send, T0 } from '../samples.ts'

const HOUR = 3_600_000

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

  it('ends a lease when the clock leaps ahead: the work begins again, and the earlier run changes nothing [F-61]', async () => {
    await arrive(at.store, [item()])
    const { fence, item: begun } = await begin(at.store, { owner: 'one' })
    const again = await begin(at.store, { owner: 'two', now: T0 + HOUR })
    expect(again.item).toMatchObject({ id: begun.id, attempt: 2 })
    expect(await at.store.openSend(send(), { fence })).toBeUndefined()
  })
}
