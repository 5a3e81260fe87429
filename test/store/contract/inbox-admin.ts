import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import { arrive, begin, handle, inboxOf, outboxOf, seqOf, settle } from '../acts.ts'
import { ASHA, DAY, DEAD, delivery, DONE, ingested, item, JUMA, named, retryAt, send, T0, unclear } from '../samples.ts'
import type { DeliveryQuery } from '../../../src/store/reads/deliveries.ts'
import type { InboxState } from '../../../src/store/database/inbox-tables.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

/** A person looks at the inbox, and at how much of it may go. */
export function inboxAdmin(at: Stage): void {
  it('removes what waits for a person with all that is kept of it, and counts it no longer', async () => {
    const identity = { key: 'upstream:wamid.1', claimant: 'b' }
    const dead = await arrive(at.store, [named(identity)])
    const { fence, item: begun } = await begin(at.store)
    const reply = send({ cause: begun.cause })
    await at.store.openSend(reply, { fence })
    await at.store.settleItem(fence, begun.id, { as: 'dead', reason: 'x' }, { now: T0, goOn: false })
    expect(await at.store.cancelSend(reply.key, T0)).toBe(true)
    const parked = await arrive(at.store, [item({ state: 'parked', reason: 'x' })])
    await at.store.accept(unclear())
    const seqs = (await inboxOf(at.store)).map(({ seq }) => seq)
    expect(seqs).toHaveLength(3)
    expect(seqs).toEqual(expect.arrayContaining([dead, parked]))
    expect(await at.store.discard([...seqs, 999])).toEqual(seqs)
    expect([await inboxOf(at.store), await outboxOf(at.store)]).toEqual([[], []])
    expect(await at.store.counts()).toMatchObject({ deliveries: {}, items: {} })
    expect(await at.store.discard(seqs)).toEqual([])
  })

  it('leaves what waits for its turn or runs, has an open send, or is resembled by another', async () => {
    const first = delivery()
    await at.store.accept(first)
    await at.store.accept({ ...first, event: 'order.paid' })
    const [pending = 0, replay = 0] = (await inboxOf(at.store)).map(({ seq }) => seq)
    const running = await arrive(at.store, [item()])
    const answered = await begin(at.store)
    const waits = await arrive(at.store, [item()])
    expect(await at.store.discard([pending, running, waits])).toEqual([])
    await at.store.openSend(send({ cause: answered.item.cause }), { fence: answered.fence })
    await at.store.settleItem(answered.fence, answered.item.id, { as: 'done' }, { now: T0, goOn: false })
    await at.store.ingest(pending, { state: 'ignored', items: [], windows: [], statuses: [] }, T0)
    expect(await at.store.discard([running, pending])).toEqual([])
    expect(await at.store.discard([replay, pending])).toEqual([replay, pending])
  })

  const found = async (query: Omit<DeliveryQuery, 'limit'>) =>
    (await at.store.listDeliveries({ ...query, limit: 99 })).deliveries.map(({ seq }) => seq)

  it('lists deliveries a page at a time, what came last first, whatever their clocks say', async () => {
    for (const receivedAt of [T0 + 9, T0, T0 - 9, T0, T0]) await at.store.accept(delivery({ receivedAt }))
    const first = await at.store.listDeliveries({ limit: 2 })
    const second = await at.store.listDeliveries({ limit: 2, after: first.next ?? 0 })
    const third = await at.store.listDeliveries({ limit: 2, after: second.next ?? 0 })
    const seqs = [first, second, third].map(({ deliveries }) => deliveries.map(({ seq }) => seq))
    expect(seqs).toEqual([[5, 4], [3, 2], [1]])
    expect(third.next).toBeUndefined()
    expect(await found({ newerThan: 3 })).toEqual([5, 4])
  })

  it('lists a delivery by its own state if it has no items, and by theirs if it has', async () => {
    const unsorted = await seqOf(at.store, delivery())
    await at.store.accept(unclear())
    const [quarantined] = await found({ newerThan: unsorted })
    const [done, dead, retry] = [await settledAs(DONE), await settledAs(DEAD), await settledAs(retryAt(T0 + DAY))]
    const running = await arrive(at.store, [item({ lane: 'running' })])
    await begin(at.store)
    const batch = await arrive(at.store, [item({ state: 'parked', reason: 'x' }), item({ idx: 1, lane: 'other' })])
    const ignored = await seqOf(at.store, delivery())
    await at.store.ingest(ignored, { ...ingested(), state: 'ignored' }, T0)
    const states: InboxState[] = ['stored', 'quarantined', 'done', 'dead', 'retry', 'parked', 'ignored', 'running']
    const seqs = await Promise.all(states.map((state) => found({ states: [state] })))
    expect(seqs).toEqual([[batch, unsorted], [quarantined], [done], [dead], [retry], [batch], [ignored], [running]])
    expect(await found({ states: ['dead', 'ignored'] })).toEqual([ignored, dead])
    expect(await found({ states: ['stale'] })).toEqual([])
  })

  it('lists by event, number, customer and time of receipt, the state being that of the customer’s own item', async () => {
    const paid = await seqOf(at.store, delivery({ event: 'order.paid', receivedAt: T0 + 5 }))
    const batch = await arrive(at.store, [
      item({ number: 'retail', customer: JUMA, state: 'parked', reason: 'x' }),
      item({ idx: 1, number: 'retail' }),
    ])
    const asha = await arrive(at.store, [item()])
    expect(await found({ event: 'order.paid' })).toEqual([paid])
    expect(await found({ number: 'retail' })).toEqual([batch])
    expect(await found({ customer: ASHA })).toEqual([asha, batch])
    expect(await found({ customer: ASHA, number: 'retail' })).toEqual([batch])
    expect(await found({ customer: JUMA, states: ['parked'] })).toEqual([batch])
    expect(await found({ customer: ASHA, states: ['parked'] })).toEqual([])
    expect(await found({ receivedFrom: T0 + 5 })).toEqual([paid])
    expect(await found({})).toEqual([asha, batch, paid])
  })

  it('shows what a delivery resembles, and finds all that came under one id [R SIG-07]', async () => {
    const first = delivery()
    await arrive(at.store, [item()])
    const seq = await seqOf(at.store, first)
    await at.store.accept(first)
    const { seq: conflict = 0 } = await at.store.accept(delivery({ deliveryId: first.deliveryId }))
    const { seq: replay = 0 } = await at.store.accept({ ...first, event: 'order.paid' })
    const rows = await at.store.deliveriesWithId(first.deliveryId ?? '')
    expect(rows).toMatchObject([
      { seq: replay, state: 'suspected_replay', event: 'order.paid', resembles: seq },
      { seq: conflict, state: 'conflict', pending: true, resembles: seq },
      { seq, state: 'stored', pending: true, repeats: 1, resembles: undefined, hasBytes: true },
    ])
    expect(await at.store.deliveries([seq, conflict, 999])).toEqual([rows[1], rows[2]])
    expect((await at.store.deliveryDetail(seq))?.resembledBy).toEqual([conflict, replay])
    expect(await at.store.deliveriesWithId('nobody')).toEqual([])
  })

  it('counts what waits: deliveries that are pending, and items and sends that are not settled', async () => {
    await at.store.accept(delivery())
    await arrive(at.store, [item(), item({ idx: 1, lane: 'other' }), item({ idx: 2, state: 'parked', reason: 'x' })])
    await at.store.openSend(send())
    expect(await at.store.waiting()).toEqual({ deliveries: 1, items: 2, sends: 1 })
  })

  it('shows the error of the last attempt that failed, until the item is done or requeued [F-87]', async () => {
    const seq = await arrive(at.store, [item()])
    const failure = (attempt: number) => ({ attempt, route: 'hears:price', frames: [`at price (bot.ts:${attempt}:9)`] })
    const shown = async () => (await at.store.deliveryDetail(seq))?.items[0]?.failure
    const ends = async (settlement: Settlement) => (await handle(at.store, settlement)).id
    const retry = retryAt(T0)
    await ends({ ...retry, failure: failure(1) })
    expect(await shown()).toEqual(failure(1))
    await ends({ as: 'released', completedHandlers: [] })
    expect(await shown()).toEqual(failure(1))
    await ends({ ...retry, failure: failure(2) })
    const id = await ends({ as: 'dead', reason: 'the process ended during each of its attempts' })
    expect(await shown()).toEqual(failure(2))
    await at.store.retryItems([id], T0)
    expect(await shown()).toBeUndefined()
    await ends({ ...retry, failure: failure(1) })
    await ends({ as: 'done' })
    expect(await shown()).toBeUndefined()
  })

  it('shows what a delivery says, what its handlers kept, and the sends that it caused, until its bytes go', async () => {
    const seq = await seqOf(at.store, delivery({ text: 'habari' }))
    await at.store.ingest(seq, ingested(item({ facts: '{"values":{"text":"habari"}}' })), T0)
    const { fence, item: begun } = await begin(at.store)
    await at.store.keepOnce(fence, begun.id, 'price', '[5]')
    const reply = send({ cause: begun.cause })
    await at.store.openSend(reply, { fence })
    await at.store.openSend(send({ cause: begun.cause, number: 'retail' }))
    await settle(at.store, { fence, item: begun }, { ...DEAD, completedHandlers: ['on:a'] })
    const detail = await at.store.deliveryDetail(seq)
    expect(Buffer.from(detail?.body ?? []).toString()).toBe('{"text":"habari"}')
    expect(detail).toMatchObject({
      items: [
        {
          id: begun.id,
          facts: '{"values":{"text":"habari"}}',
          cause: begun.cause,
          completedHandlers: ['on:a'],
          once: ['price'],
          failure: undefined,
        },
      ],
      sends: [{ id: reply.id, state: 'ready' }],
    })
    await at.store.retryItems([begun.id], T0)
    await handle(at.store)
    await pruneAll(at.store, { now: T0 + 8 * DAY })
    expect(await at.store.deliveryDetail(seq)).toMatchObject({ body: undefined, items: [{ facts: undefined }] })
    expect(await at.store.deliveryDetail(999)).toBeUndefined()
  })

  it('hands out recorded deliveries, the oldest first: those that were understood, while their bytes are kept', async () => {
    const gone = await settledAs(DONE)
    await pruneAll(at.store, { now: T0 + 8 * DAY })
    const first = delivery({ text: 'one' })
    const seqs = [await seqOf(at.store, first)]
    seqs.push(await seqOf(at.store, delivery({ event: 'order.paid', receivedAt: T0 + 5 })))
    await at.store.accept(unclear())
    await at.store.accept(delivery({ deliveryId: first.deliveryId }))
    seqs.push(await seqOf(at.store, delivery()))
    const recorded = async (query: { event?: string; receivedFrom?: number; after?: number; limit?: number }) =>
      (await at.store.recordedDeliveries({ after: 0, limit: 9, ...query })).map(({ seq }) => seq)
    expect(await recorded({})).toEqual(seqs)
    expect(seqs).not.toContain(gone)
    expect(await recorded({ limit: 2 })).toEqual(seqs.slice(0, 2))
    expect(await recorded({ after: seqs[0] ?? 0 })).toEqual(seqs.slice(1))
    expect(await recorded({ event: 'order.paid' })).toEqual([seqs[1]])
    expect(await recorded({ receivedFrom: T0 + 5 })).toEqual([seqs[1]])
    const [only] = await at.store.recordedDeliveries({ after: 0, limit: 1 })
    expect([only?.event, Buffer.from(only?.body ?? []).toString()]).toEqual(['message.received', '{"text":"one"}'])
    expect(only).toMatchObject({ deliveryId: first.deliveryId, subscription: 'default', at: T0 })
    await at.store.accept(delivery({ clockOffset: DAY }))
    expect(await at.store.recordedDeliveries({ after: seqs[2] ?? 0, limit: 1 })).toMatchObject([{ at: T0 + DAY }])
  })

  /** A delivery of one item, settled so. */
  async function settledAs(settlement: Settlement): Promise<number> {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, ingested(item({ lane: `lane/${seq}` })), T0)
    await handle(at.store, settlement)
    return seq
  }
}
