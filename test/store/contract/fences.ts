import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { arrive, attempting, begin, beginNew, dueSend, itemsOf, outboxOf, settle } from '../acts.ts'
import {
  ASHA,
  beginning,
  claim,
  DAY,
  DEAD,
  DONE,
  HOUR,
  item,
  JUMA,
  LEASE_MS,
  NEEMA,
  REFUSED,
  retryAt,
  send,
  T0,
} from '../samples.ts'
import type { Others } from '../../../src/store/work/lanes.ts'

export function fences(at: Stage): void {
  it('frees the items of a process that is gone, although its lease was given by a clock an hour ahead [F-61]', async () => {
    await beginNew(at.store, [item()], { processName: 'gone', now: T0 + HOUR })
    expect((await at.store.claimItems(claim({ processName: 'two', now: T0 }))).begun).toEqual([])
    await at.store.renew('two', () => T0, LEASE_MS)
    expect((await at.store.claimItems(claim({ processName: 'two', now: T0 + LEASE_MS }))).begun).toHaveLength(1)
  })

  it('leaves leases alone that a clock of now can have given [F-61]', async () => {
    await beginNew(at.store, [item()], { processName: 'living', now: T0 + 50_000 })
    await at.store.renew('two', () => T0, LEASE_MS)
    expect((await at.store.claimItems(claim({ processName: 'two', now: T0 + 50_000 + LEASE_MS - 1 }))).begun).toEqual(
      [],
    )
  })

  it('begins at its time what a process put off whose clock was two hours ahead, once that process is gone [F-100]', async () => {
    await arrive(at.store, [item()])
    const ahead = T0 + 2 * HOUR
    await at.store.renew('ahead', () => ahead, LEASE_MS)
    const { fence, item: begun } = await begin(at.store, { processName: 'ahead', now: ahead })
    await at.store.renew('right', () => T0, LEASE_MS)
    // Written after the other one has looked at its lease.
    const { completedHandlers } = begun
    const retry = { as: 'retry', reason: 'x', at: ahead + 1_000, blocksLane: true, completedHandlers } as const
    await at.store.settleItem(fence, begun.id, retry, { now: ahead, goOn: false })
    const one = send()
    const sending = await attempting(at.store, one, { processName: 'ahead', now: ahead })
    const unclear = { as: 'attempting', code: undefined, reason: 'x', at: ahead + 1_000 } as const
    await at.store.settleSend(sending, one.id, unclear, { now: ahead, goOn: false })
    // For that clock the lease of the other one had ended, so it has a new name.
    const later = { processName: 'right.1', now: T0 + LEASE_MS + 1_000 }
    expect((await at.store.claimItems(claim(later))).begun).toHaveLength(1)
    expect((await at.store.claimSends(claim(later))).begun).toHaveLength(1)
  })

  it('begins at its time what was put off before the clock of all processes went back by two hours [F-100]', async () => {
    const before = T0 + 2 * HOUR
    await at.store.renew('one', () => before, LEASE_MS)
    await at.store.renew('two', () => before, LEASE_MS)
    const { fence, item: begun } = await beginNew(at.store, [item()], { processName: 'one', now: before })
    const { completedHandlers } = begun
    const retry = { as: 'retry', reason: 'x', at: before + 5_000, blocksLane: true, completedHandlers } as const
    await at.store.settleItem(fence, begun.id, retry, { now: before, goOn: false })
    await at.store.renew('two', () => T0, LEASE_MS)
    await at.store.renew('one', () => T0, LEASE_MS)
    expect((await at.store.claimItems(claim({ now: T0 + 4_999 }))).begun).toEqual([])
    expect((await at.store.claimItems(claim({ now: T0 + 5_000 }))).begun).toHaveLength(1)
  })

  it('begins suspects one at a time, and counts nothing for those that wait their turn [F-56]', async () => {
    for (const customer of ['255712000101', '255712000102']) await arrive(at.store, [item({ customer })])
    for (const crash of [0, 1])
      await at.store.claimItems(claim({ processName: `${crash}`, now: T0 + crash * LEASE_MS }))
    await arrive(at.store, [item({ customer: '255712000103' })])
    const now = T0 + 2 * LEASE_MS
    const { begun } = await at.store.claimItems(claim({ processName: 'three', now, suspects: true }))
    expect(begun.map(({ work }) => [work.attempt, work.suspect])).toEqual([
      [3, true],
      [1, false],
    ])
    const later = { processName: 'three', now: now + 1_000 }
    expect((await at.store.claimItems(claim({ ...later, suspects: false }))).begun).toEqual([])
    const [last] = (await at.store.claimItems(claim({ ...later, now: now + 2_000, suspects: true }))).begun
    expect(last?.work).toMatchObject({ attempt: 3, suspect: true })
  })

  it('continues with what waits behind many suspects, whose lanes it does not touch [F-56]', async () => {
    const suspects = Array.from({ length: 6 }, (_, index) => `25571200010${index}`)
    for (const customer of suspects) await arrive(at.store, [item({ customer })])
    for (const crash of [0, 1])
      await at.store.claimItems(claim({ processName: `${crash}`, now: T0 + crash * LEASE_MS }))
    const now = T0 + 2 * LEASE_MS
    const fresh = await arrive(at.store, [item({ customer: '255712000110' })], now)
    const busy = claim({ processName: 'three', now, limit: 2, suspects: false })
    const { begun } = await at.store.claimItems(busy)
    expect(begun.map(({ work }) => work.delivery.seq)).toEqual([fresh])
    const { begun: others } = await at.store.claimItems({ ...busy, processName: 'four', suspects: true })
    expect(others.map(({ work }) => work.suspect)).toEqual([true])
  })

  it('counts no attempt that an orderly stop releases [F-58]', async () => {
    await arrive(at.store, [item(), item({ idx: 1 })])
    for (const processName of ['one', 'two', 'three']) {
      const { fence, item: begun } = await begin(at.store, { processName })
      expect(begun).toMatchObject({ attempt: 1, idx: 0 })
      expect(
        await at.store.settleItem(fence, begun.id, { as: 'released', completedHandlers: [] }, { now: T0, goOn: false }),
      ).toEqual({ stands: true, next: undefined })
    }
    expect(await itemsOf(at.store)).toMatchObject([
      { attempts: 0, state: 'stored' },
      { attempts: 0, state: 'stored' },
    ])
  })

  it('gives an attempt no customer and no window if there is none', async () => {
    await arrive(at.store, [item({ customer: undefined, lane: 'default//1.0' })])
    expect((await begin(at.store)).item).toMatchObject({ customer: undefined, lastInboundAt: undefined })
  })

  it('lets a zombie change nothing: its settlement learns that the item was freed [F-55]', async () => {
    const zombie = await beginNew(at.store, [item(), item({ idx: 1 })], { processName: 'zombie' })
    const heir = await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    const before = await at.place.view.snapshot()
    const session = { before: undefined, readAt: T0, value: '"zombie"', version: 1, expiresAt: undefined }
    for (const settlement of [
      DONE,
      DEAD,
      { as: 'done', session },
      { ...retryAt(T0), completedHandlers: ['a'] },
      { as: 'released', completedHandlers: [] },
    ] as const) {
      const settled = await settle(at.store, zombie, settlement, { now: T0 + LEASE_MS, goOn: true })
      expect(settled).toEqual({ stands: false, next: undefined })
    }
    expect(await at.place.view.snapshot()).toEqual(before)
    const settled = await settle(at.store, heir, DONE, { now: T0 + 11_000, goOn: true })
    expect(settled).toMatchObject({ stands: true, next: { work: { idx: 1 } } })
  })

  it('lets a zombie keep no result of a once: the one of the heir stands [R DEL-03, F-55]', async () => {
    const zombie = await beginNew(at.store, [item()], { processName: 'zombie' })
    const heir = await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    expect(await at.store.keepOnce(zombie.fence, zombie.item.id, 'price', '5')).toBe(false)
    expect(await at.store.onceResult(heir.item.id, 'price')).toBeUndefined()
    expect(await at.store.keepOnce(heir.fence, heir.item.id, 'price', '6')).toBe(true)
    expect(await at.store.onceResult(heir.item.id, 'price')).toBe('6')
  })

  it('lets a zombie send nothing: its reply is not recorded, neither as a new one nor over a refused one [F-55]', async () => {
    const zombie = await beginNew(at.store, [item()], { processName: 'zombie' })
    const reply = send()
    expect(await at.store.openSend(reply, { fence: zombie.fence })).toMatchObject({ found: 'new' })
    await refuse(reply.id)
    await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    const before = await at.place.view.snapshot()
    expect(await at.store.openSend(send(), { fence: zombie.fence })).toBeUndefined()
    expect(await at.store.openSend(send(), { fence: zombie.fence, begin: beginning() })).toBeUndefined()
    expect(await at.store.openSend({ ...reply, body: '{"other":1}' }, { fence: zombie.fence })).toBeUndefined()
    expect(await at.place.view.snapshot()).toEqual(before)
  })

  it('accepts no fence of an earlier run of the same item, although the same process runs it again [F-55]', async () => {
    const { fence: first, item: begun } = await beginNew(at.store)
    const released = { as: 'released', completedHandlers: [] } as const
    await at.store.settleItem(first, begun.id, released, { now: T0, goOn: false })
    const { fence: second } = await begin(at.store)
    expect(second).toMatchObject({ of: first.of, owner: first.owner })
    expect(await at.store.openSend(send(), { fence: first })).toBeUndefined()
    expect(await at.store.settleItem(first, begun.id, { as: 'done' }, { now: T0, goOn: false })).toMatchObject({
      stands: false,
    })
    expect(await at.store.openSend(send(), { fence: second })).toMatchObject({ found: 'new' })
  })

  it('takes no fence of another time for an item that has its id, as after an older state came back [F-55]', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    const run = fence.run - 1
    expect(await at.store.keepOnce({ ...fence, run }, begun.id, 'price', '5')).toBe(false)
    expect(run).toBeGreaterThanOrEqual(T0)
  })

  it('frees what is marked as running under a name, and then takes no fence of it [F-55]', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    await at.store.openSend(send())
    const [sending] = (await at.store.claimSends(claim())).begun
    expect(await at.store.runsOf('work', 'another')).toEqual([])
    for (const [table, runs] of [
      ['work', [fence]],
      ['sends', [sending?.fence]],
    ] as const) {
      expect(await at.store.runsOf(table, 'one')).toEqual(runs)
      await at.store.freeRuns(table, await at.store.runsOf(table, 'one'), T0)
      expect(await at.store.runsOf(table, 'one')).toEqual([])
    }
    expect(await at.store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })).toMatchObject({
      stands: false,
    })
    expect(await begin(at.store)).toMatchObject({ item: { id: begun.id, attempt: 2 } })
    expect((await at.store.claimSends(claim())).begun).toHaveLength(1)
  })

  async function refuse(id: string) {
    const [due] = (await at.store.claimSends(claim({ processName: 'zombie' }))).begun
    if (!due) throw new Error('no send was due')
    await at.store.beginSend(due.fence, id, 'freeform', T0)
    await at.store.settleSend(due.fence, id, REFUSED, { now: T0, goOn: true })
  }

  it('waits for a lease before it takes one that seems to have ended long ago: the clock of its process may be behind [F-61]', async () => {
    const { fence } = await beginNew(at.store, [item()], { processName: 'behind' })
    const others: Others = { lapsed: new Map() }
    const takes = async (now: number) => (await at.store.claimItems(claim({ processName: 'right', now, others }))).begun
    for (let passed = 0; passed < 3 * LEASE_MS; passed += 3_000) {
      await at.store.renew('behind', () => T0 + passed, LEASE_MS)
      expect(await takes(T0 + DAY + passed)).toEqual([])
    }
    expect([...others.lapsed.values()]).toMatchObject([{ isRenewed: true }])
    const last = T0 + DAY + 3 * LEASE_MS - 3_000
    expect(await takes(last + LEASE_MS - 1)).toEqual([])
    expect(await takes(last + LEASE_MS)).toMatchObject([{ fence: { of: fence.of } }])
    expect(others.lapsed.size).toBe(0)
  })

  it('takes at once what a lease of a moment ago leaves, and what an opening has ended [F-61]', async () => {
    const others: Others = { lapsed: new Map() }
    for (const now of [T0 + LEASE_MS, T0 + 2 * LEASE_MS]) {
      await beginNew(at.store, [item({ customer: now === T0 + LEASE_MS ? ASHA : JUMA })], {
        processName: `gone ${now}`,
      })
      expect((await at.store.claimItems(claim({ processName: 'right', now, others }))).begun).toHaveLength(1)
    }
  })

  it('notes that another process had a lease which this clock cannot have given [F-61]', async () => {
    const others: Others = { lapsed: new Map() }
    await at.store.renew('beside', () => T0 + 50_000, LEASE_MS)
    await at.store.renew('right', () => T0, LEASE_MS, others)
    expect(others.ahead).toBeUndefined()
    await at.store.renew('ahead', () => T0 + DAY, LEASE_MS)
    await at.store.renew('right', () => T0, LEASE_MS, others)
    expect(others.ahead).toBe(true)
  })

  it('frees a send whose request was never made in the state of before, and another one in doubt [B IDEM-07]', async () => {
    const [fresh, again, doubtful] = [send(), send({ customer: JUMA }), send({ customer: NEEMA })]
    await at.store.openSend(fresh, { begin: beginning() })
    const first = await attempting(at.store, again)
    const later = { as: 'ready', at: T0, code: 'x', reason: 'x' } as const
    await at.store.settleSend(first, again.id, later, { now: T0, goOn: false })
    const second = await dueSend(at.store)
    await at.store.beginSend(second.fence, again.id, 'freeform', T0)
    await attempting(at.store, doubtful)
    const runs = await at.store.runsOf('sends', 'one')
    await at.store.freeRuns(
      'sends',
      runs,
      T0,
      runs.filter(({ of }) => of !== doubtful.id),
    )
    expect(
      (await outboxOf(at.store)).map(({ state, attempts, firstAttemptAt }) => [state, attempts, firstAttemptAt]),
    ).toEqual([
      ['ready', 0, undefined],
      ['ready', 1, T0],
      ['attempting', 1, T0],
    ])
    expect((await at.store.claimSends(claim())).begun).toHaveLength(3)
  })
}
