import { expect, it } from 'vitest'
import type { BurstRules, NewItem, Settlement, StartedItem, Store } from '../../../src/stores/port/index.ts'
import {
  arrive,
  ASHA,
  begin,
  claim,
  delivery,
  ingested,
  item,
  itemsOf,
  LEASE_MS,
  named,
  outboxOf,
  send,
  seqOf,
  T0,
} from '../samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'

const RULES: BurstRules = { quietMs: 1_500, maxMs: 8_000, maxMessages: 4 }
const DONE = { as: 'done' } as const
const DEAD: Settlement = { as: 'dead', reason: 'gave up' }
const PARKED: Settlement = { as: 'parked', reason: 'recipient_not_confirmed' }
const RETRY = { as: 'retry', reason: 'x', blocksLane: true, completedHandlers: ['a'] } as const
const DAY = 86_400_000

/** Messages that come close together are one item's work. */
export function bursts(at: Stage): void {
  it('are gathered until their customer is quiet, and begin as one, by payload time [R DEL-03]', async () => {
    const second = await writes(at.store, { at: T0 + 2, text: 'second' })
    await writes(at.store, { at: T0 + 1, text: 'first' }, T0 + 1_000)
    const third = await writes(at.store, { at: T0 + 3, text: 'third' }, T0 + 2_400)
    const early = await at.store.claimItems(claim({ now: T0 + 3_899 }))
    expect(early).toEqual({ held: [], nextAt: T0 + 3_900 })
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

  it('wait no longer than the longest wait, although the customer writes on', async () => {
    for (const now of [0, 1_400, 2_800]) await writes(at.store, { rules: { ...RULES, maxMs: 3_000 } }, T0 + now)
    expect(textsOf((await begin(at.store, { now: T0 + 3_000 })).item)).toHaveLength(3)
  })

  it('are sealed when they are full: what comes next is gathered for the next one', async () => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) await writes(at.store, { text })
    const { fence, item: full } = await begin(at.store)
    expect(textsOf(full)).toEqual(['a', 'b', 'c', 'd'])
    expect(await at.store.settleItem(fence, full.id, DONE, { now: T0, goOn: true })).toEqual({
      held: true,
      next: undefined,
    })
    expect(textsOf((await begin(at.store, { now: T0 + 1_500 })).item)).toEqual(['e'])
  })

  it('begin where another process takes the store over in the quiet time, and not earlier', async () => {
    await writes(at.store, { text: 'a' })
    await at.store.close()
    const other = await at.place.open()
    await writes(other, { text: 'b' }, T0 + 1_000)
    expect((await other.claimItems(claim({ now: T0 + 2_499 }))).held).toEqual([])
    expect(textsOf((await begin(other, { now: T0 + 2_500 })).item)).toEqual(['a', 'b'])
  })

  it('have the same members and the same cause in each attempt, whatever comes meanwhile [F-46, F-51]', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    const { item: first } = await begin(at.store, { now: T0 + 1_500 })
    await writes(at.store, { text: 'older', at: T0 - 9 }, T0 + 1_600)
    const { item: again } = await begin(at.store, { owner: 'two', now: T0 + 1_500 + LEASE_MS })
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
    await arrive(at.store, [said({ text: 'tap', at: T0 + 2, burst: 'flushes' })])
    await writes(at.store, { text: 'c', at: T0 + 3 })
    expect(await inTurns(at.store, T0)).toEqual([['a', 'b'], ['tap']])
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['c']])
  })

  it('keep nobody waiting who flushes nothing: such a message begins in the commit that stores it [R DEL-02]', async () => {
    const room = { take: () => true, give: () => {} }
    const asked = { begin: { owner: 'one', now: T0, leaseMs: LEASE_MS, room } }
    const tap = ingested(said({ text: 'tap', burst: 'flushes' }))
    expect((await at.store.accept(delivery(), { ingested: tap, ...asked })).started?.work.attempt).toBe(1)
    const gathered = ingested(said({ text: 'a', customer: '2', burst: RULES }))
    expect((await at.store.accept(delivery(), { ingested: gathered, ...asked })).started).toBeUndefined()
  })

  it('let other work of their lane go first, and do not begin with it', async () => {
    await writes(at.store, { text: 'a' })
    await arrive(at.store, [item({ kind: 'event', at: T0 + 9, facts: factsOf('event') })])
    expect(await inTurns(at.store, T0)).toEqual([['event']])
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['a']])
  })

  it('let a turn of their lane pass, and begin at their time all the same', async () => {
    await writes(at.store, { text: 'a' })
    const who = { number: 'default', customer: ASHA }
    const fence = await at.store.takeTurn(who, { owner: 'one', now: T0 + 1, leaseMs: LEASE_MS })
    if (!fence) throw new Error('the lane was not free')
    await writes(at.store, { text: 'b' }, T0 + 1_000)
    await at.store.endTurn(fence, who, undefined, T0 + 1_100)
    expect((await at.store.claimItems(claim({ now: T0 + 2_499 }))).nextAt).toBe(T0 + 2_500)
    expect(await inTurns(at.store, T0 + 2_500)).toEqual([['a', 'b']])
  })

  it('have no message twice: one whose identity is known is in none [R DEL-03, F-36]', async () => {
    const identity = { key: 'upstream:wamid.1', binding: 'asha|1' }
    for (const _ of [1, 2]) await arrive(at.store, [named(identity, { facts: factsOf('a'), burst: RULES })])
    expect(await inTurns(at.store, T0 + 1_500)).toEqual([['a']])
    expect((await itemsOf(at.store)).map(({ state }) => state)).toEqual(['done', 'same_message'])
  })

  it('move the window with each message, before they begin', async () => {
    const windows = [{ number: 'default', customer: ASHA, lastAt: T0 - 7 }]
    await at.store.accept(delivery(), { ingested: { ...ingested(said({ burst: RULES })), windows } })
    expect(await at.place.view.windowOf('default', ASHA)).toBe(T0 - 7)
  })

  it('wait no longer than was meant if the clock goes back [F-55]', async () => {
    await writes(at.store, { text: 'a' })
    const back = T0 - 3_600_000
    await at.store.renew([], () => back, LEASE_MS)
    expect((await at.store.claimItems(claim({ now: back + 1_499 }))).held).toEqual([])
    expect(await inTurns(at.store, back + 1_500)).toEqual([['a']])
  })

  it('settle together, in whatever way, and none of them waits behind another', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    const { fence, item: first } = await begin(at.store, { now: T0 + 1_500 })
    const retried = { ...RETRY, at: T0 + 3_000 }
    expect(await at.store.settleItem(fence, first.id, retried, { now: T0 + 1_500, goOn: true })).toMatchObject({
      behind: 0,
    })
    expect(await itemsOf(at.store)).toMatchObject(
      [1, 2].map(() => ({ state: 'retry', reason: 'x', readyAt: T0 + 3_000, behind: 0 })),
    )
    const second = await begin(at.store, { now: T0 + 3_000 })
    expect(second.item).toMatchObject({ attempt: 2, completedHandlers: ['a'] })
    await at.store.settleItem(
      second.fence,
      first.id,
      { as: 'released', completedHandlers: [] },
      { now: T0 + 3_000, goOn: false },
    )
    const third = await begin(at.store, { now: T0 + 3_000 })
    expect(third.item.attempt).toBe(2)
    await at.store.settleItem(third.fence, first.id, DONE, { now: T0 + 3_001, goOn: true })
    expect(await itemsOf(at.store)).toMatchObject([1, 2].map(() => ({ state: 'done', settledAt: T0 + 3_001 })))
  })

  it('change nothing for a process that lost the lane, in none of their messages [F-55]', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    const { fence, item: zombie } = await begin(at.store, { now: T0 + 1_500 })
    await begin(at.store, { owner: 'two', now: T0 + 1_500 + LEASE_MS })
    const late = await at.store.settleItem(fence, zombie.id, DEAD, { now: T0 + 20_000, goOn: true })
    expect(late.held).toBe(false)
    expect((await itemsOf(at.store)).map(({ state }) => state)).toEqual(['running', 'running'])
  })

  it('are late if one of their messages is: a later one was handled before it', async () => {
    await arrive(at.store, [said({ at: T0 + 5 })])
    await at.store.ingest(
      await seqOf(at.store, delivery()),
      { ...ingested(), windows: [{ number: 'default', customer: ASHA, lastAt: T0 }] },
      T0,
    )
    await inTurns(at.store, T0)
    await writes(at.store, { at: T0 + 4 })
    await writes(at.store, { at: T0 + 6 })
    const { fence, item: late } = await begin(at.store, { now: T0 + 1_500 })
    expect(late.late).toBe(true)
    await at.store.settleItem(fence, late.id, DONE, { now: T0 + 1_500, goOn: true })
    await writes(at.store, { at: T0 + 7 })
    expect((await begin(at.store, { now: T0 + 9_000 })).item.late).toBe(false)
  })

  it('are put back whole if a person asks for one of their messages, and that is said [F-62]', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const first = await settled(at.store, DEAD)
    const ids = (await itemsOf(at.store)).map(({ id }) => id)
    expect(await at.store.retryItems(ids.slice(0, 1), T0 + DAY)).toEqual(ids)
    expect(await at.store.retryItems(ids, T0 + DAY)).toEqual([])
    await writes(at.store, { text: 'c' }, T0 + DAY)
    const { item: again } = await begin(at.store, { now: T0 + DAY })
    expect(again).toEqual({ ...first, attempt: 1, createdAt: T0 + DAY })
    expect((await itemsOf(at.store))[0]?.burst).toEqual({ sealed: true, deliveries: seqs })
  })

  it('stay one with their cause if they were parked and are ingested again, all for one that is asked for [F-62]', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const first = await settled(at.store, PARKED)
    expect(await at.store.reingest(seqs.slice(0, 1))).toEqual(seqs)
    await ingestAgain(at.store, seqs[0], said({ text: 'A' }))
    // The other one is on its way.
    expect((await at.store.claimItems(claim({ now: T0 + DAY }))).held).toEqual([])
    await ingestAgain(at.store, seqs[1], said({ text: 'B' }))
    const { item: again } = await begin(at.store, { now: T0 + DAY + 1_000 })
    expect(textsOf(again)).toEqual(['A', 'B'])
    expect(again).toMatchObject({ cause: first.cause, attempt: 1 })
  })

  it('lose a message that turns out to come from another customer, which is handled alone and anew', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const first = await settled(at.store, PARKED)
    await at.store.reingest(seqs)
    await ingestAgain(at.store, seqs[0], said({ text: 'A' }))
    await ingestAgain(at.store, seqs[1], said({ text: 'B', customer: '255712000102' }))
    const { held } = await at.store.claimItems(claim({ now: T0 + DAY }))
    const [mine, other] = held.map(({ work }) => work).toSorted((one, two) => one.id - two.id)
    expect(mine).toMatchObject({ cause: first.cause, customer: ASHA, earlier: [] })
    expect(other).toMatchObject({ customer: '255712000102', earlier: [] })
    expect(other?.cause).not.toBe(first.cause)
    for (const { fence, work } of held) await at.store.settleItem(fence, work.id, DONE, { now: T0 + DAY, goOn: true })
    expect((await itemsOf(at.store)).map(({ state }) => state)).toEqual(['done', 'done'])
  })

  it('keep their sends as long as one of their messages may ask for them again', async () => {
    const seqs = [await writes(at.store, { text: 'a' }), await writes(at.store, { text: 'b' })]
    const { fence, item: burst } = await begin(at.store, { now: T0 + 1_500 })
    const reply = send({ cause: burst.cause })
    await at.store.openSend(reply, { fence })
    await at.store.settleItem(fence, burst.id, DEAD, { now: T0 + 1_500, goOn: true })
    await at.store.cancelSend(reply.key, T0)
    expect((await at.store.deliveryDetail(seqs[0] ?? 0))?.sends).toHaveLength(1)
    await at.store.discard(seqs.slice(0, 1))
    expect(await outboxOf(at.store)).toHaveLength(1)
    await at.store.discard(seqs.slice(1))
    expect(await outboxOf(at.store)).toEqual([])
  })

  it('are pruned and forgotten like other messages, and leave nothing of their customer', async () => {
    await writes(at.store, { text: 'a' })
    await writes(at.store, { text: 'b' })
    await settled(at.store, DONE)
    await pruneAll(at.store, { now: T0 + 40 * DAY })
    expect(await itemsOf(at.store)).toEqual([])
    for (const text of ['c', 'd']) await writes(at.store, { text })
    await at.store.forget({ number: 'default', customer: ASHA }, T0)
    await settled(at.store, DEAD)
    while (await at.store.eraseForgotten(100));
    await pruneAll(at.store, { now: T0 + 2 * 3_600_000 })
    expect((await at.store.holding(ASHA)).numbers).toEqual({})
    expect((await itemsOf(at.store)).map(({ burst }) => burst)).toEqual([undefined, undefined])
  })
}

