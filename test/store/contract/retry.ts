import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import { arrive, begin, beginNew, handle, inboxOf, itemsOf, seqOf } from '../acts.ts'
import { claim, DEAD, delivery, ingested, item, LEASE_MS, named, T0, unclear } from '../samples.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const LATER = T0 + 86_400_000
const IDENTITY = { key: 'upstream:wamid.1', claimant: '|1' }
const PARKED: Settlement = { as: 'parked', reason: 'fact_missing: customer' }

/** A person requeues items and deliveries that wait for a person. */
export function retrying(at: Stage): void {
  it.each([DEAD, PARKED])('puts an item that is $as back, as if it had come just now [F-62]', async (settlement) => {
    await arrive(at.store, [item()])
    const { id } = await handle(at.store, settlement)
    expect(await at.store.retryItems([id], LATER)).toEqual([id])
    const { item: second } = await begin(at.store, { now: LATER })
    expect(second).toMatchObject({ id, attempt: 1, createdAt: LATER })
  })

  it('runs a retried item once, however often it is asked for, and leaves alone what waits, runs or is done [F-62]', async () => {
    await arrive(at.store, [item()])
    const { id } = await handle(at.store, DEAD)
    const retried = await Promise.all([at.store.retryItems([id], LATER), at.store.retryItems([id, id], LATER)])
    expect(retried.flat()).toEqual([id])
    await at.store.renew('one', () => LATER, LEASE_MS)
    const { fence, item: running } = await begin(at.store, { now: LATER })
    expect(await at.store.retryItems([id], LATER)).toEqual([])
    expect((await at.store.claimItems(claim({ processName: 'two', now: LATER }))).begun).toEqual([])
    await at.store.settleItem(fence, running.id, { as: 'done' }, { now: LATER, goOn: true })
    expect(await at.store.retryItems([id, 999], LATER)).toEqual([])
    expect((await at.store.counts()).items).toEqual({ done: 1 })
  })

  it('keeps which handlers have completed, and the results of once [F-62]', async () => {
    const { fence, item: first } = await beginNew(at.store, [item({ kind: 'event' })])
    await at.store.keepOnce(fence, first.id, 'price', '5')
    const failed: Settlement = { as: 'retry', reason: 'x', at: T0, blocksLane: false, completedHandlers: ['on:a'] }
    const { next } = await at.store.settleItem(fence, first.id, failed, { now: T0, goOn: true })
    await at.store.settleItem(next?.fence ?? fence, next?.work.id ?? 0, DEAD, { now: T0, goOn: true })
    await at.store.retryItems([first.id], LATER)
    expect((await begin(at.store, { now: LATER })).item.completedHandlers).toEqual(['on:a'])
    expect(await at.store.onceResult(first.id, 'price')).toBe('5')
  })

  it('wakes the dispatcher, and keeps the back-off of the lane [F-62]', async () => {
    const { fence, item: first } = await beginNew(at.store, [item(), item({ idx: 1 })])
    const { next } = await at.store.settleItem(fence, first.id, DEAD, { now: T0, goOn: true })
    const blocking: Settlement = { as: 'retry', reason: 'x', at: T0 + 5_000, blocksLane: true, completedHandlers: [] }
    await at.store.settleItem(next?.fence ?? fence, next?.work.id ?? 0, blocking, { now: T0, goOn: true })
    let woken = 0
    at.store.onWork(() => woken++)
    await at.store.retryItems([first.id], T0 + 1)
    expect(woken).toBe(1)
    expect((await at.store.claimItems(claim({ now: T0 + 4_999 }))).begun).toEqual([])
    expect((await begin(at.store, { now: T0 + 5_000 })).item.id).toBe(next?.work.id)
  })

  it('dispatches deliveries that were held: a suspected replay, a conflict, a quarantined and an ignored one [R SIG-07, F-62]', async () => {
    const first = delivery()
    await arriving(at.store, first, ingested(item()))
    await handle(at.store)
    await at.store.accept({ ...first, event: 'order.paid' })
    const conflict = delivery({ deliveryId: first.deliveryId })
    await at.store.accept(conflict)
    for (const { seq } of await at.store.unread(9))
      await at.store.ingest(seq, { ...ingested(item()), state: 'conflict' }, T0)
    await arriving(at.store, delivery(), { ...ingested(), state: 'quarantined', note: 'not_json' })
    await arriving(at.store, delivery(), { ...ingested(), state: 'ignored' })
    const seqs = await seqsIn(at, ['suspected_replay', 'conflict', 'quarantined', 'ignored'])
    expect(seqs).toHaveLength(4)
    expect(await at.store.reingest([...seqs, 999])).toEqual(seqs)
    expect(await at.store.reingest(seqs)).toEqual([])
    expect(await at.store.unread(9)).toMatchObject(seqs.map((seq) => ({ seq, conflictsWith: undefined })))
    for (const seq of seqs) await at.store.ingest(seq, ingested(item()), LATER)
    expect(await at.store.reingest(seqs)).toEqual([])
    expect((await at.store.counts()).items).toEqual({ done: 1, stored: 4 })
    // Those bytes are known from now on, also under another id.
    expect((await at.store.accept({ ...conflict, deliveryId: delivery().deliveryId })).as).toBe('suspected_replay')
  })

  it('dispatches a conflict with the bytes that it shares, also after all between it and the first one was pruned [R SIG-07, F-62]', async () => {
    const first = delivery()
    const ignored = { ingested: { ...ingested(), state: 'ignored' } } as const
    await at.store.accept(first, ignored)
    // More than lies on three pages.
    for (let count = 0; count < 10; count++)
      await at.store.accept(delivery({ text: `${count}`.repeat(2_000) }), ignored)
    await at.store.accept({ ...first, event: 'order.paid' })
    const [conflict] = await at.store.unread(1)
    const seq = conflict?.seq ?? 0
    await at.store.ingest(seq, { ...ingested(item()), state: 'conflict' }, T0)
    expect((await at.store.listDeliveries({ limit: 1 })).deliveries).toMatchObject([{ seq, hasBytes: true }])
    expect((await at.store.deliveryDetail(seq))?.body).toEqual(first.body)
    await pruneAll(at.store, { now: LATER, bytesMs: 0, idsMs: LATER })
    expect(await at.store.reingest([seq])).toEqual([seq])
    await at.store.ingest(seq, ingested(item()), LATER)
    expect((await begin(at.store, { now: LATER })).item.delivery.body).toEqual(first.body)
  })

  it('leaves a delivery alone of which nothing waits for a person, whose headers are unclear, or whose bytes are gone', async () => {
    await at.store.accept(unclear())
    await arrive(at.store, [item()])
    const first = await arriving(at.store, delivery(), { ...ingested(), state: 'ignored' })
    await pruneAll(at.store, { now: LATER, bytesMs: 0, idsMs: LATER - T0 })
    expect(await at.store.reingest([1, 2, first])).toEqual([])
  })

  it('ingests parked items again: a corrected mapping finds what was missing, under the delivery’s own claim [F-62]', async () => {
    const parked = named(IDENTITY, { customer: undefined, lane: 'default//1.0', state: 'parked', reason: 'x' })
    const seq = await arrive(at.store, [parked, item({ idx: 1, state: 'parked' }), item({ idx: 2, lane: 'other' })])
    await handle(at.store)
    expect(await at.store.reingest([seq])).toEqual([seq])
    const bound = { ...IDENTITY, claimant: '255712000101|1' }
    expect(await at.store.ingest(seq, ingested(named(bound), item({ idx: 2 })), LATER)).toEqual([])
    expect(await itemsOf(at.store)).toMatchObject([
      { idx: 0, state: 'stored', customer: '255712000101' },
      { idx: 2, state: 'done' },
    ])
    const { item: begun } = await begin(at.store, { now: LATER })
    expect(begun).toMatchObject({ idx: 0, attempt: 1, createdAt: LATER, cause: IDENTITY.key })
    const other = await seqOf(at.store, delivery())
    expect(await at.store.ingest(other, ingested(named(bound)), LATER)).toEqual([{ idx: 0, identity: 'same_message' }])
  })

  it('keeps the cause and the completed handlers of an item that ran before it was parked [R IDEM-02]', async () => {
    const seq = await arrive(at.store, [item({ cause: { identity: undefined, signed: 'signed:x' } })])
    const { id } = await handle(at.store, PARKED)
    await at.store.reingest([seq])
    await at.store.ingest(seq, ingested(named(IDENTITY)), LATER)
    expect((await begin(at.store, { now: LATER })).item).toMatchObject({ id, cause: 'signed:x' })
  })

  it('keeps parked items if the new ingest understands them no better', async () => {
    const seq = await arrive(at.store, [item({ state: 'parked', reason: 'x' })])
    await at.store.reingest([seq])
    await at.store.ingest(seq, { ...ingested(), state: 'quarantined', note: 'worse' }, LATER)
    expect(await at.store.counts()).toMatchObject({ deliveries: { stored: 1 }, items: { parked: 1 } })
    expect(await at.store.reingest([seq])).toEqual([seq])
  })
}

async function arriving(store: Store, one: ReturnType<typeof delivery>, as: ReturnType<typeof ingested>) {
  const seq = await seqOf(store, one)
  await store.ingest(seq, as, T0)
  return seq
}

async function seqsIn(at: Stage, states: readonly string[]): Promise<number[]> {
  const rows = await inboxOf(at.store)
  return rows.filter(({ state }) => states.includes(state)).map(({ seq }) => seq)
}
