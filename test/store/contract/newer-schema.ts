import { expect, it } from 'vitest'
import { MIGRATIONS } from '../../../src/store/database/schema.ts'
import { arrive, beginNew } from '../acts.ts'
import { claim, delivery, item, REFUSED, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'

const NEWER = MIGRATIONS.length + 1

/** A newer release migrates the database while this one works on it. */
export function newerSchema(at: Stage): void {
  const migrated = () => at.place.setSchema(NEWER)
  /** As the newer release finds it. */
  const seenByNewer = () => at.place.setSchema(MIGRATIONS.length)

  it('gives no more work, neither items nor sends nor pending deliveries, and says why [F-57]', async () => {
    await arrive(at.store, [item()])
    await at.store.openSend(send())
    await at.store.accept(delivery())
    await migrated()
    const nothing = { begun: [], nextAt: undefined, newerSchema: NEWER }
    expect(await at.store.claimItems(claim())).toEqual(nothing)
    expect(await at.store.claimSends(claim())).toEqual(nothing)
    expect(await at.store.unread(9)).toEqual([])
    expect(await at.store.counts()).toMatchObject({ items: { stored: 1 }, sends: { ready: 1 } })
  })

  it('continues to store deliveries, and recognises duplicates [F-57]', async () => {
    await migrated()
    const first = delivery()
    expect((await at.store.accept(first)).as).toBe('stored')
    expect((await at.store.accept(first)).as).toBe('duplicate')
  })

  it('settles what runs, and begins nothing after it in the lane [F-57]', async () => {
    const { fence, item: begun } = await beginNew(at.store, [item(), item({ idx: 1 })])
    await at.store.openSend(send({ lane: 'out' }))
    await at.store.openSend(send({ lane: 'out' }))
    const [due] = (await at.store.claimSends(claim())).begun
    if (!due) throw new Error('no send is due')
    await migrated()
    const next = { now: T0, goOn: true }
    expect(await at.store.settleItem(fence, begun.id, { as: 'done' }, next)).toEqual({ stands: true, next: undefined })
    expect(await at.store.settleSend(due.fence, due.work.send.id, REFUSED, next)).toEqual({
      stands: true,
      next: undefined,
    })
    expect(await at.store.counts()).toMatchObject({ items: { done: 1, stored: 1 }, sends: { refused: 1, ready: 1 } })
    await seenByNewer()
    expect((await at.store.claimItems(claim({ processName: 'newer' }))).begun).toHaveLength(1)
    expect((await at.store.claimSends(claim({ processName: 'newer' }))).begun).toHaveLength(1)
  })

  it('prunes nothing, and ingests nothing that it read before [F-57]', async () => {
    await at.store.accept(delivery())
    const [waiting] = await at.store.unread(1)
    await migrated()
    const nothing = { state: 'ignored', items: [], windows: [], statuses: [] } as const
    expect(await at.store.ingest(waiting?.seq ?? 0, nothing, T0)).toEqual([])
    const far = T0 * 2
    expect(await at.store.prune({ bytesBefore: far, idsBefore: far, now: far, limit: 9 })).toEqual({
      wiped: 0,
      removed: 0,
      strays: 0,
      next: undefined,
    })
    expect((await at.store.counts()).deliveries).toEqual({ stored: 1 })
  })
}
