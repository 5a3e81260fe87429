import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../src/stores/sqlite/connection.ts'
import { MIGRATIONS } from '../../../src/stores/operations/schema.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { arrive, begin, claim, delivery, ingested, item, LEASE_MS, send, T0 } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'

const NEWER = MIGRATIONS.length + 1

describe('a file that a newer release migrates while this one works on it', () => {
  let place: ReturnType<typeof placeOnDisk>
  let store: Store
  beforeEach(async () => {
    place = placeOnDisk()
    store = await place.open()
  })
  afterEach(() => place.remove())

  /** Migrates as a newer release would, through a connection of its own. */
  function migrated(): void {
    const other = openConnection(place.file)
    other.raw.pragma(`user_version = ${NEWER}`)
    other.close()
  }

  it('gives no more work, neither items nor sends nor pending deliveries, and says why [F-57]', async () => {
    await arrive(store, [item()])
    await store.openSend(send())
    await store.accept(delivery())
    migrated()
    const nothing = { held: [], nextAt: undefined, newerSchema: NEWER }
    expect(await store.claimItems(claim())).toEqual(nothing)
    expect(await store.claimSends(claim())).toEqual(nothing)
    expect(await store.pending(9)).toEqual([])
    expect(await store.counts()).toMatchObject({ items: { stored: 1 }, sends: { ready: 1 } })
  })

  it('goes on storing deliveries, and knows duplicates [F-57]', async () => {
    migrated()
    const first = delivery()
    expect((await store.accept(first)).as).toBe('stored')
    expect((await store.accept(first)).as).toBe('duplicate')
  })

  it('leaves a delivery that was read before to the newer release, and keeps none of its facts [F-57]', async () => {
    migrated()
    const room = { take: () => true, give() {} }
    const begin = { owner: 'one', now: T0, leaseMs: LEASE_MS, room }
    const accepted = await store.accept(delivery(), { ingested: ingested(item()), begin })
    expect(accepted).toEqual({ as: 'stored', seq: 1 })
    expect(read(place.file, 'SELECT seq, facts FROM contents')).toEqual([{ seq: 1, facts: null }])
    expect(read(place.file, 'SELECT seq FROM pending')).toEqual([{ seq: 1 }])
  })

  it('settles what runs, and begins nothing after it in the lane [F-57]', async () => {
    await arrive(store, [item(), item({ idx: 1 })])
    const { fence, item: begun } = await begin(store)
    await store.openSend(send({ lane: 'out' }))
    await store.openSend(send({ lane: 'out' }))
    const [due] = (await store.claimSends(claim())).held
    if (!due) throw new Error('no send is due')
    migrated()
    const next = { now: T0, goOn: true }
    expect(await store.settleItem(fence, begun.id, { as: 'done' }, next)).toEqual({ held: true, next: undefined })
    const refused = { as: 'refused', code: 'x', reason: 'x' } as const
    expect(await store.settleSend(due.fence, due.work.send.id, refused, next)).toEqual({ held: true, next: undefined })
    expect(await store.counts()).toMatchObject({ items: { done: 1, stored: 1 }, sends: { refused: 1, ready: 1 } })
    expect(read(place.file, 'SELECT owner FROM lanes')).toMatchObject([{ owner: null }, { owner: null }])
  })

  it('prunes nothing, and ingests nothing that it read before [F-57]', async () => {
    await store.accept(delivery())
    const [waiting] = await store.pending(1)
    migrated()
    const nothing = { state: 'ignored', items: [], windows: [], statuses: [] } as const
    expect(await store.ingest(waiting?.seq ?? 0, nothing, T0)).toEqual([])
    const far = T0 * 2
    expect(await store.prune({ bytesBefore: far, idsBefore: far, now: far, limit: 9 })).toEqual({
      wiped: 0,
      removed: 0,
      next: undefined,
    })
    expect((await store.counts()).deliveries).toEqual({ stored: 1 })
  })
})
