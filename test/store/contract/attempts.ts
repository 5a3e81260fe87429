import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, begin, claim, delivery, item, itemsOf, LEASE_MS, seqOf, ingested, T0 } from '../samples.ts'

export function attempts(at: Stage): void {
  it('counts an attempt when it begins, so that a run which ends the process counts [F-56]', async () => {
    await arrive(at.store, [item()])
    expect((await begin(at.store)).item.attempt).toBe(1)
    expect(await itemsOf(at.store)).toMatchObject([{ attempts: 1, state: 'running' }])
  })

  it('begins a crashed attempt again when its lease has expired, with one more on its count [F-47]', async () => {
    await arrive(at.store, [item()])
    await begin(at.store, { owner: 'killed' })
    const { item: again } = await begin(at.store, { owner: 'two', now: T0 + LEASE_MS })
    expect(again.attempt).toBe(2)
    const { item: third } = await begin(at.store, { owner: 'three', now: T0 + 2 * LEASE_MS })
    expect(third.attempt).toBe(3)
  })

  it('begins suspects one at a time, and counts nothing for those that wait their turn [F-56]', async () => {
    for (const customer of ['255712000101', '255712000102']) await arrive(at.store, [item({ customer })])
    for (const crash of [0, 1]) await at.store.claimItems(claim({ owner: `${crash}`, now: T0 + crash * LEASE_MS }))
    await arrive(at.store, [item({ customer: '255712000103' })])
    const now = T0 + 2 * LEASE_MS
    const { begun } = await at.store.claimItems(claim({ owner: 'three', now, suspects: true }))
    expect(begun.map(({ work }) => [work.attempt, work.suspect])).toEqual([
      [3, true],
      [1, false],
    ])
    const later = { owner: 'three', now: now + 1_000, holding: begun.map(({ fence }) => fence.lane) }
    expect((await at.store.claimItems(claim({ ...later, suspects: false }))).begun).toEqual([])
    const [last] = (await at.store.claimItems(claim({ ...later, now: now + 2_000, suspects: true }))).begun
    expect(last?.work).toMatchObject({ attempt: 3, suspect: true })
  })

  it('continues with what waits behind many suspects, whose lanes it does not touch [F-56]', async () => {
    const suspects = Array.from({ length: 6 }, (_, index) => `25571200010${index}`)
    for (const customer of suspects) await arrive(at.store, [item({ customer })])
    for (const crash of [0, 1]) await at.store.claimItems(claim({ owner: `${crash}`, now: T0 + crash * LEASE_MS }))
    const now = T0 + 2 * LEASE_MS
    const fresh = await arrive(at.store, [item({ customer: '255712000110' })], now)
    const busy = claim({ owner: 'three', now, limit: 2, suspects: false })
    const { begun } = await at.store.claimItems(busy)
    expect(begun.map(({ work }) => work.delivery.seq)).toEqual([fresh])
    const { begun: others } = await at.store.claimItems({ ...busy, owner: 'four', suspects: true })
    expect(others.map(({ work }) => work.suspect)).toEqual([true])
  })

  it('counts no attempt that an orderly stop releases [F-58]', async () => {
    await arrive(at.store, [item(), item({ idx: 1 })])
    for (const owner of ['one', 'two', 'three']) {
      const { fence, item: begun } = await begin(at.store, { owner })
      expect(begun).toMatchObject({ attempt: 1, idx: 0 })
      expect(
        await at.store.settleItem(fence, begun.id, { as: 'released', completedHandlers: [] }, { now: T0, goOn: false }),
      ).toEqual({
        hasLease: true,
        next: undefined,
      })
    }
    expect(await itemsOf(at.store)).toMatchObject([
      { attempts: 0, state: 'stored' },
      { attempts: 0, state: 'stored' },
    ])
  })

  it('keeps which handlers have completed when an attempt is released [F-58]', async () => {
    await arrive(at.store, [item({ kind: 'event' })])
    const { fence, item: begun } = await begin(at.store)
    const released = { as: 'released', completedHandlers: ['on:a'] } as const
    await at.store.settleItem(fence, begun.id, released, { now: T0, goOn: false })
    expect((await begin(at.store)).item).toMatchObject({ attempt: 1, completedHandlers: ['on:a'] })
  })

  it('counts each retry, and keeps which handlers have completed', async () => {
    await arrive(at.store, [item({ kind: 'event' })])
    const { fence, item: first } = await begin(at.store)
    expect(first.completedHandlers).toEqual([])
    const retry = {
      as: 'retry',
      reason: 'x',
      at: T0 + 100,
      blocksLane: true,
      completedHandlers: ['on:a', 'on:"b"#2'],
    } as const
    await at.store.settleItem(fence, first.id, retry, { now: T0, goOn: true })
    const { item: second } = await begin(at.store, { now: T0 + 100 })
    expect(second).toMatchObject({ attempt: 2, completedHandlers: ['on:a', 'on:"b"#2'] })
  })

  it('counts attempts of each item of a lane apart', async () => {
    await arrive(at.store, [item(), item({ idx: 1 })])
    const { fence, item: first } = await begin(at.store)
    const retry = { as: 'retry', reason: 'x', at: T0 + 60_000, blocksLane: false, completedHandlers: [] } as const
    const { next } = await at.store.settleItem(fence, first.id, retry, { now: T0, goOn: true })
    expect(next).toMatchObject({ work: { idx: 1, attempt: 1 } })
  })

  it('gives an attempt its delivery and its item, letter by letter', async () => {
    // A column of text holds no U+0000 in some stores; facts do, since JSON escapes it.
    const strange = 'a"b\\c\td\ne \u{1F45F} \u2028'
    const source = delivery({ subscription: strange, event: 'order.paid' })
    const seq = await seqOf(at.store, source)
    const facts = JSON.stringify({ values: { text: `${strange}\u0000` }, sure: ['text'] })
    const everything = item({
      idx: 3,
      kind: 'status',
      number: strange,
      lane: `${strange}/status`,
      at: T0 - 5,
      facts,
      cause: { identity: undefined, signed: `signed:${strange}` },
    })
    const windows = [{ number: strange, customer: everything.customer ?? '', lastAt: T0 - 9 }]
    await at.store.ingest(seq, { ...ingested(everything), windows }, T0 + 3)
    const { item: begun } = await begin(at.store, { now: T0 + 4 })
    expect(begun).toMatchObject({
      idx: 3,
      kind: 'status',
      number: strange,
      customer: '255712000101',
      at: T0 - 5,
      facts,
      cause: `signed:${strange}`,
      attempt: 1,
      createdAt: T0 + 3,
      lastInboundAt: T0 - 9,
      delivery: { seq, subscription: strange, deliveryId: source.deliveryId, event: 'order.paid', receivedAt: T0 },
    })
    expect(Buffer.from(begun.delivery.body)).toEqual(source.body)
  })

  it('gives an attempt no customer and no window if there is none', async () => {
    await arrive(at.store, [item({ customer: undefined, lane: 'default//1.0' })])
    expect((await begin(at.store)).item).toMatchObject({ customer: undefined, lastInboundAt: undefined })
  })

  it('begins no settled item again, even after its lease would have expired', async () => {
    await arrive(at.store, [item()])
    const { fence, item: begun } = await begin(at.store)
    await at.store.settleItem(fence, begun.id, { as: 'ignored' }, { now: T0, goOn: true })
    await expect(begin(at.store, { now: T0 + 2 * LEASE_MS })).rejects.toThrow('0 were begun')
    expect((await at.store.counts()).items).toEqual({ ignored: 1 })
  })
}
