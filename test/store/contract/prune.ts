import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import type { Stage } from './index.ts'
import { arrive, begin, handle, inboxOf, itemsOf, outboxOf, seqOf } from '../acts.ts'
import { claim, DAY, delivery, ingested, item, named, send, T0, unclear } from '../samples.ts'
import type { Pruned, Pruning } from '../../../src/store/maintenance/prune.ts'
import type { NewItem } from '../../../src/store/work/items.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const IDENTITY = { key: 'upstream:wamid.1', claimant: 'b' }

/** Deliveries that were settled long enough ago go; those that wait for anybody stay, however old they are. */
export function pruning(at: Stage): void {
  const kept = async () => {
    const rows = await inboxOf(at.store)
    return rows.map(({ seq, hasBytes }) => ({ seq, bytes: hasBytes }))
  }

  it('removes the bytes of a settled delivery first, and keeps its ids, so that it is a duplicate still [F-33, F-59]', async () => {
    const source = delivery()
    await handled(at.store, source)
    expect(await pruneAll(at.store, { now: T0 + 7 * DAY })).toMatchObject({ wiped: 0 })
    expect(await pruneAll(at.store, { now: T0 + 7 * DAY + 1 })).toMatchObject({ wiped: 1, removed: 0 })
    const [row] = await inboxOf(at.store)
    expect(row).toMatchObject({ hasBytes: false, items: [{ state: 'done' }] })
    expect(await at.store.deliveryDetail(row?.seq ?? 0)).toMatchObject({
      body: undefined,
      items: [{ facts: undefined }],
    })
    expect((await at.store.accept(source)).as).toBe('duplicate')
  })

  it('prunes once in a time of which several processes ask, and again when it is over or a person asks [F-59]', async () => {
    const other = await at.place.open()
    const ages = (now: number) => ({ bytesBefore: now - 7 * DAY, idsBefore: now - 30 * DAY, now, limit: 10 })
    const ask = (store: Store, now: number) => store.prune({ ...ages(now), unlessSince: now - 1_000 })
    const both = await Promise.all([ask(at.store, T0), ask(other, T0)])
    expect(both.map(({ begunAt }) => begunAt)).toEqual(expect.arrayContaining([undefined, T0]))
    expect(both.filter(({ next }) => next !== undefined)).toHaveLength(1)
    expect(await ask(other, T0 + 999)).toMatchObject({ begunAt: T0, next: undefined })
    expect((await at.store.prune(ages(T0 + 999))).next).toBeDefined()
    expect((await ask(other, T0 + 1_000)).next).toBeDefined()
    // The clock went back: nothing of what it has left keeps all from pruning until it is there again.
    expect((await ask(at.store, T0 - 60_000)).next).toBeDefined()
  })

  it.each([
    ['bytes', { bytesMs: 6 * DAY, idsMs: 30 * DAY }],
    ['ids', { bytesMs: 7 * DAY, idsMs: 31 * DAY }],
  ])('prunes at once if the retention of %s is another one than at the last pruning [F-59]', async (_what, other) => {
    const ask = (now: number, { bytesMs, idsMs } = { bytesMs: 7 * DAY, idsMs: 30 * DAY }) =>
      at.store.prune({ bytesBefore: now - bytesMs, idsBefore: now - idsMs, now, limit: 10, unlessSince: now - 1_000 })
    await ask(T0)
    expect(await ask(T0 + 1)).toMatchObject({ begunAt: T0, next: undefined })
    expect((await ask(T0 + 2, other)).next).toBeDefined()
    expect(await ask(T0 + 3, other)).toMatchObject({ begunAt: T0 + 2, next: undefined })
  })

  it('removes all of a delivery after the time of its ids: keys, items, once results, sends, statuses, claims [F-33, F-59]', async () => {
    const source = delivery()
    await handled(at.store, source, {
      items: [named(IDENTITY)],
      during: async (fence, id, cause) => {
        await at.store.keepOnce(fence, id, 'price', '5')
        const reply = send({ cause })
        await at.store.openSend(reply, { fence })
        await accepted(at.store, reply.id)
      },
    })
    await status(at.store, 'accepted-1')
    expect(await pruneAll(at.store, { now: T0 + 30 * DAY })).toMatchObject({ wiped: 2, removed: 0 })
    expect(await pruneAll(at.store, { now: T0 + 30 * DAY + 1 })).toMatchObject({ removed: 2 })
    expect(await at.store.counts()).toEqual({ deliveries: {}, items: {}, sends: {} })
    expect(await at.place.view.identityClaims()).toBe(0)
    expect(await at.place.view.statuses('sends')).toEqual([])
    expect((await at.store.accept(source)).as).toBe('stored')
  })

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ['pending', (store) => store.accept(delivery())],
    ['waiting', (store) => arrive(store, [item()])],
    ['running', (store) => arrive(store, [item()]).then(() => begin(store))],
    ['to be tried again', (store) => handled(store, delivery(), { as: RETRY })],
    ['dead', (store) => handled(store, delivery(), { as: { as: 'dead', reason: 'x' } })],
    ['parked by a handler', (store) => handled(store, delivery(), { as: { as: 'parked', reason: 'x' } })],
    ['parked by ingest', (store) => arrive(store, [item({ state: 'parked' })])],
    ['partly dead', (store) => arrive(store, [item({ state: 'ignored' }), item({ idx: 1, state: 'parked' })])],
    ['quarantined for its headers', (store) => store.accept(unclear())],
    [
      'a conflict for a person to see',
      async (store) => {
        const first = delivery({ receivedAt: T0 + 9_999 * DAY })
        await store.accept(first)
        await store.accept(delivery({ deliveryId: first.deliveryId }))
        for (const { seq, conflictsWith } of await store.unread(9))
          await store.ingest(seq, { ...ingested(), state: conflictsWith === undefined ? 'ignored' : 'conflict' }, T0)
      },
    ],
    [
      'a conflict with the bytes of one that was ignored under another name',
      async (store) => {
        const first = delivery()
        await store.ingest(await seqOf(store, first), { ...ingested(), state: 'ignored' }, T0)
        await store.accept({ ...first, event: 'other' })
        for (const { seq } of await store.unread(9))
          await store.ingest(seq, { ...ingested(item()), state: 'conflict' }, T0)
      },
    ],
    [
      'quarantined for its payload',
      async (store) => store.ingest(await seqOf(store, delivery()), { ...ingested(), state: 'quarantined' }, T0),
    ],
  ])('keeps a delivery that is %s, however old [R DEL-02]', async (_state, make) => {
    await make(at.store)
    const before = await at.place.view.snapshot()
    expect(await pruneAll(at.store, { now: T0 + 9_999 * DAY })).toMatchObject({ wiped: 0, removed: 0 })
    expect(await at.place.view.snapshot()).toEqual(before)
  })

  it('removes deliveries without items that wait for a person: ignored ones, suspected replays, those rendered again', async () => {
    const [first, ignored] = [delivery(), delivery()]
    await handled(at.store, first, { items: [named(IDENTITY)] })
    await at.store.ingest(await seqOf(at.store, ignored), { ...ingested(), state: 'ignored' }, T0)
    expect((await at.store.accept({ ...first, event: 'other' })).as).toBe('suspected_replay')
    expect((await at.store.accept(delivery({ deliveryId: first.deliveryId }))).as).toBe('conflict')
    for (const { seq } of await at.store.unread(9))
      await at.store.ingest(seq, { ...ingested(named(IDENTITY)), state: 'conflict' }, T0)
    expect((await at.store.counts()).deliveries).toMatchObject({ rendered_anew: 1 })
    expect(await pruneAll(at.store, { now: T0 + 8 * DAY })).toMatchObject({ wiped: 3, removed: 0 })
    await pruneAll(at.store, { now: T0 + 31 * DAY })
    // A delivery that others point to goes once they are gone.
    await pruneAll(at.store, { now: T0 + 31 * DAY })
    expect(await kept()).toEqual([])
  })

  it('keeps a delivery and its replies while one of them is open or unknown, or was settled later [F-75]', async () => {
    const rows: string[] = []
    for (const end of ['open', 'unknown', 'later', 'refused'] as const)
      await handled(at.store, delivery(), {
        items: [item({ customer: `25571200020${rows.length}`, lane: `default/${end}` })],
        during: async (fence, _id, cause) => {
          const reply = send({ cause, customer: `25571200020${rows.length}`, lane: `default/${end}/out` })
          rows.push(reply.id)
          await at.store.openSend(reply, { fence })
          const settledAt = end === 'later' ? T0 + 20 * DAY : T0
          if (end !== 'open') await ended(at.store, reply.id, end === 'unknown' ? 'unknown' : 'refused', settledAt)
        },
      })
    await pruneAll(at.store, { now: T0 + 40 * DAY })
    expect((await outboxOf(at.store)).map(({ id }) => id)).toEqual(rows.slice(0, 3))
    expect(await kept()).toHaveLength(3)
    await pruneAll(at.store, { now: T0 + 51 * DAY })
    expect((await outboxOf(at.store)).map(({ id }) => id)).toEqual(rows.slice(0, 2))
  })

  it('keeps the replies of signed bytes that came twice until the last of them goes [F-65]', async () => {
    const first = delivery()
    const cause = { identity: undefined, signed: 'signed:same' }
    await handled(at.store, first, {
      items: [item({ cause })],
      during: async (fence) => {
        const reply = send({ cause: cause.signed })
        await at.store.openSend(reply, { fence })
        await ended(at.store, reply.id, 'refused', T0)
      },
    })
    await at.store.accept({ ...first, deliveryId: delivery().deliveryId, dispatchIdentical: true })
    const [again] = await at.store.unread(1)
    await at.store.ingest(again?.seq ?? 0, ingested(item({ cause, state: 'parked', reason: 'x' })), T0)
    for (let pass = 0; pass < 2; pass++) await pruneAll(at.store, { now: T0 + 99 * DAY })
    expect(await outboxOf(at.store)).toHaveLength(1)
  })

  it('keeps a suspected replay with its bytes as long as the delivery that it resembles waits for anybody [R SIG-07]', async () => {
    const first = delivery()
    await handled(at.store, first, { as: { as: 'dead', reason: 'x' } })
    await at.store.accept({ ...first, event: 'other' })
    expect(await pruneAll(at.store, { now: T0 + 999 * DAY })).toMatchObject({ wiped: 0, removed: 0 })
    const ids = (await itemsOf(at.store)).map(({ id }) => id)
    await at.store.retryItems(ids, T0)
    await handle(at.store)
    expect(await pruneAll(at.store, { now: T0 + 8 * DAY })).toMatchObject({ wiped: 1 })
  })

  it('prunes deliveries behind those of a time when the clock ran ahead [F-61]', async () => {
    for (let count = 0; count < 3; count++) await handled(at.store, delivery({ receivedAt: T0 + 9_999 * DAY }))
    const source = delivery()
    await handled(at.store, source)
    await pruneAll(at.store, { now: T0 + 31 * DAY, limit: 2 })
    expect(await kept()).toHaveLength(3)
    expect((await at.store.accept(source)).as).toBe('stored')
  })

  it('removes sends under the app’s own keys with the ids, unless their outcome is unknown', async () => {
    const [old, doubtful, waiting] = [send(), send({ customer: '255712000102' }), send({ customer: '255712000103' })]
    await at.store.openSend(old)
    await ended(at.store, old.id, 'refused', T0)
    await at.store.openSend(doubtful)
    await at.store.openSend(waiting)
    await ended(at.store, doubtful.id, 'unknown', T0 + 2_000)
    await pruneAll(at.store, { now: T0 + 30 * DAY })
    expect(await outboxOf(at.store)).toHaveLength(3)
    await pruneAll(at.store, { now: T0 + 999 * DAY })
    expect((await outboxOf(at.store)).map(({ state }) => state)).toEqual(['unknown', 'ready'])
  })

  it('keeps statuses of unknown ids for 48 hours, and counts those that it drops then [B EVT-04]', async () => {
    await status(at.store, 'nobody-s')
    await pruneAll(at.store, { now: T0 + 2 * DAY })
    expect(await at.place.view.statuses('strays')).toHaveLength(1)
    expect(await pruneAll(at.store, { now: T0 + 2 * DAY + 1 })).toMatchObject({ strays: 1 })
    expect(await at.place.view.statuses('strays')).toEqual([])
  })

  it('keeps an identity claimed for 30 days, however soon its delivery goes [R DEL-03]', async () => {
    await handled(at.store, delivery(), { items: [named(IDENTITY)] })
    const short = { bytesMs: 0, idsMs: DAY }
    expect(await pruneAll(at.store, { now: T0 + 2 * DAY, ...short })).toMatchObject({ removed: 1 })
    expect(await at.store.counts()).toEqual({ deliveries: {}, items: {}, sends: {} })
    await pruneAll(at.store, { now: T0 + 30 * DAY, ...short })
    const again = await seqOf(at.store, delivery())
    expect(await at.store.ingest(again, ingested(named(IDENTITY)), T0)).toEqual([{ idx: 0, identity: 'same_message' }])
    await pruneAll(at.store, { now: T0 + 30 * DAY + 1, ...short })
    expect(await at.place.view.identityClaims()).toBe(0)
  })

  it('gives no seq twice, even if all was removed: items and claims are known by it', async () => {
    await handled(at.store)
    await pruneAll(at.store, { now: T0 + 31 * DAY })
    expect(await kept()).toEqual([])
    expect(await seqOf(at.store, delivery())).toBeGreaterThan(1)
  })

  it('looks at few deliveries in a transaction, and gets past those that stay to the end [F-59]', async () => {
    const seqs: number[] = []
    for (let count = 0; count < 5; count++) seqs.push(await arrive(at.store, [item({ state: 'parked' })]))
    for (let count = 0; count < 5; count++) await handled(at.store, delivery())
    const steps: Pruned[] = []
    await pruneAll(at.store, { now: T0 + 8 * DAY, limit: 2 }, (step) => steps.push(step))
    expect(Math.max(...steps.map(({ wiped }) => wiped))).toBeLessThanOrEqual(2)
    expect(steps.reduce((sum, { wiped }) => sum + wiped, 0)).toBe(5)
    await pruneAll(at.store, { now: T0 + 31 * DAY, limit: 2 })
    expect(await kept()).toEqual(seqs.map((seq) => ({ seq, bytes: true })))
  })

  it('does not read again what it has wiped: a delivery stays for weeks, and pruning comes each hour [F-59]', async () => {
    const stepsOf = async () => {
      let steps = 0
      await pruneAll(at.store, { now: T0 + 8 * DAY, limit: 2 }, () => steps++)
      return steps
    }
    const ofNone = await stepsOf()
    for (let count = 0; count < 5; count++) await handled(at.store, delivery())
    expect(await stepsOf()).toBeGreaterThan(ofNone)
    expect(await stepsOf()).toBe(ofNone)
  })

  it('prunes in two stores at once while deliveries come, and nothing is lost or pruned twice [F-55, F-59]', async () => {
    for (let count = 0; count < 20; count++) await handled(at.store, delivery())
    const other = await at.place.open()
    const traffic = Promise.all(Array.from({ length: 20 }, () => other.accept(delivery({ receivedAt: T0 + 31 * DAY }))))
    const now = T0 + 31 * DAY
    const [one, two] = await Promise.all([pruneAll(at.store, { now, limit: 3 }), pruneAll(other, { now, limit: 3 })])
    await traffic
    expect(one.wiped + two.wiped).toBe(20)
    expect(one.removed + two.removed).toBe(20)
    expect(await kept()).toHaveLength(20)
  })
}

