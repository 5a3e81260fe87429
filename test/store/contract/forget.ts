import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { arrive, begin, dueSend, itemsOf, outboxOf, seqOf } from '../acts.ts'
import { ASHA, claim, DAY, delivery, ingested, item, JUMA, REFUSED, send, T0, WHO } from '../samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type { NewItem } from '../../../src/store/work/items.ts'

const PARKED: Partial<NewItem> = { state: 'parked', reason: 'x' }

/** The rows of a customer go in small transactions; those that wait or come later stay. */
export function forgetting(at: Stage): void {
  const customers = async () => (await itemsOf(at.store)).map(({ customer }) => customer)
  const erase = async (store = at.store, limit = 100) => {
    let transactions = 1
    while (await store.eraseForgotten(limit)) transactions++
    return transactions
  }

  it('cancels at once what has surely not gone out, erases session, take-over and window, and says that there is more to erase', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, { ...ingested(item()), windows: [{ ...WHO, lastAt: T0 }] }, T0)
    const { fence, item: begun } = await begin(at.store)
    await at.store.keepOnce(fence, begun.id, 'address', '["her address"]')
    const session = { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: undefined }
    await at.store.settleItem(fence, begun.id, { as: 'done', session }, { now: T0, goOn: false })
    await at.store.takeOver({ ...WHO, by: 'agent', since: T0, until: T0 + DAY })
    await at.store.openSend(send({ dueAt: T0 + DAY }))
    const woken: string[] = []
    at.store.onWork((work) => woken.push(work))
    await at.store.forget(WHO, T0)
    expect(woken).toEqual(['erasure'])
    expect((await outboxOf(at.store)).map(({ state }) => state)).toEqual(['cancelled'])
    expect(await at.store.customerOf('default', ASHA, T0)).toEqual({})
    expect(await customers()).toEqual([ASHA])
    await erase()
    expect(await at.store.countKept(ASHA)).toEqual({ numbers: {}, naming: 0 })
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
    expect(await at.store.onceResult(begun.id, 'address')).toBeUndefined()
  })

  it('looks at few rows in a transaction, so that others store between two of them, and continues where another process ended [F-55]', async () => {
    for (let count = 0; count < 4; count++) await arrive(at.store, [item(PARKED), item({ ...PARKED, idx: 1 })])
    for (let count = 0; count < 4; count++) await at.store.openSend(send())
    await at.store.forget(WHO, T0)
    const left = async () => (await customers()).filter((customer) => customer !== undefined).length
    // At most two rows; fewer if the transaction has become long, as on a machine with other work.
    expect(await at.store.eraseForgotten(2)).toBe(true)
    const first = await left()
    expect([6, 7]).toContain(first)
    const other = await at.place.open()
    await arrive(other, [item({ customer: JUMA, ...PARKED })])
    expect(await other.eraseForgotten(2)).toBe(true)
    expect([first - 2, first - 1]).toContain((await left()) - 1)
    // Two more for deliveries, two for sends, and one that finds nothing.
    expect(await erase(at.store, 2)).toBeGreaterThanOrEqual(5)
    expect(await customers()).toEqual([...Array<undefined>(8).fill(undefined), JUMA])
    expect(await outboxOf(at.store)).toEqual([])
  })

  it('keeps what comes after it: messages, their replies, and what the app sends', async () => {
    await arrive(at.store, [item(PARKED)])
    await at.store.openSend(send())
    await at.store.forget(WHO, T0)
    const cause = { identity: undefined, signed: 'later' }
    const seq = await arrive(at.store, [item({ ...PARKED, cause })])
    for (const one of [send({ cause: 'later' }), send()]) {
      await at.store.openSend(one)
      await at.store.cancelSend(one.key, T0)
    }
    await erase()
    expect(await customers()).toEqual([undefined, ASHA])
    expect(await at.store.deliveryDetail(seq)).toMatchObject({ body: expect.anything(), sends: [{}] })
    expect(await outboxOf(at.store)).toHaveLength(2)
  })

  it('keeps a later send, though the newest one before it is erased and another is still under way', async () => {
    const [open, ended, later] = [send(), send(), send()]
    for (const one of [open, ended]) await at.store.openSend(one)
    const { fence } = await dueSend(at.store)
    await at.store.beginSend(fence, open.id, 'freeform', T0)
    await at.store.forget(WHO, T0)
    await erase()
    expect((await outboxOf(at.store)).map(({ id }) => id)).toEqual([open.id])
    await at.store.openSend(later)
    await at.store.cancelSend(later.key, T0)
    await at.store.settleSend(fence, open.id, REFUSED, { now: T0, goOn: false })
    await pruneAll(at.store, { now: T0 })
    expect((await outboxOf(at.store)).map(({ id }) => id)).toEqual([later.id])
  })

  it('tells of no failure of a send that was under way [F-107]', async () => {
    for (const forgets of [false, true]) {
      const one = send()
      await at.store.openSend(one)
      const { fence } = await dueSend(at.store)
      await at.store.beginSend(fence, one.id, 'freeform', T0)
      if (forgets) await at.store.forget(WHO, T0)
      await at.store.settleSend(fence, one.id, REFUSED, { now: T0, goOn: false }, undefined, () => false)
      const told = (await at.store.listDeliveries({ limit: 9, event: 'send.failed' })).deliveries
      expect(told.map(({ deliveryId }) => deliveryId).includes(one.id)).toBe(!forgets)
    }
  })

  it('leaves to a pruning what is being handled, with the answer of the handler that forgot its own customer, until that has gone out', async () => {
    const seq = await arrive(at.store, [item({ cause: { identity: undefined, signed: 'cause' } })])
    const { fence, item: begun } = await begin(at.store)
    await at.store.forget(WHO, T0, fence)
    await erase()
    expect(await customers()).toEqual([ASHA])
    const reply = send({ cause: 'cause' })
    await at.store.openSend(reply, { fence })
    await at.store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })
    expect(await erase()).toBe(1)
    await pruneAll(at.store, { now: T0 })
    expect(await outboxOf(at.store)).toHaveLength(1)
    const { fence: lane } = await dueSend(at.store)
    await at.store.settleSend(lane, reply.id, REFUSED, { now: T0, goOn: false })
    await pruneAll(at.store, { now: T0 })
    expect(await outboxOf(at.store)).toEqual([])
    expect(await at.store.deliveryDetail(seq)).toMatchObject({ body: undefined, items: [{ facts: undefined }] })
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
  })

  it('erases what is read later out of a batch that came before, and keeps no window, take-over or session by it', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.forget(WHO, T0)
    await erase()
    const windows = [{ ...WHO, lastAt: T0 }]
    const silences = [{ ...WHO, by: 'agent', since: T0, until: T0 + DAY }] as const
    const read = ingested(item({ ...PARKED, customer: JUMA }), item({ idx: 1, facts: '"canary"' }))
    await at.store.ingest(seq, { ...read, windows, silences }, T0)
    const later = await arrive(at.store, [item(PARKED)])
    expect((await at.store.claimItems(claim())).begun).toEqual([])
    expect(await at.store.customerOf('default', ASHA, T0)).toEqual({})
    for (let pruned = 0; pruned < 2; pruned++) await pruneAll(at.store, { now: T0 })
    expect(await customers()).toEqual([JUMA, undefined, ASHA])
    expect(await at.store.deliveryDetail(later)).toMatchObject({ items: [{ facts: expect.anything() }] })
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain('canary')
  })

  it('erases several customers in one go, the bytes of a batch with the last of those that it speaks of', async () => {
    const batch = await arrive(at.store, [item(PARKED), item({ ...PARKED, idx: 1, customer: JUMA })])
    const ignored = await seqOf(at.store, delivery({ text: `of ${JUMA}` }))
    await at.store.ingest(ignored, { ...ingested(), state: 'ignored' }, T0)
    const bytes = async (store: Store) =>
      Promise.all([batch, ignored].map(async (seq) => (await store.deliveryDetail(seq))?.body !== undefined))
    await at.store.forget(WHO, T0)
    await erase()
    expect([await customers(), await bytes(at.store)]).toEqual([
      [undefined, JUMA],
      [true, true],
    ])
    await at.store.forget(WHO, T0)
    await at.store.forget({ ...WHO, customer: JUMA }, T0)
    expect(await erase()).toBeLessThan(12)
    expect([await customers(), await bytes(at.store)]).toEqual([
      [undefined, undefined],
      [false, false],
    ])
  })

  it('erases with the bytes of a batch the facts of those that name nobody, unless they wait for a person', async () => {
    const nameless: Partial<NewItem> = { idx: 1, customer: undefined, lane: undefined, facts: '{"text":"canary"}' }
    await arrive(at.store, [item(PARKED), item({ ...nameless, state: 'ignored' })])
    await at.store.forget(WHO, T0)
    await erase()
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain('canary')

    const seq = await arrive(at.store, [item(PARKED), item({ ...nameless, ...PARKED })])
    await at.store.forget(WHO, T0)
    await erase()
    const [, parked] = (await at.store.deliveries([seq]))[0]?.items ?? []
    await at.store.retryItems([parked?.id ?? 0], T0)
    expect((await begin(at.store)).item).toMatchObject({
      facts: nameless.facts,
      delivery: { body: expect.any(Uint8Array) },
    })
  })

  it('leaves the bytes of a delivery that is pending, until a pruning after its ingest', async () => {
    const first = delivery()
    await at.store.ingest(await seqOf(at.store, first), ingested(item(PARKED)), T0)
    await at.store.accept(delivery({ deliveryId: first.deliveryId, text: `of ${ASHA}` }))
    await at.store.forget(WHO, T0)
    await erase()
    const [conflict] = await at.store.unread(9)
    expect(conflict?.body).toBeInstanceOf(Uint8Array)
    await at.store.ingest(conflict?.seq ?? 0, { ...ingested(), state: 'conflict' }, T0)
    await pruneAll(at.store, { now: T0 })
    expect(await at.store.countKept(ASHA)).toEqual({ numbers: {}, naming: 0 })
    expect(await at.store.deliveryDetail(conflict?.seq ?? 0)).toMatchObject({ body: undefined })
  })

  it('leaves a conflict whose own bytes it erased without any: those of the first are another customer’s', async () => {
    const first = delivery()
    await at.store.ingest(await seqOf(at.store, first), ingested(item({ ...PARKED, customer: JUMA })), T0)
    await at.store.accept(delivery({ deliveryId: first.deliveryId, text: `of ${ASHA}` }))
    const seq = (await at.store.unread(9))[0]?.seq ?? 0
    await at.store.ingest(seq, { ...ingested(item()), state: 'conflict' }, T0)
    await at.store.forget(WHO, T0)
    await erase()
    await at.store.reingest([seq])
    expect(await at.store.unread(9)).toEqual([])
  })
}
