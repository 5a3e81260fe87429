import { expect, it } from 'vitest'
import { arrive, begin, beginNew, outboxOf, seqOf, settle } from '../acts.ts'
import { ASHA, claim, DAY, delivery, HOUR, ingested, item, JUMA, LEASE_MS, named, send, T0, WHO } from '../samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type { SaidOptOut } from '../../../src/store/customers/customer.ts'
import type { CustomerOfNumber } from '../../../src/store/database/customer-tables.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'

const OUT = { ...WHO, at: T0, how: 'message' }
const ANY = { anyNumber: true }

/** Customers who want no marketing. */
export function optOuts(at: Stage): void {
  const news = (given: Partial<NewSend> = {}) => send({ marketing: { at: T0, anyNumber: true }, ...given })
  const stateOf = async (given?: Partial<NewSend>) => (await at.store.openSend(news(given)))?.send.state
  const onBranch = { number: 'branch', lane: `branch/${ASHA}/out` }

  it('skips marketing for a customer who opted out, and nothing else, nor for another customer', async () => {
    await at.store.optOut(OUT)
    const skipped = await at.store.openSend(news())
    expect(skipped?.send).toMatchObject({ state: 'skipped', code: 'opted_out', settledAt: T0 })
    expect((await at.store.openSend(send()))?.send.state).toBe('ready')
    expect(await stateOf({ customer: '255712000102', lane: 'default/255712000102/out' })).toBe('ready')
  })

  it('counts on every number, or on its own alone', async () => {
    await at.store.optOut(OUT)
    expect(await stateOf(onBranch)).toBe('skipped')
    expect(await stateOf({ ...onBranch, marketing: { at: T0, anyNumber: false } })).toBe('ready')
    expect(await at.store.optOutOf({ number: 'branch', customer: ASHA }, true)).toEqual(OUT)
    expect(await at.store.optOutOf({ number: 'branch', customer: ASHA }, false)).toBeUndefined()
  })

  it('ends on the number where the customer agrees again, and on no other', async () => {
    await at.store.optOut(OUT)
    expect(await at.store.optIn({ ...OUT, number: 'branch', at: T0 + 1 }, ANY)).toBe('done')
    expect([await stateOf(onBranch), await stateOf()]).toEqual(['ready', 'skipped'])
    expect(await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY)).toBe('done')
    expect(await stateOf({ lane: 'default/other/out' })).toBe('ready')
  })

  it('is not ended by an older START that comes late', async () => {
    await at.store.optOut(OUT)
    expect(await at.store.optIn({ ...OUT, at: T0 - 1 }, ANY)).toBe('too_late')
    expect(await at.store.optIn({ ...OUT, number: 'branch', at: T0 - 1 }, ANY)).toBe('too_late')
    expect(await at.store.optIn({ ...OUT, number: 'branch', at: T0 - 1 }, { anyNumber: false })).toBe('done')
    expect(await stateOf()).toBe('skipped')
  })

  it('is not ended by a START that an older STOP, handled late, came before', async () => {
    await at.store.optOut({ ...OUT, at: T0 + 3 })
    await at.store.optOut(OUT)
    expect(await at.store.optIn({ ...OUT, at: T0 + 2 }, ANY)).toBe('too_late')
    expect(await stateOf()).toBe('skipped')
  })

  it('outlives forgetting, as a hash without the digits, and can still be ended by the customer', async () => {
    await at.store.optOut(OUT)
    await at.store.forget(WHO, T0)
    while (await at.store.eraseForgotten(100));
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
    expect(await at.store.countKept(ASHA)).toEqual({ numbers: {}, naming: 0 })
    expect([await stateOf(), await stateOf(onBranch)]).toEqual(['skipped', 'skipped'])
    expect((await at.store.keptOf(ASHA)).optOuts).toEqual([{ number: 'default', state: 'out', at: T0, how: 'message' }])
    await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY)
    expect(await stateOf()).toBe('ready')
  })

  it('outlives pruning at every age', async () => {
    await at.store.optOut(OUT)
    const now = T0 + 3_650 * DAY
    await pruneAll(at.store, { now, bytesMs: 0, idsMs: 0 })
    expect(await stateOf()).toBe('skipped')
  })

  it('skips marketing while somebody else speaks to the customer', async () => {
    await at.store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR })
    expect((await at.store.openSend(news()))?.send).toMatchObject({ state: 'skipped', code: 'taken_over' })
    expect(await stateOf({ marketing: { at: T0 + HOUR, anyNumber: true } })).toBe('ready')
  })

  it('gives scheduled marketing what was said since it was recorded', async () => {
    await at.store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR })
    await at.store.openSend(news({ dueAt: T0 + DAY }))
    await at.store.optOut(OUT)
    const { begun } = await at.store.claimSends(claim({ serviceNow: T0 + DAY }))
    expect(begun).toMatchObject([{ work: { optedOut: true, silence: { by: 'person' } } }])
    expect(await stateOf({ dueAt: T0 + DAY })).toBe('skipped')
    expect((await outboxOf(at.store)).map(({ state }) => state)).toEqual(['ready', 'skipped'])
  })

  it('changes nothing for an attempt whose item was freed [F-74]', async () => {
    const zombie = await beginNew(at.store, [item()], { processName: 'zombie' })
    const heir = await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    expect(await at.store.optOut(OUT, zombie.fence)).toBe(false)
    expect(await at.store.optOut(OUT, heir.fence)).toBe(true)
    expect(await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY, zombie.fence)).toBeUndefined()
    expect(await stateOf()).toBe('skipped')
  })

  const says = (given: Partial<SaidOptOut> = {}) => ({
    says: 'out' as const,
    at: T0,
    how: 'message',
    anyNumber: true,
    unlessAsked: false,
    ...given,
  })
  const START = { says: 'in' } as const
  const isOut = async (who: CustomerOfNumber = WHO) => (await at.store.optOutOf(who, true)) !== undefined
  /** Begins what arrived, and asks whether it is to be confirmed. */
  const confirms = async (said: SaidOptOut) => {
    const begun = await begin(at.store)
    const isNew = await at.store.heardOptOut(WHO, said, begun.fence)
    await settle(at.store, begun)
    return isNew
  }

  it('counts from the commit that reads the message, stored at once or later, and is confirmed if it is new', async () => {
    await at.store.accept(delivery(), { ingested: ingested(item({ optOut: says() })) })
    expect(await isOut()).toBe(true)
    expect(await at.store.optOutOf(WHO, true)).toEqual(OUT)
    expect(await confirms(says())).toBe(true)
    await arrive(at.store, [item({ optOut: says({ at: T0 + 1 }) })])
    expect(await confirms(says({ at: T0 + 1 }))).toBe(false)
    await arrive(at.store, [item({ optOut: says({ ...START, at: T0 + 2 }) })])
    expect(await isOut()).toBe(false)
    expect(await confirms(says({ ...START, at: T0 + 2 }))).toBe(true)
  })

  it('of a message before a START that was read first does not count, nor is it confirmed; one of the same time does', async () => {
    await arrive(at.store, [item({ optOut: says({ ...START, at: T0 + 2 }) })])
    expect(await confirms(says({ ...START, at: T0 + 2 }))).toBe(true)
    await arrive(at.store, [item({ optOut: says({ at: T0 + 1 }) })])
    expect([await isOut(), await confirms(says({ at: T0 + 1 }))]).toEqual([false, false])
    await at.store.optOut({ ...OUT, at: T0 + 1 })
    expect(await isOut()).toBe(false)
    await arrive(at.store, [item({ optOut: says({ at: T0 + 2 }) })])
    expect([await isOut(), await confirms(says({ at: T0 + 2 }))]).toEqual([true, true])
  })

  it('on another number counts, and leaves a later START on the first one in force', async () => {
    const branch = { number: 'branch', customer: ASHA }
    await arrive(at.store, [item({ optOut: says({ ...START, at: T0 + 2 }) })])
    await arrive(at.store, [item({ ...branch, lane: `branch/${ASHA}`, optOut: says({ at: T0 + 1 }) })])
    expect([await isOut(), await isOut(branch)]).toEqual([false, true])
    await arrive(at.store, [item({ ...branch, lane: `branch/${ASHA}`, optOut: says({ at: T0 + 3 }) })])
    expect([await isOut(), await isOut(branch)]).toEqual([true, true])
  })

  it('counts once, however often its message arrives or is read', async () => {
    const identity = { key: 'upstream:1', claimant: 'b' }
    await arrive(at.store, [named(identity, { optOut: says() })])
    await arrive(at.store, [item({ optOut: says({ ...START, at: T0 }) })])
    await arrive(at.store, [named(identity, { optOut: says({ at: T0 + 9 }) })])
    expect(await isOut()).toBe(false)
    const parked = { state: 'parked', reason: 'x', optOut: says({ at: T0 + 5 }) } as const
    const seq = await arrive(at.store, [item(parked)])
    expect(await isOut()).toBe(true)
    await at.store.optIn({ ...OUT, at: T0 + 5 }, ANY)
    await at.store.reingest([seq])
    await at.store.ingest(seq, ingested(item({ optOut: says({ at: T0 + 5 }) })), T0 + DAY)
    expect(await isOut()).toBe(false)
  })

  it('counts for the customer to whom a corrected mapping gives the message', async () => {
    const seq = await arrive(at.store, [item({ state: 'parked', reason: 'x', optOut: says() })])
    await at.store.reingest([seq])
    const other = { number: 'default', customer: '255712000102' }
    await at.store.ingest(seq, ingested(item({ customer: other.customer, optOut: says() })), T0)
    expect(await isOut(other)).toBe(true)
  })

  it('that is read after its customer was forgotten counts, and leaves no digits', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.forget(WHO, T0)
    await at.store.ingest(seq, ingested(item({ optOut: says() })), T0)
    while (await at.store.eraseForgotten(100));
    expect(await isOut()).toBe(true)
    expect((await at.store.countKept(ASHA)).numbers).toEqual({})
  })

  it('that no reading noted counts when its attempt hears it, under the right of its item [F-74]', async () => {
    const zombie = await beginNew(at.store, [item()], { processName: 'zombie' })
    const heir = await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    expect(await at.store.heardOptOut(WHO, says(), zombie.fence)).toBeUndefined()
    expect(await isOut()).toBe(false)
    expect(await at.store.heardOptOut(WHO, says(), heir.fence)).toBe(true)
    expect(await at.store.heardOptOut(WHO, says(), heir.fence)).toBe(true)
    expect(await isOut()).toBe(true)
  })

  it('by a tap waits for the attempt while a question is open, which may take it', async () => {
    const open = { ...WHO, id: 'c1', name: 'ask', version: 1, input: undefined }
    const { fence, item: first } = await beginNew(at.store)
    const waits = { step: '0', for: 'answer', since: T0, dueAt: T0 + HOUR } as const
    const conversations = [{ opens: open, id: 'c1', steps: [], next: { waits, at: T0 } }] as never
    await at.store.settleItem(fence, first.id, { as: 'done', changes: { conversations } }, { now: T0, goOn: false })
    await arrive(at.store, [item({ optOut: says({ unlessAsked: true }) })])
    expect(await isOut()).toBe(false)
    expect(await confirms(says({ unlessAsked: true }))).toBe(true)
    expect(await isOut()).toBe(true)
  })

  it('begins no marketing of an announcement whose portion was claimed before', async () => {
    await at.store.openSend(news())
    await arrive(at.store, [item({ optOut: says() })])
    const { begun } = await at.store.claimSends(claim())
    expect(begun.map(({ work }) => work.optedOut)).toEqual([true])
  })

  it('that comes between the claim of marketing and its first byte counts, and not if it may have gone out [B IDEM-07]', async () => {
    const [one, sure] = [news(), send({ customer: JUMA, lane: `default/${JUMA}/out` })]
    for (const each of [one, sure]) await at.store.openSend(each)
    const { begun } = await at.store.claimSends(claim())
    expect(begun.map(({ work }) => work.optedOut)).toEqual([false, false])
    for (const customer of [ASHA, JUMA]) await at.store.optOut({ ...OUT, customer })
    const [fence, other] = begun.map((each) => each.fence) as [Fence, Fence]
    expect(await at.store.beginSend(fence, one.id, 'freeform', T0)).toBe('opted_out')
    expect(await at.store.findSend({ id: one.id })).toMatchObject({ state: 'ready', attempts: 0 })
    expect(await at.store.beginSend({ ...fence, run: fence.run + 1 }, one.id, 'freeform', T0)).toBe(false)
    expect(await at.store.beginSend(other, sure.id, 'freeform', T0)).toBe(true)
    await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY)
    expect(await at.store.beginSend(fence, one.id, 'freeform', T0)).toBe(true)
    await at.store.optOut({ ...OUT, at: T0 + 2 })
    expect(await at.store.beginSend(fence, one.id, 'freeform', T0)).toBe(true)
  })
}
