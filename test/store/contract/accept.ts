import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, inboxOf } from '../acts.ts'
import { delivery, idOf, ingested, item, T0, unclear } from '../samples.ts'
import type { NewDelivery } from '../../../src/store/inbox/accept.ts'

export function accepting(at: Stage): void {
  const answer = async (given: NewDelivery, store = at.store) => (await store.accept(given)).as

  it('stores a delivery once: the same id and bytes are a duplicate, also re-signed at another time [R DEL-01]', async () => {
    const first = delivery()
    expect(await answer(first)).toBe('stored')
    expect(await answer(first)).toBe('duplicate')
    expect(await answer({ ...first, timestamp: first.timestamp + 60, receivedAt: T0 + 60_000 })).toBe('duplicate')
    expect(await inboxOf(at.store)).toMatchObject([{ state: 'stored', repeats: 2 }])
  })

  it('keeps ids and signed bytes apart by subscription [R DEL-01, R SIG-06]', async () => {
    const first = delivery()
    expect(await answer(first)).toBe('stored')
    expect(await answer({ ...first, subscription: 'other' })).toBe('stored')
    expect(await at.store.unread(10)).toMatchObject([{ subscription: 'default' }, { subscription: 'other' }])
  })

  it('stores a text of SQL as a value', async () => {
    const text = `'); DROP TABLE inbox; --`
    await at.store.accept(delivery({ subscription: text, deliveryId: text, event: text }))
    expect(await inboxOf(at.store)).toMatchObject([{ subscription: text, deliveryId: text, event: text }])
    expect(await at.store.hasDeliveriesOf(text)).toBe(true)
  })

  it('tells whether it has a delivery of a subscription, but not of one whose name begins alike', async () => {
    await at.store.accept(delivery({ subscription: 'shop' }))
    expect(await at.store.hasDeliveriesOf('shop')).toBe(true)
    for (const name of ['sho', 'shop1', '']) expect(await at.store.hasDeliveriesOf(name)).toBe(false)
  })

  it('keeps a known id with other signed bytes as a conflict: once per bytes, with a counter [R SIG-07, F-26]', async () => {
    const first = delivery()
    const second = delivery({ deliveryId: first.deliveryId })
    const third = delivery({ deliveryId: first.deliveryId })
    await at.store.accept(first)
    for (const other of [second, second, third, { ...second, timestamp: second.timestamp + 60 }])
      expect(await answer(other)).toBe('conflict')
    const conflicts = (await inboxOf(at.store)).filter(({ state }) => state === 'conflict')
    expect(conflicts.map(({ repeats }) => repeats)).toEqual([2, 0])
    const [one, ...others] = await at.store.unread(10)
    expect(others.map(({ digest }) => Buffer.from(digest))).toEqual([second.digest, third.digest])
    expect(one).toMatchObject({ digest: first.digest, conflictsWith: undefined })
    // Ingest compares the messages, and does no more.
    expect(others.map(({ conflictsWith }) => conflictsWith)).toEqual([one?.seq, one?.seq])
  })

  it('keeps a conflict’s own bytes if they had arrived too late before, and shows them for its replay [R SIG-07, F-26]', async () => {
    const first = delivery()
    const second = delivery({ deliveryId: first.deliveryId })
    await at.store.accept(first)
    expect(await answer({ ...second, stale: true })).toBe('stale')
    expect(await answer(second)).toBe('conflict')
    const [, conflict] = await at.store.unread(10)
    expect(conflict).toMatchObject({ body: second.body, digest: second.digest })
    await at.store.ingest(conflict?.seq ?? 0, { ...ingested(item()), state: 'conflict' }, T0)
    await at.store.reingest([conflict?.seq ?? 0])
    await at.store.ingest(conflict?.seq ?? 0, ingested(item()), T0)
    expect(await answer({ ...second, deliveryId: idOf(9_001) })).toBe('suspected_replay')
    const replay = (await inboxOf(at.store)).at(-1)
    expect((await at.store.deliveryDetail(replay?.seq ?? 0))?.body).toEqual(second.body)
    // The replay keeps no bytes.
    expect(await at.place.view.bodies()).toBe(3)
  })

  it('keeps signed bytes under another id or event name as a suspected replay: one row per name with a counter, never handed out [R SIG-07, F-24]', async () => {
    const first = delivery()
    await at.store.accept(first)
    for (const number of [9_001, 9_002, 9_003])
      expect(await answer({ ...first, deliveryId: idOf(number) })).toBe('suspected_replay')
    expect(await answer({ ...first, event: 'order.paid' })).toBe('suspected_replay')
    expect(await answer({ ...first, event: 'order.paid', deliveryId: idOf(9_004) })).toBe('suspected_replay')
    expect(await answer({ ...first, event: 'order.void', timestamp: first.timestamp + 60 })).toBe('suspected_replay')
    const [stored, ...others] = await at.store.unread(10)
    expect(others).toEqual([])
    const [own, ...replays] = await inboxOf(at.store)
    expect(own).toMatchObject({ seq: stored?.seq, event: 'message.received', state: 'stored' })
    expect(replays).toMatchObject([
      { event: 'message.received', deliveryId: idOf(9_001), repeats: 2, resembles: stored?.seq },
      { event: 'order.paid', repeats: 1 },
      { event: 'order.void', repeats: 0 },
    ])
    expect(new Set(replays.map(({ state }) => state))).toEqual(new Set(['suspected_replay']))
  })

  it('keeps no second body of a captured delivery and few of its event names, and dispatches one of them on request [R SIG-07, F-24]', async () => {
    const first = delivery({ text: 'x'.repeat(1_000) })
    await at.store.accept(first)
    const copies = Array.from({ length: 80 }, (_, number) => ({
      event: `event.${number}`,
      deliveryId: idOf(10_000 + number),
    }))
    await Promise.all(copies.map((copy) => at.store.accept({ ...first, ...copy })))
    expect(await at.place.view.bodies()).toBe(1)
    const replays = (await inboxOf(at.store)).filter(({ state }) => state === 'suspected_replay')
    expect([replays.length, replays.at(-1)?.repeats]).toEqual([64, 16])
    const replay = replays[0] as (typeof replays)[number]
    expect([replay.hasBytes, (await at.store.deliveryDetail(replay.seq))?.body]).toEqual([true, first.body])
    expect(await at.store.reingest([replay.seq])).toEqual([replay.seq])
    const pending = await at.store.unread(10)
    expect(pending.at(-1)).toMatchObject({ seq: replay.seq, event: 'event.0', body: first.body })
  })

  it('accepts equal bytes that were signed at another time under another id as another delivery [R SIG-07]', async () => {
    const first = delivery()
    await at.store.accept(first)
    expect(await answer({ ...first, deliveryId: idOf(9_005), timestamp: first.timestamp + 1 })).toBe('stored')
    expect(await at.store.unread(10)).toHaveLength(2)
  })

  it('keeps one row of a quarantined delivery, however often it is repeated [R SIG-09, F-30]', async () => {
    const first = unclear()
    await at.store.accept(first)
    expect(await answer(first)).toBe('duplicate')
    expect(await answer({ ...first, unclear: "the event's name is malformed" })).toBe('duplicate')
    expect(await inboxOf(at.store)).toMatchObject([{ state: 'quarantined', repeats: 2 }])
  })

  it('lets no quarantined copy keep the genuine delivery from being handled [R SIG-07]', async () => {
    const genuine = delivery()
    const copy = { ...genuine, deliveryId: undefined, event: undefined, unclear: 'the delivery id is missing' }
    expect(await answer(copy)).toBe('quarantined')
    expect(await answer(genuine)).toBe('stored')
    expect(await at.store.unread(10)).toMatchObject([{ deliveryId: genuine.deliveryId }])
    // From here on the genuine one stands for its signed bytes.
    expect(await answer({ ...genuine, deliveryId: idOf(9_006) })).toBe('suspected_replay')
    expect(await answer(copy)).toBe('suspected_replay')
    expect(await answer(genuine)).toBe('duplicate')
    expect(await at.store.unread(10)).toHaveLength(1)
  })

  it('keeps a stale delivery once, leaves it out of ingest, and lets it stand in no genuine one’s way [R DEL-12]', async () => {
    const genuine = delivery()
    const stale = { ...genuine, stale: true }
    expect(await answer(stale)).toBe('stale')
    expect(await answer(stale)).toBe('stale')
    expect(await at.store.unread(10)).toEqual([])
    expect(await inboxOf(at.store)).toMatchObject([{ state: 'stale', repeats: 1 }])
    // The clock was corrected, and the service repeats the delivery.
    expect(await answer({ ...genuine, timestamp: genuine.timestamp + 60 })).toBe('stored')
    expect(await answer(genuine)).toBe('duplicate')
    // A late replay of what was handled changes nothing.
    expect(await answer({ ...stale, timestamp: genuine.timestamp + 60 })).toBe('stale')
    expect(await answer({ ...genuine, timestamp: genuine.timestamp + 60, deliveryId: idOf(9_008) })).toBe(
      'suspected_replay',
    )
    expect(await at.store.unread(10)).toHaveLength(1)
  })

  it('hands out equal signed bytes under another id too if the app wants that, once per id [F-25]', async () => {
    const first = delivery()
    await at.store.accept(first)
    const twin = { ...first, deliveryId: idOf(9_009), dispatchIdentical: true }
    expect(await answer(twin)).toBe('stored')
    expect(await answer(twin)).toBe('duplicate')
    expect((await at.store.unread(10)).map(({ deliveryId }) => deliveryId)).toEqual([first.deliveryId, idOf(9_009)])
    expect(await answer({ ...first, deliveryId: idOf(9_010) })).toBe('suspected_replay')
  })

  it('keeps those under the id of other bytes as a replay, with their own digest: they have the cause of the first [R SIG-07, F-25]', async () => {
    const [first, second] = [delivery(), delivery()]
    await at.store.accept(first)
    await at.store.accept(second)
    const mixed = { ...first, deliveryId: second.deliveryId, dispatchIdentical: true }
    expect(await answer(mixed)).toBe('suspected_replay')
    const replay = (await inboxOf(at.store)).at(-1)
    expect(await at.store.deliveryDetail(replay?.seq ?? 0)).toMatchObject({ body: first.body })
    await at.store.reingest([replay?.seq ?? 0])
    expect((await at.store.unread(9)).at(-1)).toMatchObject({ digest: first.digest, body: first.body })
  })

  it('knows equal bytes by the conflict that brought them, once a person has let it run, and not by what has its id [R SIG-07, F-25]', async () => {
    const [first, other] = [delivery(), delivery()]
    await at.store.accept(first)
    expect(await answer({ ...other, deliveryId: first.deliveryId })).toBe('conflict')
    const conflict = (await inboxOf(at.store)).at(-1)?.seq ?? 0
    await at.store.ingest(conflict, { ...ingested(item()), state: 'conflict' }, T0)
    await at.store.reingest([conflict])
    await at.store.ingest(conflict, ingested(item()), T0)
    expect(await answer({ ...other, dispatchIdentical: true })).toBe('stored')
    const twin = (await inboxOf(at.store)).at(-1)
    expect(twin).toMatchObject({ resembles: conflict })
    expect((await at.store.unread(9)).at(-1)).toMatchObject({ deliveryId: other.deliveryId, digest: other.digest })
    expect(await answer(other)).toBe('duplicate')
  })

  it('stores concurrent duplicates from two stores exactly once, and each is answered [R DEL-01, F-49]', async () => {
    const other = await at.place.open()
    const first = delivery()
    const answers = await Promise.all(
      Array.from({ length: 128 }, (_, index) => (index % 2 === 0 ? at.store : other).accept(first)),
    )
    expect(answers.filter((answer) => answer.as === 'stored')).toHaveLength(1)
    expect(answers.filter((answer) => answer.as === 'duplicate')).toHaveLength(127)
    expect(await inboxOf(at.store)).toMatchObject([{ repeats: 127 }])
  })

  it('rejects a delivery that cannot be stored, and takes none of its neighbours along [R DEL-02]', async () => {
    const broken = delivery({ timestamp: 0.5 })
    const outcomes = await Promise.allSettled(
      [delivery(), broken, delivery(), delivery()].map((one) => at.store.accept(one)),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(await at.store.unread(10)).toHaveLength(3)
  })

  it('gives a delivery back byte for byte, with all its members [R SIG-02]', async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const first = delivery({ body: every, event: 'order.paid', receivedAt: T0 + 7, clockOffset: -3_600_000 })
    const empty = delivery({ body: Buffer.alloc(0), digest: Buffer.alloc(32, 7) })
    await at.store.accept(first)
    await at.store.accept(empty)
    const [stored, hollow] = await at.store.unread(10)
    expect(stored && Buffer.from(stored.body)).toEqual(every)
    expect(stored && Buffer.from(stored.digest)).toEqual(first.digest)
    expect(stored).toMatchObject({
      subscription: 'default',
      deliveryId: first.deliveryId,
      event: 'order.paid',
      timestamp: first.timestamp,
      receivedAt: T0 + 7,
      clockOffset: -3_600_000,
    })
    expect(hollow?.body).toHaveLength(0)
  })

  it('gives the clock offset of the newest delivery, and 0 before there is one', async () => {
    expect(await at.store.lastClockOffset()).toBe(0)
    await at.store.accept(delivery({ clockOffset: 90_000_000 }))
    await at.store.accept(delivery({ clockOffset: 5 }))
    await arrive(at.store, [item()])
    await at.store.accept(delivery({ clockOffset: 7 }))
    expect(await at.store.lastClockOffset()).toBe(7)
  })
}