function factsOf(text: string): string {
  return JSON.stringify({ values: { text }, sure: [] })
}

function said({ text = 'x', ...given }: Partial<NewItem> & { text?: string }): NewItem {
  return item({ facts: factsOf(text), ...given })
}

/** A message comes that is gathered; the answer is its delivery. */
function writes(
  store: Store,
  { rules = RULES, ...given }: Partial<NewItem> & { text?: string; rules?: BurstRules },
  now = T0,
): Promise<number> {
  return arrive(store, [said({ burst: rules, ...given })], now)
}

function textsOf({ earlier, facts }: StartedItem): string[] {
  return [...earlier, { facts }].map(
    (message) => (JSON.parse(message.facts) as { values: { text: string } }).values.text,
  )
}

/** Begins and settles all that is ready, and answers with the texts of each turn. */
async function inTurns(store: Store, now: number): Promise<string[][]> {
  const turns: string[][] = []
  for (;;) {
    const { held } = await store.claimItems(claim({ now }))
    if (held.length === 0) return turns
    for (const { fence, work } of held) {
      turns.push(textsOf(work))
      await store.settleItem(fence, work.id, DONE, { now, goOn: false })
    }
  }
}

async function settled(store: Store, settlement: Settlement): Promise<StartedItem> {
  const { fence, item: burst } = await begin(store, { now: T0 + 9_000 })
  await store.settleItem(fence, burst.id, settlement, { now: T0 + 9_000, goOn: true })
  return burst
}

async function ingestAgain(store: Store, seq: number | undefined, one: NewItem): Promise<void> {
  await store.ingest(seq ?? 0, ingested(one), T0 + DAY)
}
