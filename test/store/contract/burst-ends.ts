import { expect, it } from 'vitest'
import { arrive, begin, itemsOf, outboxOf, seqOf, settle } from '../acts.ts'
import { ASHA, claim, DEAD, delivery, ingested, send, T0, WHO } from '../samples.ts'
import { DONE, DAY, said, writes, textsOf, inTurns, settled, ingestAgain } from './burst-samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const PARKED: Settlement = { as: 'parked', reason: 'recipient_not_confirmed' }
const RETRY = { as: 'retry', reason: 'x', blocksLane: true, completedHandlers: ['a'] } as const

/** A burst ends, is requeued, pruned and forgotten as one. */
export function burstEnds(at: Stage): void {
  it('settle together, in whatever way, and none of them waits behind another', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    const { fence, item: first } = await begin(at.store, { now: T0 + 1_500 })
    const retried = { ...RETRY, at: T0 + 3_000 }
    expect(await at.store.settleItem(fence, first.id, retried, { now: T0 + 1_500, goOn: true })).toMatchObject({
      behind: 0,
    })
    expect(await itemsOf(at.store)).toMatchObject(
      [1, 2].map(() => ({ state: 'retry', reason: 'x', readyAt: T0 + 3_000, behind: 0 })),
    )
    const second = await begin(at.store, { now: T0 + 3_000 })
    expect(second.item).toMatchObject({ attempt: 2, completedHandlers: ['a'] })
    await settle(
      at.store,
      { fence: second.fence, item: first },
      { as: 'released', completedHandlers: [] },
      { now: T0 + 3_000 },
    )
    const third = await begin(at.store, { now: T0 + 3_000 })
    expect(third.item.attempt).toBe(2)
    await at.store.settleItem(third.fence, first.id, DONE, { now: T0 + 3_001, goOn: true })
    expect(await itemsOf(at.store)).toMatchObject([1, 2].map(() => ({ state: 'done' })))
  })

  it.each(['ignored', 'rested'] as const)('leave nothing open if they end as %s', async (as) => {
    for (const text of ['a', 'b', 'c']) await writes(at.store, { text })
    await settled(at.store, { as, leftToPerson: 'wrote' })
    expect(await itemsOf(at.store)).toMatchObject([1, 2, 3].map(() => ({ state: as })))
    expect(await at.store.peopleRows([WHO])).toMatchObject([{ state: 'waiting', unread: 3 }])
    expect((await at.store.waiting()).items).toBe(0)
  })

  it('are late if one of their messages is: a later one was handled before it', async () => {
    await arrive(at.store, [said({ at: T0 + 5 })], T0, [{ number: 'default', customer: ASHA, lastAt: T0 + 5 }])
    await at.store.ingest(
      await seqOf(at.store, delivery()),
      { ...ingested(), windows: [{ number: 'default', customer: ASHA, lastAt: T0 }] },
      T0,
    )
    await inTurns(at.store, T0)
    for (const ahead of [4, 6]) await writes(at.store, { at: T0 + ahead }, T0, true)
    const { fence, item: late } = await begin(at.store, { now: T0 + 1_500 })
    expect(late.late).toBe(true)
    await at.store.settleItem(fence, late.id, DONE, { now: T0 + 1_500, goOn: true })
    await writes(at.store, { at: T0 + 7 })
    expect((await begin(at.store, { now: T0 + 9_000 })).item.late).toBe(false)
  })

  it('are requeued whole if a person requeues one of their messages, and the answer names them all [F-62]', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const first = await settled(at.store, DEAD)
    const ids = (await itemsOf(at.store)).map(({ id }) => id)
    expect(await at.store.retryItems(ids.slice(0, 1), T0 + DAY)).toEqual(ids)
    expect(await at.store.retryItems(ids, T0 + DAY)).toEqual([])
    await writes(at.store, { text: 'c' }, T0 + DAY)
    const { item: again } = await begin(at.store, { now: T0 + DAY })
    expect(again).toEqual({ ...first, attempt: 1, createdAt: T0 + DAY })
    expect((await itemsOf(at.store))[0]?.bundle).toEqual({ sealed: true, deliveries: seqs })
  })

  it('stay one with their cause if they were parked and are ingested again, all for one that is asked for [F-62]', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const first = await settled(at.store, PARKED)
    expect(await at.store.reingest(seqs.slice(0, 1))).toEqual(seqs)
    await ingestAgain(at.store, seqs[0], said({ text: 'A' }))
    // The other one is on its way.
    expect((await at.store.claimItems(claim({ now: T0 + DAY }))).begun).toEqual([])
    await ingestAgain(at.store, seqs[1], said({ text: 'B' }))
    const { item: again } = await begin(at.store, { now: T0 + DAY + 1_000 })
    expect(textsOf(again)).toEqual(['A', 'B'])
    expect(again).toMatchObject({ cause: first.cause, attempt: 1 })
  })

  it('keep their sends as long as one of their messages may ask for them again', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const { fence, item: burst } = await begin(at.store, { now: T0 + 1_500 })
    const reply = send({ cause: burst.cause })
    await at.store.openSend(reply, { fence })
    await at.store.settleItem(fence, burst.id, DEAD, { now: T0 + 1_500, goOn: true })
    await at.store.cancelSend(reply.key, T0)
    expect((await at.store.deliveryDetail(seqs[0] ?? 0))?.sends).toHaveLength(1)
    await at.store.discard(seqs.slice(0, 1))
    expect(await outboxOf(at.store)).toHaveLength(1)
    await at.store.discard(seqs.slice(1))
    expect(await outboxOf(at.store)).toEqual([])
  })

  it('leave no reply behind if their messages are pruned in one transaction', async () => {
    for (const text of ['a', 'b']) await writes(at.store, { text })
    const { fence, item: burst } = await begin(at.store, { now: T0 + 1_500 })
    const reply = send({ cause: burst.cause })
    await at.store.openSend(reply, { fence })
    await at.store.settleItem(fence, burst.id, DONE, { now: T0 + 1_500, goOn: true })
    await at.store.cancelSend(reply.key, T0)
    await pruneAll(at.store, { now: T0 + 40 * DAY })
    expect(await itemsOf(at.store)).toEqual([])
    expect(await outboxOf(at.store)).toEqual([])
  })

  it('are pruned and forgotten like other messages, and leave nothing of their customer', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    await settled(at.store, DONE)
    await pruneAll(at.store, { now: T0 + 40 * DAY })
    expect(await itemsOf(at.store)).toEqual([])
    for (const text of ['c', 'd']) await writes(at.store, { text })
    await settled(at.store, DEAD)
    await at.store.forget({ number: 'default', customer: ASHA }, T0)
    while (await at.store.eraseForgotten(100));
    await pruneAll(at.store, { now: T0 + 2 * 3_600_000 })
    expect((await at.store.countKept(ASHA)).numbers).toEqual({})
    expect((await itemsOf(at.store)).map(({ bundle }) => bundle)).toEqual([undefined, undefined])
  })
}
