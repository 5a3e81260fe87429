import { expect, it } from 'vitest'
import { arrive, begin, beginNew, itemsOf } from '../acts.ts'
import { BEGINS, claim, delivery, ingested, item, LEASE_MS, named, T0, WHO } from '../samples.ts'
import { RULES, DONE, factsOf, said, writes, textsOf, inTurns } from './burst-samples.ts'
import type { Stage } from './index.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'

/** Messages that come close together are one item's work. */
export function bursts(at: Stage): void {
  it('are gathered until their customer is quiet, and begin as one, by payload time [R DEL-03]', async () => {
    const second = await writes(at.store, { at: T0 + 2, text: 'second' })
    await writes(at.store, { at: T0 + 1, text: 'first' }, T0 + 1_000)
    const third = await writes(at.store, { at: T0 + 3, text: 'third' }, T0 + 2_400)
    const early = await at.store.claimItems(claim({ now: T0 + 3_899 }))
    expect(early).toEqual({ begun: [], nextAt: T0 + 3_900 })
    const { item: burst } = await begin(at.store, { now: T0 + 3_900 })
    expect(textsOf(burst)).toEqual(['first', 'second', 'third'])
    expect(burst).toMatchObject({ attempt: 1, at: T0 + 3, delivery: { seq: third } })
    expect(burst.earlier[1]).toMatchObject({
      at: T0 + 2,
      deliveryId: (await at.store.deliveries([second]))[0]?.deliveryId,
    })
    expect(new Set((await itemsOf(at.store)).map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['running 1']),
    )
  })

  it('are sealed when they are full: what comes next is gathered for the next one', async () => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) await writes(at.store, { text })
    const { fence, item: full } = await begin(at.store)
    expect(textsOf(full)).toEqual(['a', 'b', 'c', 'd'])
    expect(await at.store.settleItem(fence, full.id, DONE, { now: T0, goOn: true })).toEqual({
      stands: true,
      next: undefined,
    })
    expect(textsOf((await begin(at.store, { now: T0 + 1_500 })).item)).toEqual(['e'])
  })

  it('have all that one delivery says of their customer, and what the next one says [R DEL-03]', async () => {
    const other = '255712000102'
    const batch = ['a', 'x', 'b'].map((text, idx) =>
      said({ text, idx, gathers: RULES, ...(idx === 1 && { customer: other }) }),
    )
    const seq = await arrive(at.store, batch)
    const next = await writes(at.store, { text: 'c' }, T0 + 1_000)
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['x']])
    expect((await itemsOf(at.store)).find(({ idx }) => idx === 2)?.bundle).toEqual({
      sealed: false,
      deliveries: [seq, next],
    })
    expect(await inTurns(at.store, T0 + 2_500)).toEqual([['a', 'b', 'c']])
  })

  it('begin where another process takes the store over in the quiet time, and not earlier', async () => {
    await writes(at.store, { text: 'a' })
    await at.store.close()
    const other = await at.place.open()
    await writes(other, { text: 'b' }, T0 + 1_000)
    expect((await other.claimItems(claim({ now: T0 + 2_499 }))).begun).toEqual([])
    expect(textsOf((await begin(other, { now: T0 + 2_500 })).item)).toEqual(['a', 'b'])
  })

  it('have the same members and the same cause in each attempt, whatever comes meanwhile [F-46, F-51]', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    const { item: first } = await begin(at.store, { now: T0 + 1_500 })
    await writes(at.store, { text: 'older', at: T0 - 9 }, T0 + 1_600)
    const { item: again } = await begin(at.store, { processName: 'two', now: T0 + 1_500 + LEASE_MS })
    expect(again).toEqual({ ...first, attempt: 2 })
    expect(first.cause).toMatch(/^burst:[\w-]{43}$/)
  })

  it('of other messages have another cause, also in another order; one message alone keeps its own [F-51]', async () => {
    const causes: string[] = []
    for (const customer of ['1', '2', '3']) {
      const [a, b] = customer === '3' ? ['y', 'x'] : ['x', customer === '1' ? 'y' : 'z']
      for (const cause of [a, b])
        await writes(at.store, { customer, cause: { identity: undefined, signed: `signed:${cause}` } })
      causes.push((await begin(at.store, { now: T0 + 1_500 })).item.cause)
    }
    expect(new Set(causes).size).toBe(3)
    await writes(at.store, { customer: '4', cause: { identity: undefined, signed: 'signed:alone' } })
    const { item: alone } = await begin(at.store, { now: T0 + 1_500 })
    expect(alone).toMatchObject({ cause: 'signed:alone', earlier: [] })
  })

  it('are sealed and begin at once if a message flushes them, which comes alone behind them [R DEL-03]', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b', at: T0 + 1 })
    await arrive(at.store, [said({ text: 'tap', at: T0 + 2, gathers: 'flushes' })])
    await writes(at.store, { text: 'c', at: T0 + 3 })
    expect(await inTurns(at.store, T0)).toEqual([['a', 'b'], ['tap']])
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['c']])
  })

  it('keep nobody waiting who flushes nothing: such a message begins in the commit that stores it [R DEL-02]', async () => {
    const tap = ingested(said({ text: 'tap', gathers: 'flushes' }))
    expect((await at.store.accept(delivery(), { ingested: tap, begin: BEGINS })).started?.work.attempt).toBe(1)
    const gathered = ingested(said({ text: 'a', customer: '2', gathers: RULES }))
    expect((await at.store.accept(delivery(), { ingested: gathered, begin: BEGINS })).started).toBeUndefined()
  })

  it('let other work of their lane go first, and do not begin with it', async () => {
    await writes(at.store, { text: 'a' })
    await arrive(at.store, [item({ kind: 'event', at: T0 + 9, facts: factsOf('event') })])
    expect(await inTurns(at.store, T0)).toEqual([['event']])
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['a']])
  })

  it('enter their lane once it is free, also if other work was in front of them [R DEL-03]', async () => {
    const event = (text: string) => arrive(at.store, [item({ kind: 'event', facts: factsOf(text) })])
    const settle = ({ fence, work }: Begun<StartedItem>) =>
      at.store.settleItem(fence, work.id, DONE, { now: T0 + 1_500, goOn: true })
    await event('first')
    const { fence, item: first } = await begin(at.store)
    await writes(at.store, { text: 'a' })
    await event('second')
    expect((await at.store.claimItems(claim({ now: T0 + 1_500 }))).begun).toEqual([])
    const { next: second } = await settle({ fence, work: first })
    expect(textsOf(second!.work)).toEqual(['second'])
    await settle(second!)
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['a']])
  })

  it('that came due while their lane was busy begin once it is free, in whatever way it became so', async () => {
    for (const goOn of [true, false]) {
      const { fence, item: first } = await beginNew(at.store, [item({ facts: factsOf('first') })])
      for (const text of ['a', 'b']) await writes(at.store, { text })
      expect((await at.store.claimItems(claim({ now: T0 + 1_500 }))).begun).toEqual([])
      await writes(at.store, { text: 'c' }, T0 + 1_600)
      expect((await at.store.claimItems(claim({ now: T0 + 3_100 }))).begun).toEqual([])
      await at.store.settleItem(fence, first.id, DONE, { now: T0 + 3_100, goOn })
      expect(await inTurns(at.store, T0 + 3_100)).toEqual([['a', 'b', 'c']])
    }
  })

  it('wait no longer if a person gives back what was written before, which goes first', async () => {
    const seq = await arrive(at.store, [item({ facts: factsOf('rested') })])
    const { fence, item: rested } = await begin(at.store)
    await at.store.settleItem(fence, rested.id, { as: 'rested' }, { now: T0, goOn: false })
    for (const text of ['a', 'b']) await writes(at.store, { text, at: T0 + 1 })
    const given = { by: 'neema', at: T0 + 2, now: T0 + 2 }
    expect(await at.store.giveBack(WHO, [seq], given)).toBe(1)
    expect(await inTurns(at.store, T0 + 2)).toEqual([['rested'], ['a', 'b']])
  })

  it('have no message twice: one whose identity is known is in none [R DEL-03, F-36]', async () => {
    const identity = { key: 'upstream:wamid.1', claimant: 'asha|1' }
    for (const _ of [1, 2]) await arrive(at.store, [named(identity, { facts: factsOf('a'), gathers: RULES })])
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['a']])
    expect((await itemsOf(at.store)).map(({ state }) => state)).toEqual(['done', 'same_message'])
  })
}
