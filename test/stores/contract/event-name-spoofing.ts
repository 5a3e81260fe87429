import { expect, it } from 'vitest'
import type { NewDelivery, Ingested } from '../../../src/stores/port/index.ts'
import type { Stage } from './index.ts'
import { begin, delivery, idOf, named, seqOf, ingested, T0 } from '../samples.ts'

const IDENTITY = { key: 'upstream:wamid.1', binding: 'b' }

/** Somebody posts signed bytes under an event name that is not theirs, since the name is not signed. */
export function eventNameSpoofing(at: Stage): void {
  const pair = (o: { sameId?: boolean } = {}): { genuine: NewDelivery; spoofed: NewDelivery } => {
    const genuine = delivery()
    return {
      genuine,
      spoofed: { ...genuine, event: 'order.paid', deliveryId: o.sameId ? genuine.deliveryId : idOf(8_001) },
    }
  }

  it.each([{ sameId: false }, { sameId: true }])(
    'dispatches the genuine delivery that came after a spoofed copy, once ingest finds out (same id: $sameId) [R SIG-07]',
    async (o) => {
      const { genuine, spoofed } = pair(o)
      const first = await seqOf(at.store, spoofed)
      expect((await at.store.accept(genuine)).as).toBe('suspected_replay')
      const woken: string[] = []
      at.store.onWork((work) => woken.push(work))
      await at.store.ingest(first, SPOOFED, T0)
      expect(woken).toEqual(['items'])
      expect(await at.store.pending(9)).toMatchObject([
        { event: 'message.received', deliveryId: genuine.deliveryId, conflictsWith: undefined },
      ])
      expect((await at.store.counts()).deliveries).toEqual({ quarantined: 1, stored: 1 })
      await handle()
      await staysSuspected(genuine, spoofed)
    },
  )

  it.each([{ sameId: false }, { sameId: true }])(
    'dispatches the genuine delivery that comes after a spoofed copy was quarantined, at once (same id: $sameId) [R SIG-07]',
    async (o) => {
      const { genuine, spoofed } = pair(o)
      await at.store.ingest(await seqOf(at.store, spoofed), SPOOFED, T0)
      expect((await at.store.accept(genuine)).as).toBe('stored')
      expect(await at.store.pending(9)).toMatchObject([{ deliveryId: genuine.deliveryId }])
      await handle()
      await staysSuspected(genuine, spoofed)
    },
  )

  it.each(['before', 'after'])(
    'dispatches the genuine delivery whose id a copy took, also re-signed at another time (%s ingest) [R SIG-07]',
    async (when) => {
      const { genuine, spoofed } = pair({ sameId: true })
      const retried = { ...genuine, timestamp: genuine.timestamp + 60 }
      const first = await seqOf(at.store, spoofed)
      if (when === 'before') await at.store.accept(retried)
      await at.store.ingest(first, SPOOFED, T0)
      if (when === 'after') expect((await at.store.accept(retried)).as).toBe('stored')
      expect(await at.store.pending(9)).toMatchObject([{ timestamp: retried.timestamp }])
      await handle()
      // Neither of the two times lets it through again.
      expect((await at.store.accept({ ...genuine, deliveryId: idOf(8_002) })).as).toBe('suspected_replay')
      expect((await at.store.accept({ ...retried, deliveryId: idOf(8_003) })).as).toBe('suspected_replay')
      expect((await at.store.accept(retried)).as).toBe('duplicate')
      expect(await at.store.pending(9)).toEqual([])
    },
  )

  it('lets signed bytes through once this way, however many copies there are and however often they are ingested [R SIG-07, R DEL-01]', async () => {
    const { genuine, spoofed } = pair()
    const first = await seqOf(at.store, spoofed)
    for (const number of [8_010, 8_011, 8_012]) await at.store.accept({ ...genuine, deliveryId: idOf(number) })
    await at.store.accept({ ...genuine, event: 'order.void' })
    await at.store.ingest(first, SPOOFED, T0)
    await handle()
    expect(await at.store.reingest([first])).toEqual([first])
    await at.store.ingest(first, SPOOFED, T0)
    expect(await at.store.pending(9)).toEqual([])
    expect((await at.store.accept({ ...genuine, deliveryId: idOf(8_013) })).as).toBe('suspected_replay')
    expect((await at.store.counts()).items).toEqual({ done: 1 })
  })

  it('stores 64 genuine copies that come at once after the quarantine exactly once [R SIG-07]', async () => {
    const { genuine, spoofed } = pair()
    const other = await at.place.open()
    await at.store.ingest(await seqOf(at.store, spoofed), SPOOFED, T0)
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        (index % 2 === 0 ? at.store : other).accept({ ...genuine, deliveryId: idOf(8_100 + index) }),
      ),
    )
    expect(answers.filter((answer) => answer.as === 'stored')).toHaveLength(1)
    expect(answers.filter((answer) => answer.as === 'suspected_replay')).toHaveLength(63)
    expect(await at.store.pending(9)).toHaveLength(1)
  })

  it('does the same if nobody listened for the false name: a name in other letters is another name [R SIG-07]', async () => {
    const genuine = delivery()
    const spoofed = { ...genuine, event: 'Message.Received', deliveryId: idOf(8_020) }
    const first = await seqOf(at.store, spoofed)
    await at.store.accept(genuine)
    await at.store.ingest(first, { ...IGNORED, ownEvent: 'message.received' }, T0)
    expect(await at.store.pending(9)).toMatchObject([{ event: 'message.received' }])
    await handle()
    for (const event of ['Message.Received', 'message.received', 'MESSAGE.RECEIVED'])
      expect((await at.store.accept({ ...genuine, event, deliveryId: idOf(8_021) })).as).toBe('suspected_replay')
  })

  it('recognises the name that the bytes give themselves in other letters too [R SIG-07]', async () => {
    const { genuine, spoofed } = pair()
    await at.store.ingest(await seqOf(at.store, spoofed), { ...SPOOFED, ownEvent: 'MESSAGE.RECEIVED' }, T0)
    expect((await at.store.accept(genuine)).as).toBe('stored')
  })

  it('holds the genuine delivery if a person had the spoofed copy handled [R SIG-07, R DEL-01]', async () => {
    const { genuine, spoofed } = pair()
    const first = await seqOf(at.store, spoofed)
    await at.store.ingest(first, SPOOFED, T0)
    await at.store.reingest([first])
    await handle()
    expect((await at.store.accept(genuine)).as).toBe('suspected_replay')
  })

  it('holds a delivery whose bytes name no event, or another one [R SIG-07]', async () => {
    const { genuine, spoofed } = pair()
    await at.store.ingest(await seqOf(at.store, spoofed), IGNORED, T0)
    expect((await at.store.accept(genuine)).as).toBe('conflict')
    const named = pair()
    await at.store.ingest(
      await seqOf(at.store, { ...named.spoofed, deliveryId: idOf(8_030) }),
      { ...IGNORED, ownEvent: 'order.paid' },
      T0,
    )
    expect((await at.store.accept(named.genuine)).as).toBe('suspected_replay')
  })

  it('lets no delivery through whose headers are unclear, and none with other bytes under its id [R SIG-07]', async () => {
    const { genuine, spoofed } = pair({ sameId: true })
    await at.store.ingest(await seqOf(at.store, spoofed), SPOOFED, T0)
    const unclear = { ...genuine, deliveryId: undefined, unclear: 'the delivery id is missing' }
    expect((await at.store.accept(unclear)).as).toBe('suspected_replay')
    expect((await at.store.accept(delivery({ deliveryId: genuine.deliveryId }))).as).toBe('conflict')
    expect((await at.store.accept(genuine)).as).toBe('stored')
  })

  it('lets the genuine delivery through past a copy whose event name cannot be read [R SIG-07]', async () => {
    const { genuine, spoofed } = pair()
    const first = await seqOf(at.store, spoofed)
    const nameless = { ...genuine, deliveryId: idOf(8_050), event: undefined, unclear: 'the event is malformed' }
    expect((await at.store.accept(nameless)).as).toBe('suspected_replay')
    expect((await at.store.accept(genuine)).as).toBe('suspected_replay')
    await at.store.ingest(first, SPOOFED, T0)
    expect(await at.store.pending(9)).toMatchObject([{ deliveryId: genuine.deliveryId }])
  })

  it('takes no id away from a delivery with other bytes [R SIG-07]', async () => {
    const { genuine, spoofed } = pair()
    const other = delivery()
    await seqOf(at.store, other)
    const first = await seqOf(at.store, spoofed)
    expect((await at.store.accept({ ...genuine, deliveryId: other.deliveryId })).as).toBe('suspected_replay')
    await at.store.ingest(first, SPOOFED, T0)
    expect((await at.store.accept(other)).as).toBe('duplicate')
    expect(await at.store.pending(9)).toHaveLength(2)
  })

  it('keeps a conflict under a false name once, however often it comes [R SIG-07, F-26]', async () => {
    const first = delivery()
    await at.store.ingest(await seqOf(at.store, first), ingested(named(IDENTITY)), T0)
    const conflict = delivery({ deliveryId: first.deliveryId, event: 'order.paid' })
    for (let times = 0; times < 3; times++) {
      expect((await at.store.accept(conflict)).as).toBe('conflict')
      for (const { seq } of await at.store.pending(9)) await at.store.ingest(seq, SPOOFED, T0)
    }
    expect((await at.store.counts()).deliveries).toEqual({ stored: 1, conflict: 1 })
  })

  /** Ingests the pending delivery as one message, and handles it. */
  async function handle(): Promise<void> {
    const [waiting, ...more] = await at.store.pending(9)
    expect(more).toEqual([])
    expect(await at.store.ingest(waiting?.seq ?? 0, ingested(named(IDENTITY)), T0)).toEqual([])
    const { fence, item: begun } = await begin(at.store)
    expect(begun.cause).toBe(IDENTITY.key)
    await at.store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
  }

  async function staysSuspected(genuine: NewDelivery, spoofed: NewDelivery): Promise<void> {
    expect((await at.store.accept(genuine)).as).toBe('duplicate')
    expect((await at.store.accept({ ...genuine, deliveryId: idOf(8_040) })).as).toBe('suspected_replay')
    expect((await at.store.accept({ ...spoofed, deliveryId: idOf(8_041) })).as).toBe('suspected_replay')
    expect(await at.store.pending(9)).toEqual([])
    expect((await at.store.counts()).items).toEqual({ done: 1 })
  }
}

const NOTHING = { items: [], windows: [], statuses: [] }
const SPOOFED: Ingested = {
  state: 'quarantined',
  note: 'event_name_mismatch',
  ownEvent: 'message.received',
  ...NOTHING,
}
const IGNORED: Ingested = { state: 'ignored', ...NOTHING }
