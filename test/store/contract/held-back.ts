import { expect, it } from 'vitest'
import { arrive, begin, dueSend, seqOf, settle } from '../acts.ts'
import { ASHA, BEGINS, claim, delivery, ingested, item, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'

/** Unread deliveries hold back the lanes of the same number alone. */
export function heldBack(at: Stage): void {
  const of = (number: string, customer = ASHA) => item({ number, customer, lane: `${number}/${customer}` })
  const arriveOf = (number: string) => at.store.accept(delivery(), { ingested: ingested(of(number)), begin: BEGINS })

  it('begins a message in the commit that stores it, while deliveries of another number are unread [R DEL-03]', async () => {
    await at.store.accept(delivery({ subscription: 'a' }))
    expect((await arriveOf('b')).started).toBeDefined()
    expect((await arriveOf('a')).started).toBeUndefined()
  })

  it('begins the next message of a customer, while deliveries of another number are unread [R DEL-03]', async () => {
    for (const number of ['a', 'b']) await arrive(at.store, [of(number), { ...of(number), idx: 1 }])
    const { begun } = await at.store.claimItems(claim())
    await at.store.accept(delivery({ subscription: 'a' }))
    const next = begun.map(({ fence, work }) => settle(at.store, { fence, item: work }, undefined, { goOn: true }))
    expect((await Promise.all(next)).map((settled) => settled.next?.work.number)).toEqual([undefined, 'b'])
  })

  it('claims lanes of other numbers alone, and of one whose deliveries were read for this claim [R DEL-03]', async () => {
    for (const number of ['a', 'b', 'c']) await arrive(at.store, [of(number)])
    for (const subscription of ['a', 'c']) await at.store.accept(delivery({ subscription }))
    const claimed = async (unlessUnread: readonly string[]) => {
      const { begun, unread } = await at.store.claimItems(claim({ unlessUnread }))
      return [begun.map(({ work }) => work.number), unread?.toSorted()]
    }
    expect(await claimed([])).toEqual([['b'], ['a', 'c']])
    expect(await claimed(['c'])).toEqual([['c'], ['a', 'c']])
    expect(await claimed([])).toEqual([[], ['a', 'c']])
  })

  it('holds back each number of a shared subscription, and no other, while its number is not known [R DEL-03]', async () => {
    for (const number of ['a', 'ab', 'b', 'c']) await arrive(at.store, [of(number)])
    const seq = await seqOf(at.store, delivery({ subscription: 'a+b' }))
    const { begun } = await at.store.claimItems(claim({ unlessUnread: [] }))
    expect(begun.map(({ work }) => work.number)).toEqual(['ab', 'c'])
    await at.store.ingest(seq, ingested(of('b')), T0)
    expect((await at.store.claimItems(claim({ unlessUnread: [] }))).begun.map(({ work }) => work.number)).toEqual([
      'a',
      'b',
    ])
  })

  it('holds back the number of a parked message that is read again, until it is read [R DEL-03]', async () => {
    const parked = { state: 'parked', reason: 'fact_missing: customer' } as const
    const seq = await seqOf(at.store, delivery({ subscription: 'a+b' }))
    await at.store.ingest(seq, ingested({ ...of('a'), ...parked }), T0)
    await at.store.reingest([seq])
    expect((await arriveOf('b')).started).toBeUndefined()
    await at.store.ingest(seq, { ...ingested(), state: 'quarantined', note: 'no better' }, T0)
    expect((await begin(at.store, { unlessUnread: [] })).item.number).toBe('b')
    expect((await arriveOf('a')).started).toBeDefined()
  })

  it('knows of a send that its window may have moved only if a delivery of its number is unread [R DEL-03]', async () => {
    await at.store.accept(delivery({ subscription: 'a' }))
    for (const number of ['a', 'b']) {
      await at.store.openSend(send({ number, lane: `${number}/${ASHA}/out` }))
      expect((await dueSend(at.store)).due.unread).toBe(number === 'a')
    }
  })

  it('reads the oldest of each subscription in turns, and none of those that are being read [F-55]', async () => {
    for (let nth = 0; nth < 5; nth++) await at.store.accept(delivery({ subscription: 'a' }))
    for (const subscription of ['b', 'b', 'c']) await at.store.accept(delivery({ subscription }))
    const read = async (limit: number, except: readonly string[] = []) =>
      (await at.store.unread(limit, new Set(except))).map(({ subscription }) => subscription)
    expect(await read(6)).toEqual(['a', 'b', 'c', 'a', 'b'])
    expect(await read(9, ['a', 'c'])).toEqual(['b', 'b'])
    const seqs = (await at.store.unread(9, new Set(['b', 'c']))).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
  })
}
