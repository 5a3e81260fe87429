import { expect, it } from 'vitest'
import { arrive, begin, beginNew, handle, itemsOf, outboxOf, seqOf, settle } from '../acts.ts'
import {
  ASHA,
  beginning,
  BEGINS,
  claim,
  DAY,
  DEAD,
  delivery,
  DONE,
  HOUR,
  ingested,
  item,
  JUMA,
  LEASE_MS,
  NEEMA,
  retryAt,
  send,
  T0,
  WHO,
} from '../samples.ts'
import { writes } from './burst-samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type { NewConversation } from '../../../src/features/conversations/store/conversation-rows.ts'

const BOOKING: NewConversation = { ...WHO, id: 'c_booking', name: 'booking', version: 1, input: undefined }
const STEP = { step: 0, kind: 'once', name: 'free', result: '1' }
const SESSION = { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: undefined }
const OPENS = {
  id: BOOKING.id,
  opens: BOOKING,
  next: { waits: { step: 0, for: 'answer', since: T0, dueAt: T0 + HOUR } },
} as const
const BY_PERSON = { ...WHO, by: 'person', since: T0, until: T0 + DAY } as const
const entry = (key: string) => ({ ...WHO, key, name: 'booking', version: 1, input: undefined, at: T0 })

/** Of messages that were acknowledged, these alone are not handled. */
export function forgottenWork(at: Stage): void {
  const erase = async () => {
    while (await at.store.eraseForgotten(100));
  }
  const beginsLater = async (now = T0 + 2 * DAY) =>
    (await at.store.claimItems(claim({ now, serviceNow: now, processName: 'later' }))).begun.map(
      ({ work }) => work.kind,
    )
  const traces = async () => JSON.stringify(await at.place.view.snapshot())

  const waiting: Readonly<Record<string, () => Promise<unknown>>> = {
    async 'behind one that runs'() {
      await beginNew(at.store, [item(), item({ idx: 1 })])
    },
    'first in its lane': () => arrive(at.store, [item()]),
    async 'in a burst'() {
      for (let count = 0; count < 2; count++) await writes(at.store, {})
    },
    async 'in a back-off that blocks its lane'() {
      await arrive(at.store, [item()])
      await handle(at.store, retryAt(T0 + HOUR))
    },
    async 'in a long back-off'() {
      await arrive(at.store, [item()])
      await handle(at.store, { ...retryAt(T0 + HOUR), blocksLane: false })
    },
    async 'in the back-off of a burst'() {
      for (let count = 0; count < 2; count++) await writes(at.store, {})
      await handle(at.store, retryAt(T0 + HOUR), { now: T0 + 9_000 })
    },
    async dead() {
      await arrive(at.store, [item()])
      await handle(at.store, DEAD)
    },
    parked: () => arrive(at.store, [item({ state: 'parked', reason: 'x' })]),
    async 'unread again by a person'() {
      await at.store.reingest([await arrive(at.store, [item({ state: 'parked', reason: 'x' })])])
    },
    'a status': () => arrive(at.store, [item({ kind: 'status', lane: `default/${ASHA}/status` })]),
    'an event about a message that the number sent': () =>
      arrive(at.store, [item({ kind: 'event', lane: `default/${ASHA}/sent` })]),
    'an entry into a conversation': () => at.store.recordEntry(entry('one'), T0),
    async 'a timer'() {
      await arrive(at.store, [item()])
      await handle(at.store, { as: 'done', changes: { conversations: [OPENS] } })
    },
    async 'a timer that is due'() {
      await arrive(at.store, [item()])
      await handle(at.store, { as: 'done', changes: { conversations: [OPENS] } })
      await at.store.claimItems(claim({ limit: 0, now: T0 + DAY, serviceNow: T0 + DAY }))
    },
  }

  it.each(Object.keys(waiting))('does not begin any more: %s', async (name) => {
    await waiting[name]?.()
    await at.store.forget(WHO, T0)
    const all = (await itemsOf(at.store)).map(({ id }) => id)
    await at.store.retryItems(all, T0)
    for (const { seq } of await at.store.unread(9)) await at.store.ingest(seq, ingested(item()), T0)
    expect(await beginsLater()).toEqual([])
    await erase()
    expect(
      (await itemsOf(at.store)).filter(({ state }) => state !== 'running').map(({ customer }) => customer ?? 'erased'),
    ).not.toContain(ASHA)
  })

  it('does not begin of an unread delivery either, whose other messages begin', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.forget(WHO, T0)
    const gathers = { quietMs: 1, maxMs: 1, maxMessages: 4 }
    await at.store.ingest(seq, ingested(item(), item({ idx: 1, customer: JUMA }), item({ idx: 2, gathers })), T0)
    const { begun } = await at.store.claimItems(claim({ now: T0 + DAY }))
    expect(begun.map(({ work }) => work.customer)).toEqual([JUMA])
    expect((await itemsOf(at.store)).map(({ state }) => state)).toEqual(['ignored', 'running', 'ignored'])
  })

  it('does not begin if it was parked because its customer could not be read, and is read later', async () => {
    const unknown = item({ customer: undefined, lane: undefined, state: 'parked', reason: 'fact_missing: customer' })
    const seqs = [await arrive(at.store, [unknown]), await arrive(at.store, [unknown])]
    await at.store.forget(WHO, T0)
    await erase()
    await at.store.reingest(seqs)
    for (const [i, customer] of [ASHA, JUMA].entries())
      await at.store.ingest(seqs[i] ?? 0, ingested(item({ customer, facts: `{"text":"canary of ${i}"}` })), T0)
    expect((await at.store.claimItems(claim())).begun.map(({ work }) => work.customer)).toEqual([JUMA])
    await pruneAll(at.store, { now: T0 })
    await erase()
    expect(await traces()).not.toContain('canary of 0')
    expect(await traces()).not.toContain('forgotten:')
  })

  it('lets a later message begin at once, and in its turn behind one that was running', async () => {
    const running = await beginNew(at.store, [item(), item({ idx: 1 })])
    await at.store.forget(WHO, T0)
    const { started } = await at.store.accept(delivery(), { ingested: ingested(item()), begin: BEGINS })
    expect(started).toBeUndefined()
    const { next } = await settle(at.store, running, DONE, { goOn: true })
    expect(next?.work.id).toBe((await itemsOf(at.store)).at(-1)?.id)
    await at.store.forget({ ...WHO, customer: JUMA }, T0)
    const of = item({ customer: JUMA })
    expect((await at.store.accept(delivery(), { ingested: ingested(of), begin: BEGINS })).started).toBeDefined()
  })

  it('refuses each effect of what runs, and erases it when it ends', async () => {
    const seq = await arrive(at.store, [item({ facts: '{"text":"canary"}' })])
    const { fence, item: begun } = await begin(at.store)
    await at.store.keepOnce(fence, begun.id, 'before', '"canary"')
    await at.store.forget(WHO, T0)
    expect(await at.store.openSend(send({ cause: begun.cause }), { fence, begin: beginning() })).toBeUndefined()
    expect(await at.store.openSend(send({ customer: JUMA }), { fence })).toBeUndefined()
    expect(await at.store.keepOnce(fence, begun.id, 'x', '"canary"')).toBe(false)
    expect(await at.store.keepStep(fence, begun.id, BOOKING, STEP, T0)).toBe(false)
    expect(await at.store.takeOver(BY_PERSON, fence)).toBe(false)
    expect(await at.store.resume(WHO, T0, fence)).toBe(false)
    expect(await at.store.recordEntry(entry('late'), T0, fence)).toBe(false)
    expect(await at.store.optIn({ ...WHO, at: T0, how: 'x' }, { anyNumber: true }, fence)).toBeUndefined()
    const settled = await settle(
      at.store,
      { fence, item: begun },
      { as: 'done', session: SESSION, changes: { conversations: [OPENS] } },
    )
    expect(settled).toEqual({ stands: true, next: undefined, forgotten: true })
    expect(await at.store.countKept(ASHA)).toEqual({ numbers: {}, naming: 0 })
    expect(await at.store.deliveryDetail(seq)).toMatchObject({ body: undefined })
    expect(await traces()).not.toContain('canary')
    expect(await outboxOf(at.store)).toEqual([])
  })

  it.each([retryAt(T0), { as: 'released', completedHandlers: [] }, DEAD] as const)(
    'does not begin what ran again: $as',
    async (settlement) => {
      const begun = await beginNew(at.store)
      await at.store.forget(WHO, T0)
      expect((await settle(at.store, begun, settlement)).stands).toBe(false)
      expect(await beginsLater()).toEqual([])
      expect((await itemsOf(at.store)).map(({ customer, state }) => [customer, state])).toEqual([
        [undefined, 'ignored'],
      ])
    },
  )

  it('does not begin again once the process that ran it is gone, and what came later does', async () => {
    await writes(at.store, {})
    await writes(at.store, {})
    const { fence } = await begin(at.store, { now: T0 + 9_000 })
    await at.store.forget(WHO, T0)
    await arrive(at.store, [item({ at: T0 + 1 })])
    const { begun } = await at.store.claimItems(claim({ processName: 'two', now: T0 + 9_000 + LEASE_MS }))
    expect(begun.map(({ work }) => [work.facts, work.earlier, work.attempt])).toEqual([[item().facts, [], 1]])
    expect(begun[0]?.fence.of).not.toBe(fence.of)
    await erase()
    expect((await itemsOf(at.store)).map(({ customer }) => customer)).toEqual([undefined, undefined, ASHA])
  })

  it('does not begin again after a commit in doubt', async () => {
    await beginNew(at.store)
    await at.store.forget(WHO, T0)
    await at.store.freeRuns('work', await at.store.runsOf('work', 'one'), T0)
    expect(await beginsLater()).toEqual([])
  })

  it('lets a handler that forgot its own customer answer, use once and forget again, but open no conversation', async () => {
    const { fence, item: begun } = await beginNew(at.store, [item({ cause: { identity: undefined, signed: 'cause' } })])
    await at.store.forget(WHO, T0, fence)
    expect(await at.store.openSend(send({ cause: 'cause' }), { fence })).toMatchObject({ found: 'new' })
    expect(await at.store.keepOnce(fence, begun.id, 'x', '1')).toBe(true)
    expect(await at.store.openSend(send({ cause: BOOKING.id }), { fence })).toBeUndefined()
    expect(await at.store.openSend(send({ cause: 'app' }), { fence })).toBeUndefined()
    expect(await at.store.recordEntry(entry('late'), T0, fence)).toBe(false)
    expect(await at.store.forget(WHO, T0, fence)).toBe(true)
  })

  it('keeps the opt-out that a running handler records, without the number', async () => {
    const { fence } = await beginNew(at.store)
    await at.store.forget(WHO, T0)
    expect(await at.store.optOut({ ...WHO, at: T0, how: 'message' }, fence)).toBe(true)
    expect(await at.store.optOutOf(WHO, false)).toMatchObject({ at: T0, how: 'message' })
    expect((await at.store.countKept(ASHA)).numbers['default']?.optOuts).toBe(0)
  })

  it('leaves the opt-out of each stop word in force: of one that waited, of one that is read later, of one that runs', async () => {
    const says = { says: 'out', at: T0, how: 'message', anyNumber: true, unlessAsked: false } as const
    const isOut = async (customer: string) => (await at.store.optOutOf({ ...WHO, customer }, true)) !== undefined
    await arrive(at.store, [item({ optOut: says, gathers: { quietMs: 9, maxMs: 9, maxMessages: 9 } })])
    const unread = await seqOf(at.store, delivery())
    await at.store.forget(WHO, T0)
    await at.store.forget({ ...WHO, customer: JUMA }, T0)
    await at.store.ingest(unread, ingested(item({ customer: JUMA, optOut: says })), T0)
    const { fence } = await beginNew(at.store, [item({ customer: NEEMA })])
    await at.store.forget({ ...WHO, customer: NEEMA }, T0)
    expect(await at.store.heardOptOut({ ...WHO, customer: NEEMA }, { ...says, says: 'in' }, fence)).toBeUndefined()
    expect(await at.store.heardOptOut({ ...WHO, customer: NEEMA }, says, fence)).toBe(true)
    for (const customer of [ASHA, JUMA, NEEMA]) {
      expect(await isOut(customer)).toBe(true)
      expect((await at.store.countKept(customer)).numbers['default']?.optOuts ?? 0).toBe(0)
    }
  })

  it('is shown to nobody who asks for the customer, though it waits to be erased', async () => {
    await arrive(at.store, [item({ state: 'parked', reason: 'x' })])
    await at.store.openSend(send())
    await at.store.forget(WHO, T0)
    await arrive(at.store, [item(), item({ idx: 1, customer: JUMA })])
    const later = send()
    await at.store.openSend(later)
    const { deliveries } = await at.store.listDeliveries({ limit: 9, customer: ASHA })
    expect(deliveries.map(({ items }) => items.length)).toEqual([2])
    expect((await at.store.listSends({ limit: 9, customer: ASHA })).sends.map(({ id }) => id)).toEqual([later.id])
    expect(await at.store.forgottenCustomers()).toMatchObject([{ ...WHO, items: 1, sends: 1 }])
  })
}
