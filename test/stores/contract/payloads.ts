import { expect, it } from 'vitest'
import { Observations, readBody } from '../../../src/payload/index.ts'
import type { SeenFact, SeenShape } from '../../../src/stores/port/index.ts'
import { T0 } from '../samples.ts'
import type { Stage } from './index.ts'

const DAY = 86_400_000

/** The shapes of payloads, counted by any number of processes. */
export function payloads(at: Stage): void {
  const shape = (given: Partial<SeenShape> = {}): SeenShape => {
    const { fingerprint = 'bcdf', paths = ['data.from:string', 'data:object'] } = given
    const counts = { deliveries: 1, messages: 1, firstAt: T0, lastAt: T0 }
    return { event: 'message.received', truncated: false, ...counts, ...given, fingerprint, paths }
  }
  const fact = (given: Partial<SeenFact> = {}): SeenFact => {
    const counts = { seen: 1, sure: 1, firstAt: T0, lastAt: T0 }
    return { event: 'message.received', fact: 'customer', path: 'data.from', how: 'guessed', ...counts, ...given }
  }
  const add = (shapes: readonly SeenShape[], facts: readonly SeenFact[] = []) => at.store.addPayloads({ shapes, facts })
  const events = (n: number) => Array.from({ length: n }, (_, i) => `event.${String.fromCodePoint(97 + i)}`)
  const prints = (n: number) => Array.from({ length: n }, (_, i) => `print${String.fromCodePoint(97 + i)}`)

  it('adds up what processes have counted, by shape and by the path of a fact [R EVT-07]', async () => {
    const other = await at.place.open()
    await add([shape({ deliveries: 2, messages: 5, lastAt: T0 + 9 })], [fact({ seen: 5, sure: 4 })])
    await other.addPayloads({
      shapes: [shape({ firstAt: T0 - 1, lastAt: T0 + 3 }), shape({ fingerprint: 'ghjk', event: 'message.status' })],
      facts: [fact({ firstAt: T0 - 1, sure: 0 }), fact({ how: 'conflict', path: 'data.phone', sure: 0 })],
    })
    expect(await at.store.seenPayloads()).toEqual({
      shapes: [
        shape({ deliveries: 3, messages: 6, firstAt: T0 - 1, lastAt: T0 + 9 }),
        shape({ fingerprint: 'ghjk', event: 'message.status' }),
      ],
      facts: [fact({ seen: 6, sure: 4, firstAt: T0 - 1 }), fact({ how: 'conflict', path: 'data.phone', sure: 0 })],
    })
  })

  it('loses no count and no shape if processes store theirs at the same time, and keeps the bounds together [R EVT-07]', async () => {
    const stores = [at.store, await at.place.open(), await at.place.open()]
    const seen = { shapes: prints(40).map((fingerprint) => shape({ fingerprint })), facts: [fact()] }
    const told = await Promise.all([1, 2, 3, 4].flatMap(() => stores.map((store) => store.addPayloads(seen))))
    expect(told.flat()).toHaveLength(32)
    const { shapes, facts } = await at.store.seenPayloads()
    expect(shapes).toHaveLength(33)
    expect(shapes.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(12 * 40)
    expect(facts).toEqual([fact({ seen: 12, sure: 12 })])
  })

  it('keeps and tells little of 10,000 shapes with numbers, names and texts for names, which come to two processes [R EVT-07, AUTH-07]', async () => {
    const stores = [at.store, await at.place.open()]
    const canaries = ['255744123456', '+255 744 123 456', 'Neema Massawe', 'naumwa sana', 'neema@example.com']
    const letters = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    const told: unknown[] = []
    for (let n = 0; n < 10_000; ) {
      const counting = stores.map(() => new Observations())
      for (const end = n + 1_000; n < end; n++) {
        const canary = canaries[n % canaries.length] ?? ''
        const data = {
          [letters(n)]: n,
          [canary]: { [canary]: canary },
          id: `m${n}`,
          from: '255744123456',
          text: canary,
        }
        const context = { event: 'message.received', deliveryId: undefined, now: T0 }
        const read = readBody(Buffer.from(JSON.stringify({ event: context.event, data })), context)
        if ('views' in read) counting[n % 2]?.add(context.event, read, T0 + (n % 2) * 3_600_000)
      }
      const added = await Promise.all(
        stores.map((store, i) => store.addPayloads(counting[i]?.take() ?? { shapes: [], facts: [] })),
      )
      told.push(...added.flat())
    }
    const seen = await at.store.seenPayloads()
    expect([told.length, seen.shapes.length]).toEqual([32, 33])
    expect(seen.facts.length).toBeLessThan(10)
    expect(seen.shapes.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(10_000)
    const all = JSON.stringify([told, seen])
    for (const canary of [...canaries, 'Neema', 'naumwa', '744']) expect(all).not.toContain(canary)
  })

  it('tells of a shape once, whichever process saw it, and how it differs from all others of its event [R EVT-07]', async () => {
    const other = await at.place.open()
    const [a, b, c] = ['data.from:string', 'data.text:string', 'data.media:string']
    const first = { event: 'message.received', fingerprint: 'first', isFirst: true, gained: [], lost: [] }
    expect(await add([shape({ fingerprint: 'first', paths: [a, b] })])).toEqual([first])
    expect(await other.addPayloads({ shapes: [shape({ fingerprint: 'first', paths: [a, b] })], facts: [] })).toEqual([])
    expect(
      await add([shape({ fingerprint: 'next', paths: [a, c] }), shape({ fingerprint: 'none', paths: [a] })]),
    ).toEqual([
      { event: 'message.received', fingerprint: 'next', isFirst: false, gained: [c], lost: [b] },
      { event: 'message.received', fingerprint: 'none', isFirst: false, gained: [], lost: [] },
    ])
    const cut = shape({ fingerprint: 'cut', paths: [b], truncated: true })
    expect(await add([cut])).toMatchObject([{ gained: [], lost: [] }])
  })

  it('keeps no more than 32 shapes of an event and 16 events apart, and counts the others together [R EVT-07]', async () => {
    for (const fingerprint of prints(40)) await add([shape({ fingerprint })])
    expect(await add([shape({ fingerprint: 'late', messages: 3 })])).toEqual([])
    const { shapes } = await at.store.seenPayloads()
    expect(shapes).toHaveLength(33)
    expect(shapes[0]).toMatchObject({ fingerprint: '', paths: [], deliveries: 9, messages: 11 })
    for (const event of events(20)) await add([shape({ event })], [fact({ event })])
    const seen = await at.store.seenPayloads()
    expect(new Set(seen.shapes.map(({ event }) => event)).size).toBe(1 + 16)
    expect(seen.shapes.find(({ event }) => event === '')).toMatchObject({ fingerprint: '', deliveries: 5 })
    expect(seen.facts.find(({ event }) => event === '')).toMatchObject({ fact: 'customer', seen: 5 })
  })

  it('keeps no more events and facts apart if all come at once [R EVT-07]', async () => {
    const facts = (event: string) => prints(20).map((name) => fact({ event, fact: name, path: '' }))
    await add(
      events(33).map((event) => shape({ event })),
      events(33).flatMap(facts),
    )
    const seen = await at.store.seenPayloads()
    expect(new Set(seen.shapes.map(({ event }) => event)).size).toBe(1 + 16)
    expect(seen.shapes.find(({ event }) => event === '')).toMatchObject({ fingerprint: '', deliveries: 17 })
    expect(new Set(seen.facts.map(({ event }) => event)).size).toBe(1 + 16)
    expect(seen.facts.reduce((sum, each) => sum + each.seen, 0)).toBe(33 * 20)
  })

  it('lets a shape that nobody saw for 90 days make room for a new one [R EVT-07]', async () => {
    await add(prints(32).map((fingerprint, i) => shape({ fingerprint, lastAt: T0 + i })))
    const late = T0 + 90 * DAY
    expect(await add([shape({ fingerprint: 'early', firstAt: late, lastAt: late })])).toEqual([])
    const news = await add([shape({ fingerprint: 'late', firstAt: late + 1, lastAt: late + 1 })])
    expect(news).toMatchObject([{ fingerprint: 'late', isFirst: false }])
    const { shapes } = await at.store.seenPayloads()
    const kept = shapes.map(({ fingerprint }) => fingerprint)
    expect([kept.includes('printa'), kept.includes('printb'), kept.includes('late')]).toEqual([false, true, true])
  })

  it('keeps no more than 256 paths of facts of an event apart [R EVT-07]', async () => {
    await add([shape()])
    await add(
      [],
      Array.from({ length: 300 }, (_, i) => fact({ path: `p${i}` })),
    )
    const { facts } = await at.store.seenPayloads()
    expect(facts).toHaveLength(257)
    expect(facts[0]).toMatchObject({ path: '', seen: 44 })
  })

  it("keeps the app's last mapping, for whoever asks how a payload would be read", async () => {
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
