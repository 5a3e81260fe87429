import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { begin, beginNew, inboxOf } from '../acts.ts'
import { claim, delivery, ingested, item, REFUSED, send, T0, unclear } from '../samples.ts'
import type { WorkKind } from '../../../src/store/database/steps.ts'

/** Wake-ups, counts and closing. */
export function lifecycle(at: Stage): void {
  it('announces work after its commit, when another store can see it', async () => {
    const seen: Promise<number>[] = []
    const other = await at.place.open()
    at.store.onWork(() => seen.push(inboxOf(other).then((rows) => rows.length)))
    await at.store.accept(delivery())
    expect(await Promise.all(seen)).toEqual([1])
    await at.store.accept(delivery())
    expect(await Promise.all(seen)).toEqual([1, 2])
  })

  it('announces work whenever there may be some: a delivery, its repeat, an ingest, a released lane, a send', async () => {
    const wokenBy = listening()
    const first = delivery()
    expect(await wokenBy(() => at.store.accept(first))).toEqual(['items'])
    expect(await wokenBy(() => at.store.accept(first))).toEqual(['items'])
    const [stored] = await at.store.unread(1)
    const two = ingested(item(), item({ idx: 1 }))
    expect(await wokenBy(() => at.store.ingest(stored?.seq ?? 0, two, T0))).toEqual(['items'])
    const { fence, item: begun } = await begin(at.store)
    const next = { now: T0, goOn: false }
    expect(await wokenBy(() => at.store.settleItem(fence, begun.id, { as: 'done' }, next))).toEqual(['items'])
    expect(await wokenBy(() => at.store.openSend(send()))).toEqual(['sends'])
    // It stands behind the first.
    expect(await wokenBy(() => at.store.openSend(send()))).toEqual([])
    const [due] = (await at.store.claimSends(claim())).begun
    if (!due) throw new Error('no send is due')
    expect(await wokenBy(() => at.store.settleSend(due.fence, due.work.send.id, REFUSED, next))).toEqual(['sends'])
    expect(await wokenBy(() => at.store.openSend(due.work.send))).toEqual([])
  })

  it('announces no work if there is none: a quarantined delivery, a refused row, a claim, a renewal', async () => {
    const wokenBy = listening()
    expect(await wokenBy(() => at.store.accept(unclear()))).toEqual([])
    expect(await wokenBy(() => at.store.accept(delivery({ timestamp: 0.5 })).catch(() => {}))).toEqual([])
    expect(await wokenBy(() => at.store.claimItems(claim()))).toEqual([])
    expect(await wokenBy(() => at.store.renew('one', () => T0, 1))).toEqual([])
  })

  it('lands what it was given before it closes, settlements and deliveries alike [F-58]', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    const last = delivery()
    const answers = Promise.all([
      at.store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true }),
      at.store.accept(last),
    ])
    await at.store.close()
    expect(await answers).toMatchObject([{ stands: true }, { as: 'stored' }])
    const again = await at.place.open()
    expect((await again.counts()).items).toEqual({ done: 1 })
    expect((await again.accept(last)).as).toBe('duplicate')
  })

  it('rejects every call after it was closed with store_unavailable, and closes twice without harm', async () => {
    const { store } = at
    const { fence, item: begun } = await beginNew(store)
    await store.close()
    await store.close()
    const next = { now: T0, goOn: true }
    for (const call of [
      () => store.accept(delivery()),
      () => store.unread(1),
      () => store.ingest(1, ingested(), T0),
      () => store.claimItems(claim()),
      () => store.settleItem(fence, begun.id, { as: 'done' }, next),
      () => store.openSend(send()),
      () => store.claimSends(claim()),
      () => store.beginSend(fence, 'x', 'freeform', T0),
      () => store.settleSend(fence, 'x', { as: 'fall_back' }, next),
      () => store.findSend({ id: 'x' }),
      () => store.findSend({ messageId: 'x' }),
      () => store.renew('one', () => T0, 1),
      () => store.lastClockOffset(),
      () => store.counts(),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining('closed'),
      })
    const again = await at.place.open()
    expect((await again.counts()).items).toEqual({ running: 1 })
  })

  function listening() {
    const woken: (WorkKind | 'recheck')[] = []
    at.store.onWork((work) => woken.push(work))
    return async (run: () => Promise<unknown>) => {
      woken.length = 0
      await run()
      return [...woken]
    }
  }
}
