import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { begin, itemsOf } from '../acts.ts'
import { ASHA, BEGINS, claim, delivery, DONE, ingested, item, LEASE_MS, named, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import type { NewDelivery, Accepted } from '../../../src/store/inbox/accept.ts'
import type { Ingested } from '../../../src/store/inbox/arrive.ts'

const GO_ON = { now: T0, goOn: true }

/** Items that begin in the commit that stores their delivery. */
export function beginItem(at: Stage): void {
  it('begins if its lane is idle: counted, leased, and with all that a claim would give [R DEL-02, R DEL-03]', async () => {
    const given = delivery()
    const one = item({ facts: '{"values":{"text":"hi"}}', at: T0 - 7 })
    const windows = [{ number: 'default', customer: ASHA, lastAt: T0 - 7 }]
    const {
      as,
      seq,
      ingested: outcomes,
      started,
    } = await arriveAndBegin(at.store, { ...ingested(one), windows }, given)
    expect({ as, seq, outcomes }).toEqual({ as: 'stored', seq: 1, outcomes: [] })
    const { subscription, deliveryId, event, receivedAt, clockOffset, body } = given
    expect(started?.work).toEqual({
      id: expect.any(Number),
      idx: 0,
      kind: 'message',
      number: 'default',
      customer: ASHA,
      at: T0 - 7,
      facts: one.facts,
      cause: one.cause.signed,
      attempt: 1,
      createdAt: T0,
      suspect: false,
      earlier: [],
      completedHandlers: [],
      lastInboundAt: T0 - 7,
      late: false,
      lastSentAt: undefined,
      silence: undefined,
      delivery: { seq: 1, subscription, deliveryId, event, receivedAt, clockOffset, body },
    })
    expect(await at.store.unread(9)).toEqual([])
    expect(await itemsOf(at.store)).toMatchObject([{ state: 'running', attempts: 1 }])
    expect((await at.store.claimItems(claim({ processName: 'two', now: T0 + LEASE_MS - 1 }))).begun).toEqual([])
  })

  it('waits without room, and is there for the next claim: no attempt is counted [F-56]', async () => {
    const woken: string[] = []
    at.store.onWork((work) => woken.push(work))
    expect((await at.store.accept(delivery(), { ingested: ingested(item()) })).started).toBeUndefined()
    expect(woken).toEqual(['items'])
    expect((await begin(at.store)).item.attempt).toBe(1)
  })

  it('is the only thing that begins: neither what is behind it, nor what is parked or ignored', async () => {
    expect((await arriveAndBegin(at.store, ingested(item()))).started).toBeDefined()
    const parked = ingested(item({ state: 'parked', reason: 'fact_missing' }))
    for (const read of [ingested(item()), parked, { ...ingested(), state: 'ignored' } as const])
      expect((await arriveAndBegin(at.store, read)).started).toBeUndefined()
  })

  it('waits as long as any delivery is pending, since that may belong before it [R DEL-03]', async () => {
    await at.store.accept(delivery())
    expect((await arriveAndBegin(at.store, ingested(item()))).started).toBeUndefined()
    expect(await itemsOf(at.store)).toMatchObject([{ state: 'stored', attempts: 0 }])
  })

  it('of those that come in one commit the one with the oldest payload time goes first [R DEL-03]', async () => {
    const times = [T0 + 3, T0 + 1, T0 + 2]
    const all = await Promise.all(times.map((time) => arriveAndBegin(at.store, ingested(item({ at: time })))))
    expect(all.map(({ started }) => started?.work.at)).toEqual([undefined, T0 + 1, undefined])
    let begun = all[1]?.started
    const order: (number | undefined)[] = []
    while (begun) {
      order.push(begun.work.at)
      const { next } = await at.store.settleItem(begun.fence, begun.work.id, DONE, GO_ON)
      begun = next
    }
    expect(order).toEqual([T0 + 1, T0 + 2, T0 + 3])
  })

  it('waits for an older message of a batch that comes in the same commit, whatever its place there [R DEL-03]', async () => {
    const other = item({ customer: '255712000102', at: T0 + 9 })
    const batch = ingested(other, item({ idx: 1, at: T0 + 1 }))
    // A take-over beside its item makes a store of several writers store it as it stores a batch.
    const silences = [{ number: 'default', customer: '255712000103', by: 'agent', since: T0, until: T0 + 1 }] as const
    const single = { ...ingested(item({ at: T0 + 5 })), silences }
    const [after] = await Promise.all([arriveAndBegin(at.store, single), arriveAndBegin(at.store, batch)])
    expect(after.started).toBeUndefined()
    const { begun } = await at.store.claimItems(claim())
    expect(begun).toHaveLength(2)
    expect(begun.map(({ work }) => work.at)).toEqual(expect.arrayContaining([T0 + 1, T0 + 9]))
  })

  it('is the same message if its identity is known: the lane that it took is idle again [R DEL-03]', async () => {
    const identity = { key: 'upstream:wamid.1', claimant: 'asha|1' }
    const first = startedOf(await arriveAndBegin(at.store, ingested(named(identity))))
    await at.store.settleItem(first.fence, first.work.id, DONE, GO_ON)
    const again = await arriveAndBegin(at.store, ingested(named(identity)), delivery({ subscription: 'other' }))
    expect(again).toEqual({ as: 'stored', seq: 2, ingested: [{ idx: 0, identity: 'same_message' }] })
    expect(await at.place.view.lanes()).toEqual([])
    expect(startedOf(await arriveAndBegin(at.store, ingested(item()))).work.attempt).toBe(1)
  })

  it('leaves a batch to claims, and ingests it in the commit that stores it', async () => {
    const batch = ingested(item(), item({ idx: 1, customer: '255712000102' }))
    const accepted = await arriveAndBegin(at.store, batch)
    expect(accepted).toEqual({ as: 'stored', seq: 1, ingested: [] })
    expect((await at.store.claimItems(claim())).begun).toHaveLength(2)
  })

  it('leaves known deliveries alone: nothing of what was read is stored again [R DEL-01, R SIG-07]', async () => {
    const first = delivery()
    await arriveAndBegin(at.store, ingested(item()), first)
    expect(await arriveAndBegin(at.store, ingested(item()), first)).toEqual({ as: 'duplicate' })
    const replay = { ...first, deliveryId: delivery().deliveryId }
    expect((await arriveAndBegin(at.store, ingested(item()), replay)).as).toBe('suspected_replay')
    expect(await itemsOf(at.store)).toHaveLength(1)
  })
}

function arriveAndBegin(store: Store, read: Ingested, given: NewDelivery = delivery()): Promise<Accepted> {
  return store.accept(given, { ingested: read, begin: BEGINS })
}

function startedOf({ started }: Accepted): NonNullable<Accepted['started']> {
  if (!started) throw new Error('nothing was begun')
  return started
}
