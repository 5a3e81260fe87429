import { expect, it } from 'vitest'
import type { SeenShape } from '../../../src/store/types/types.ts'
import { DAY, T0 } from '../samples.ts'
import type { Stage } from './index.ts'

/** The shapes of payloads, which any number of processes see. */
export function payloads(at: Stage): void {
  const shape = (given: Partial<SeenShape> = {}): SeenShape => {
    const { fingerprint = 'bcdf', paths = ['data.from:string', 'data:object'] } = given
    return { event: 'message.received', truncated: false, lastAt: T0, ...given, fingerprint, paths }
  }
  const events = (n: number) => Array.from({ length: n }, (_, i) => `event.${String.fromCodePoint(97 + i)}`)
  const prints = (n: number) => Array.from({ length: n }, (_, i) => `print${String.fromCodePoint(97 + i)}`)

  it('answers each new shape once if processes see it at the same time, and keeps the bounds together [R EVT-07]', async () => {
    const stores = [at.store, await at.place.open(), await at.place.open()]
    const shapes = prints(40).map((fingerprint) => shape({ fingerprint }))
    const told = await Promise.all([1, 2, 3, 4].flatMap(() => stores.map((store) => store.addShapes(shapes))))
    expect(told.flat()).toHaveLength(32)
  })

  it('tells of a shape once, whichever process saw it, and how it differs from all others of its event [R EVT-07]', async () => {
    const other = await at.place.open()
    const [a, b, c] = ['data.from:string', 'data.text:string', 'data.media:string']
    const first = { event: 'message.received', fingerprint: 'first', isFirst: true, gained: [], lost: [] }
    expect(await at.store.addShapes([shape({ fingerprint: 'first', paths: [a, b] })])).toEqual([first])
    expect(await other.addShapes([shape({ fingerprint: 'first', paths: [a, b] })])).toEqual([])
    expect(
      await at.store.addShapes([
        shape({ fingerprint: 'next', paths: [a, c] }),
        shape({ fingerprint: 'none', paths: [a] }),
      ]),
    ).toEqual([
      { event: 'message.received', fingerprint: 'next', isFirst: false, gained: [c], lost: [b] },
      { event: 'message.received', fingerprint: 'none', isFirst: false, gained: [], lost: [] },
    ])
    const cut = shape({ fingerprint: 'cut', paths: [b], truncated: true })
    expect(await at.store.addShapes([cut])).toMatchObject([{ gained: [], lost: [] }])
  })

  it('keeps no more than 32 shapes of an event and 16 events [R EVT-07]', async () => {
    for (const fingerprint of prints(40)) await at.store.addShapes([shape({ fingerprint })])
    expect(await at.store.addShapes([shape({ fingerprint: 'late' })])).toEqual([])
    expect(await at.store.addShapes(events(20).map((event) => shape({ event })))).toHaveLength(15)
  })

  it('lets a shape that nobody saw for 90 days make room for a new one [R EVT-07]', async () => {
    await at.store.addShapes(prints(32).map((fingerprint, i) => shape({ fingerprint, lastAt: T0 + i })))
    const late = T0 + 90 * DAY
    expect(await at.store.addShapes([shape({ fingerprint: 'early', lastAt: late })])).toEqual([])
    await at.store.addShapes([shape({ fingerprint: 'printa', lastAt: late })])
    const news = await at.store.addShapes([shape({ fingerprint: 'late', lastAt: late + 2 })])
    expect(news).toMatchObject([{ fingerprint: 'late', isFirst: false }])
    expect(await at.store.addShapes([shape({ fingerprint: 'printa', lastAt: late })])).toEqual([])
  })

  it("keeps the app's last mapping, so that anyone can see how a payload would be read", async () => {
    expect(await at.store.mapping()).toEqual([])
    const mapping = [
      { event: 'message.received', fact: 'customer', path: 'data.sender' },
      { event: 'message.received', fact: 'orderId', path: '()' },
    ]
    await at.store.keepMapping([{ event: 'a', fact: 'b', path: 'c' }])
    await at.store.keepMapping(mapping)
    expect(await at.store.mapping()).toEqual(mapping)
  })
}
