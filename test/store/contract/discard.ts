import { expect, it } from 'vitest'
import { arrive, begin, delivery, inboxOf, item, named, outboxOf, send, T0, unclear } from '../samples.ts'
import type { Stage } from './index.ts'

const END = { now: T0, goOn: false }

/** A person has deliveries removed that nobody needs, whatever they wait for. */
export function discarding(at: Stage): void {
  it('removes what waits for a person with all that is kept of it, and counts it no longer', async () => {
    const identity = { key: 'upstream:wamid.1', binding: 'b' }
    const dead = await arrive(at.store, [named(identity)])
    const { fence, item: begun } = await begin(at.store)
    const reply = send({ cause: begun.cause })
    await at.store.openSend(reply, { fence })
    await at.store.settleItem(fence, begun.id, { as: 'dead', reason: 'x' }, END)
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
    await at.store.settleItem(answered.fence, answered.item.id, { as: 'done' }, END)
    await at.store.ingest(pending, { state: 'ignored', items: [], windows: [], statuses: [] }, T0)
    expect(await at.store.discard([running, pending])).toEqual([])
    expect(await at.store.discard([replay, pending])).toEqual([replay, pending])
  })
}