const RETRY: Settlement = { as: 'retry', reason: 'x', at: T0 + 9_999_999, blocksLane: false, completedHandlers: [] }

/** Stores a delivery, and settles its only item. */
async function handled(
  store: Store,
  source = delivery(),
  o: {
    items?: readonly NewItem[]
    as?: Settlement
    settledAt?: number
    during?: (fence: Awaited<ReturnType<typeof begin>>['fence'], item: number, cause: string) => Promise<void>
  } = {},
): Promise<void> {
  await store.ingest(await seqOf(store, source), ingested(...(o.items ?? [item()])), T0)
  const { fence, item: begun } = await begin(store)
  await o.during?.(fence, begun.id, begun.cause)
  await store.settleItem(fence, begun.id, o.as ?? { as: 'done' }, { now: o.settledAt ?? T0, goOn: false })
}

async function accepted(store: Store, id: string): Promise<void> {
  const [begun] = (await store.claimSends(claim())).begun
  if (begun?.work.send.id !== id) throw new Error('the send is not due')
  const it = { as: 'accepted', messageId: `accepted-1`, upstreamId: undefined, possiblyTwice: false } as const
  await store.settleSend(begun.fence, id, it, { now: T0, goOn: false })
}

async function ended(store: Store, id: string, as: 'refused' | 'unknown', now: number): Promise<void> {
  const due = (await store.claimSends(claim({ now }))).begun.find(({ work }) => work.send.id === id)
  if (!due) throw new Error('the send is not due')
  await store.settleSend(due.fence, id, { as, code: 'x', reason: 'x' }, { now, goOn: false })
}

async function status(store: Store, messageId: string): Promise<void> {
  const source = { number: 'default', messageId, upstreamId: undefined, status: 'sent', at: T0, reason: undefined }
  await store.ingest(
    await seqOf(store, delivery()),
    { ...ingested(item({ state: 'ignored' })), statuses: [source] },
    T0,
  )
}

/** Prunes to the end, by default bytes of 7 days and ids of 30. */
export async function pruneAll(
  store: Store,
  o: { now: number; bytesMs?: number; idsMs?: number; limit?: number },
  hear: (step: Pruned) => void = () => {},
): Promise<{ wiped: number; removed: number; strays: number }> {
  const { now, bytesMs = 7 * DAY, idsMs = 30 * DAY, ...given } = o
  const ages: Pruning = { limit: 100, ...given, now, bytesBefore: now - bytesMs, idsBefore: now - idsMs }
  const sum = { wiped: 0, removed: 0, strays: 0 }
  let step: Pruned | undefined
  do {
    step = await store.prune({ ...ages, ...(step?.next && { after: step.next }) })
    hear(step)
    sum.wiped += step.wiped
    sum.removed += step.removed
    sum.strays += step.strays
  } while (step.next)
  return sum
}
