import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, begin, beginNew, inboxOf, itemsOf, seqOf, settle } from '../acts.ts'
import { ASHA, claim, delivery, DONE, ingested, item, named, T0 } from '../samples.ts'

const IDENTITY = { key: 'upstream:wamid.1', claimant: '255712000101|1772614800000' }

export function ingesting(at: Stage): void {
  it('turns a delivery into its items, and into none if nobody listens or nothing is understood [R DEL-06]', async () => {
    const [heard, ignored, strange] = [delivery(), delivery(), delivery()]
    const seqs = [await seqOf(at.store, heard), await seqOf(at.store, ignored), await seqOf(at.store, strange)]
    const nothing = { items: [], windows: [], statuses: [] }
    await at.store.ingest(seqs[0] ?? 0, ingested(item()), T0)
    await at.store.ingest(seqs[1] ?? 0, { state: 'ignored', ...nothing }, T0)
    await at.store.ingest(seqs[2] ?? 0, { state: 'quarantined', note: 'not_json', ...nothing }, T0)
    expect(await at.store.unread(10)).toEqual([])
    expect((await at.store.counts()).deliveries).toEqual({ stored: 1, ignored: 1, quarantined: 1 })
    expect((await inboxOf(at.store)).map(({ note }) => note)).toEqual([undefined, undefined, 'not_json'])
    const { item: begun } = await begin(at.store)
    expect(begun.delivery.deliveryId).toBe(heard.deliveryId)
    expect(Buffer.from(begun.delivery.body)).toEqual(heard.body)
  })

  it('changes everything or nothing: one item that cannot be stored leaves the delivery as it was [R DEL-02]', async () => {
    const seq = await seqOf(at.store, delivery())
    const broken = item({ idx: 1, at: 0.5 })
    const whole = {
      ...ingested(named(IDENTITY), broken),
      windows: [{ number: 'default', customer: '255712000101', lastAt: T0 }],
      statuses: [{ number: 'default', messageId: 'm1', upstreamId: 'w1', status: 'sent', at: T0, reason: undefined }],
    }
    await expect(at.store.ingest(seq, whole, T0)).rejects.toThrow()
    expect(await at.store.unread(10)).toMatchObject([{ seq }])
    expect(await at.place.view.windowOf('default', ASHA)).toBeUndefined()
    expect((await at.store.counts()).items).toEqual({})
    expect(await at.place.view.lanes()).toEqual([])
    expect(await at.place.view.identityClaims()).toBe(0)
    expect(await at.place.view.statuses('strays')).toEqual([])
  })

  it('parks what exceeds the limit of a customer, and says so once, until the span has passed', async () => {
    const outcomes: unknown[] = []
    const state = async (after: number, given: Parameters<typeof item>[0] = {}) => {
      const limit = { messages: 2, everyMs: 60_000, at: T0 + after }
      const known = (await itemsOf(at.store)).length
      const seq = await seqOf(at.store, delivery())
      const windows = [{ number: 'default', customer: given.customer ?? ASHA, lastAt: T0 + after }]
      outcomes.push(await at.store.ingest(seq, { ...ingested(item({ limit, ...given })), windows }, T0 + after))
      return (await itemsOf(at.store))[known]?.state
    }
    expect([await state(0), await state(1), await state(2), await state(3)]).toEqual([
      'stored',
      'stored',
      'parked',
      'parked',
    ])
    expect(outcomes).toEqual([[], [], [{ idx: 0, identity: 'over_limit' }], []])
    expect(await at.place.view.windowOf('default', ASHA)).toBe(T0 + 3)
    // What has no limit, such as STOP, passes and is not counted. Others have their own count.
    expect([await state(4, { limit: undefined }), await state(5, { customer: '255712000102' })]).toEqual([
      'stored',
      'stored',
    ])
    expect([await state(59_999), await state(60_000), await state(60_001), await state(60_002)]).toEqual([
      'parked',
      'stored',
      'stored',
      'parked',
    ])
    // The clock went back.
    expect(await state(1_000)).toBe('stored')
  })

  it('counts a message that moves no window, each of one delivery, and none again that is read again', async () => {
    const limit = { messages: 1, everyMs: 60_000, at: T0 }
    const seq = await arrive(at.store, [item({ limit }), item({ idx: 1, limit }), item({ idx: 2, limit })])
    const states = async () => (await itemsOf(at.store)).map(({ state }) => state)
    expect(await states()).toEqual(['stored', 'parked', 'parked'])
    await settle(at.store, await begin(at.store))
    await at.store.reingest([seq])
    await at.store.ingest(seq, ingested(item({ limit }), item({ idx: 1, limit }), item({ idx: 2, limit })), T0)
    expect(await states()).toEqual(['done', 'stored', 'stored'])
  })

  it('takes several commits for hundreds of messages, and begins none before the last: cut short by a stop it continues, nothing lost, nothing twice [R DEL-02, F-106]', async () => {
    const customers = Array.from({ length: 300 }, (_, nth) => `2557120${10_000 + nth}`)
    const large = {
      ...ingested(
        ...customers.map((customer, idx) => named({ key: `upstream:${idx}`, claimant: customer }, { idx, customer })),
      ),
      windows: customers.map((customer) => ({ number: 'default', customer, lastAt: T0 })),
    }
    const seq = await seqOf(at.store, delivery())
    const stopping = await at.place.open()
    const cut = stopping.ingest(seq, large, T0)
    await Promise.all([expect(cut).rejects.toThrow(), stopping.close()])
    const some = (await itemsOf(at.store)).length
    expect(some).toBeGreaterThan(0)
    expect(some).toBeLessThan(300)
    expect(await at.store.claimItems(claim({ unlessUnread: [] }))).toMatchObject({ begun: [], unread: ['default'] })
    expect(await at.store.ingest(seq, large, T0)).toEqual([])
    expect(await at.store.unread(10)).toEqual([])
    const items = await itemsOf(at.store)
    expect(items.map(({ idx }) => idx).toSorted((a, b) => a - b)).toEqual(customers.map((_, idx) => idx))
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['stored']))
    expect(await at.place.view.lanes()).toHaveLength(300)
    expect(await at.place.view.windowOf('default', '255712010299')).toBe(T0)
  })

  it('begins no item behind one that is settled while a delivery is unread, which may have an older one [R DEL-03, F-106]', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    const large = Array.from({ length: 300 }, (_, idx) =>
      item({ idx, at: T0 + 10, ...(idx > 0 && { customer: `2557120${10_000 + idx}` }) }),
    )
    const stored = await at.store.accept(delivery(), { ingested: ingested(...large) })
    const { seq = 0 } = stored
    expect(stored, 'answered before its messages are items').toEqual({ as: 'stored', seq })
    expect(await itemsOf(at.store)).toHaveLength(1)
    await at.store.accept(delivery(), { ingested: ingested(item({ at: T0 + 1_000 })) })
    const settled = await at.store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    expect(settled).toEqual({ stands: true, next: undefined })
    await at.store.ingest(seq, ingested(...large), T0)
    const claimed = (await at.store.claimItems(claim({ limit: 400 }))).begun
    expect(claimed.find(({ work }) => work.customer === begun.customer)?.work.at).toBe(T0 + 10)
  })

  it('changes nothing if another process was faster', async () => {
    const other = await at.place.open()
    const seq = await seqOf(at.store, delivery())
    const theirs = {
      ...ingested(named(IDENTITY), item({ idx: 1 })),
      windows: [{ number: 'default', customer: ASHA, lastAt: T0 }],
    }
    expect(await at.store.ingest(seq, ingested(named(IDENTITY)), T0)).toEqual([])
    expect(await other.ingest(seq, theirs, T0)).toEqual([])
    expect(await itemsOf(at.store)).toHaveLength(1)
    expect(await at.place.view.windowOf('default', ASHA)).toBeUndefined()
  })

  it('claims an identity of a number once: the same message again is kept and not handled, whichever subscription brought it', async () => {
    await arrive(at.store, [named(IDENTITY)])
    const other = await seqOf(at.store, delivery({ subscription: 'other' }))
    expect(await at.store.ingest(other, ingested(named(IDENTITY)), T0)).toEqual([{ idx: 0, identity: 'same_message' }])
    expect((await at.store.counts()).items).toEqual({ stored: 1, same_message: 1 })
    const begun = await begin(at.store)
    expect(begun.item.cause).toBe(IDENTITY.key)
    expect((await settle(at.store, begun, DONE, { goOn: true })).next).toBeUndefined()
    const onAnotherNumber = named(IDENTITY, { number: 'sales', lane: 'sales/255712000101' })
    expect(await at.store.ingest(await seqOf(at.store, delivery()), ingested(onAnotherNumber), T0)).toEqual([])
  })

  it('handles another message under a used identity, with its signed bytes as the cause, and reports that', async () => {
    await arrive(at.store, [named(IDENTITY)])
    const seq = await seqOf(at.store, delivery())
    const reused = named(
      { ...IDENTITY, claimant: 'another message' },
      { at: T0 + 1, cause: { identity: IDENTITY.key, signed: 'signed:x' } },
    )
    expect(await at.store.ingest(seq, ingested(reused), T0)).toEqual([{ idx: 0, identity: 'reused' }])
    const first = await begin(at.store)
    expect(first.item.cause).toBe(IDENTITY.key)
    const { next } = await settle(at.store, first, DONE, { goOn: true })
    expect(next?.work.cause).toBe('signed:x')
  })

  it('moves a window forward only, per number and customer [F-93]', async () => {
    const move = async (lastAt: number, number = 'default', customer = '255712000101') => {
      const seq = await seqOf(at.store, delivery())
      await at.store.ingest(seq, { ...ingested(), windows: [{ number, customer, lastAt }] }, T0)
    }
    await move(T0)
    await move(T0 - 60_000)
    expect(await at.place.view.windowOf('default', ASHA)).toBe(T0)
    await move(T0 + 5)
    expect(await at.place.view.windowOf('default', ASHA)).toBe(T0 + 5)
    expect(await at.place.view.windowOf('sales', '255712000101')).toBeUndefined()
    await move(T0 - 1, 'sales')
    expect(await at.place.view.windowOf('sales', '255712000101')).toBe(T0 - 1)
    expect(await at.place.view.windowOf('default', '255712000102')).toBeUndefined()
  })

  it('begins no item that is parked or ignored, and makes no lane for it', async () => {
    await arrive(at.store, [
      item({ state: 'parked', reason: 'fact_missing: customer' }),
      item({ idx: 1, state: 'ignored' }),
    ])
    expect(await at.place.view.lanes()).toEqual([])
    expect((await at.store.claimItems(claim())).begun).toEqual([])
    expect((await itemsOf(at.store)).map(({ reason }) => reason)).toEqual(['fact_missing: customer', undefined])
  })

  it('gives each item of a batch its lane, and its place within the delivery', async () => {
    await arrive(at.store, [
      item({ customer: '255712000101', idx: 0 }),
      item({ customer: '255712000102', idx: 1 }),
      item({ customer: undefined, lane: undefined, idx: 2 }),
    ])
    const { begun } = await at.store.claimItems(claim())
    expect(begun.map(({ fence }) => fence.lane).sort()).toEqual([
      'default//1.2',
      'default/255712000101',
      'default/255712000102',
    ])
    expect(new Set(begun.map(({ work }) => work.idx))).toEqual(new Set([0, 1, 2]))
  })
}
