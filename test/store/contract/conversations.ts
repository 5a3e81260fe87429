import { expect, it } from 'vitest'
import { arrive, attempting, begin, beginNew, handle } from '../acts.ts'
import {
  ACCEPTED,
  ASHA,
  BEGINS,
  claim,
  DAY,
  delivery,
  ingested,
  item,
  JUMA,
  LEASE_MS,
  send,
  T0,
  UNKNOWN,
  WHO,
} from '../samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type {
  ConversationChange,
  JournalStep,
  NewConversation,
} from '../../../src/features/conversations/store/conversation-rows.ts'
import type { Waits } from '../../../src/features/conversations/store/open-conversation.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const BOOKING: NewConversation = { ...WHO, id: 'c_booking', name: 'booking', version: 2, input: '{"lang":"sw"}' }
const ASKED: JournalStep = { step: 0, kind: 'ask', name: 'day', result: undefined }
const ANSWERED: JournalStep = { ...ASKED, result: '"2026-12-24"' }
const FREE: JournalStep = { step: 1, kind: 'once', name: 'free', result: '["09:00"]' }
const WAITS: Waits = { step: 0, for: 'answer', since: T0, dueAt: undefined }

/** Journals of scripts, and the one conversation that a customer has open on a number. */
export function conversations(at: Stage): void {
  /** Begins an item of a new message, whose handlers make these changes. */
  const settle = async (
    changes: readonly ConversationChange[],
    o: { readonly as?: 'done' | 'dead'; readonly now?: number; readonly customer?: string } = {},
  ) => {
    const { as = 'done', now = T0, customer = ASHA } = o
    await arrive(at.store, [item({ customer })], now)
    const { fence, item: begun } = await begin(at.store, { now })
    const settlement = { as, reason: 'x', changes: { conversations: changes } } as Settlement
    await at.store.settleItem(fence, begun.id, settlement, { now, goOn: false })
    return begun
  }
  const opening: ConversationChange = { id: BOOKING.id, opens: BOOKING, steps: [ASKED], next: { waits: WAITS } }
  const seen = async (customer = ASHA) => {
    await arrive(at.store, [item({ customer })])
    const begun = await handle(at.store)
    return begun.conversation
  }
  const open = async () => (await at.store.listConversations({ limit: 10 })).conversations

  it('is written with the settlement of its item, and shown to the next items of its customer, claimed or begun at once [F-55]', async () => {
    expect((await settle([opening])).conversation).toBeUndefined()
    const expected = { id: BOOKING.id, name: 'booking', version: 2, waits: WAITS }
    expect(await seen()).toEqual(expected)
    const { started } = await at.store.accept(delivery(), { ingested: ingested(item()), begin: BEGINS })
    expect(started?.work.conversation).toEqual(expected)
    expect(await seen(JUMA)).toBeUndefined()
  })

  it('keeps its journal in the order of its steps, with an answer in the place of its question, for the next process too [F-55]', async () => {
    await settle([opening])
    expect((await at.store.journalOf(BOOKING.id)).steps).toEqual([ASKED])
    const asksNext = { step: 2, kind: 'ask', name: 'slot', result: undefined }
    const waits = { ...WAITS, step: 2, since: T0 + 9, dueAt: T0 + DAY }
    await settle([{ id: BOOKING.id, steps: [asksNext, ANSWERED, FREE], next: { waits } }])
    expect(await (await at.place.open()).journalOf(BOOKING.id)).toEqual({
      conversation: { ...BOOKING, state: 'open', waits, ended: undefined, openedAt: T0 },
      steps: [ANSWERED, FREE, asksNext],
    })
    expect(await at.store.journalOf('c_unheard_of')).toEqual({ conversation: undefined, steps: [] })
  })

  it('keeps the result of a step at once, before the conversation is open, and the first one stands', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    const keep = (step: JournalStep, by = fence) => at.store.keepStep(by, begun.id, BOOKING, step, T0)
    expect(await keep({ ...FREE, step: 0 })).toBe(true)
    expect(await keep({ ...FREE, step: 0, result: '[]' })).toBe(true)
    const { conversation, steps } = await at.store.journalOf(BOOKING.id)
    expect(conversation).toMatchObject({ ...BOOKING, state: 'entering' })
    expect(steps).toEqual([{ ...FREE, step: 0 }])
    expect(await open()).toEqual([])
    const opens = { id: BOOKING.id, opens: BOOKING, next: { waits: { ...WAITS, step: 1 } } }
    const done = { as: 'done', changes: { conversations: [opens] } } as const
    await at.store.settleItem(fence, begun.id, done, { now: T0, goOn: false })
    expect(await open()).toMatchObject([{ id: BOOKING.id, steps: 1 }])
  })

  it('changes nothing for a process whose item was freed [F-55]', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    await begin(at.store, { processName: 'two', now: T0 + LEASE_MS })
    expect(await at.store.keepStep(fence, begun.id, BOOKING, FREE, T0)).toBe(false)
    const done = { as: 'done', changes: { conversations: [opening] } } as const
    expect((await at.store.settleItem(fence, begun.id, done, { now: T0, goOn: false })).stands).toBe(false)
    expect(await at.store.recordEntry(entry(), T0, fence)).toBe(false)
    expect(await at.store.journalOf(BOOKING.id)).toEqual({ conversation: undefined, steps: [] })
  })

  it('is one at a time: what opens ends another one of the same customer and number, and nobody else’s', async () => {
    await settle([opening])
    await settle([{ ...opening, id: 'c_juma', opens: { ...BOOKING, id: 'c_juma', customer: JUMA } }], {
      customer: JUMA,
    })
    await settle([{ ...opening, id: 'c_two', opens: { ...BOOKING, id: 'c_two', name: 'survey' } }], { now: T0 + 5 })
    expect((await open()).map(({ id }) => id)).toEqual(['c_juma', 'c_two'])
    expect((await at.store.journalOf(BOOKING.id)).conversation).toMatchObject({
      state: 'ended',
      ended: 'replaced',
      waits: undefined,
    })
    expect(await seen()).toMatchObject({ id: 'c_two' })
  })

  it.each(['done', 'dead'] as const)('ends with a settlement as %s, and is open no more', async (as) => {
    await settle([opening])
    await settle([{ id: BOOKING.id, steps: [ANSWERED], next: { ended: 'failed' } }], { as })
    expect((await at.store.journalOf(BOOKING.id)).conversation).toMatchObject({ state: 'ended', ended: 'failed' })
    expect(await seen()).toBeUndefined()
    expect(await at.store.endConversation(BOOKING.id, T0)).toBe(false)
  })

  it('lists those that are open with step and timer, by their ids, a page at a time, of one customer or of all', async () => {
    await settle([opening])
    const other = { ...BOOKING, id: 'c_1', customer: JUMA, input: undefined }
    const waits = { ...WAITS, for: 'time', dueAt: T0 + DAY } as const
    await settle([{ id: 'c_1', opens: other, steps: [ASKED, FREE], next: { waits } }], { customer: JUMA, now: T0 + 1 })
    const first = await at.store.listConversations({ limit: 1 })
    expect(first.conversations).toEqual([{ ...other, openedAt: T0 + 1, steps: 2, waits }])
    const second = await at.store.listConversations({ limit: 1, after: first.next })
    expect(second.conversations).toEqual([{ ...BOOKING, openedAt: T0, steps: 1, waits: WAITS }])
    expect((await at.store.listConversations({ limit: 1, after: second.next })).next).toBeUndefined()
    const ofJuma = await at.store.listConversations({ limit: 9, customer: JUMA })
    expect(ofJuma.conversations.map(({ id }) => id)).toEqual(['c_1'])
    expect((await at.store.listConversations({ limit: 9, number: 'other' })).conversations).toEqual([])
  })

  it('is ended by a person, and stays ended for an item that was at work on it meanwhile [F-55]', async () => {
    await settle([opening])
    const { fence, item: begun } = await beginNew(at.store)
    expect(await at.store.endConversation(BOOKING.id, T0 + 3)).toBe(true)
    const goesOn = { id: BOOKING.id, steps: [ANSWERED], next: { waits: { ...WAITS, step: 1, dueAt: T0 + 9 } } }
    await at.store.settleItem(
      fence,
      begun.id,
      { as: 'done', changes: { conversations: [goesOn] } },
      { now: T0, goOn: false },
    )
    expect((await at.store.journalOf(BOOKING.id)).conversation).toMatchObject({ state: 'ended', ended: 'by_person' })
    expect((await at.store.countKept(ASHA)).numbers['default']).toMatchObject({ conversations: 1, timers: 0 })
  })

  const entry = (given: object = {}) => ({
    ...WHO,
    name: 'booking',
    version: 2,
    input: '{"lang":"sw"}',
    key: 'entry-1',
    at: T0,
    ...given,
  })

  it('is entered from outside by an item in the lane of the customer’s messages, once however often it is asked for [F-55]', async () => {
    const woken: string[] = []
    at.store.onWork((work) => woken.push(work))
    for (let asked = 0; asked < 2; asked++) expect(await at.store.recordEntry(entry(), T0)).toBe(true)
    expect(woken).toEqual(['items'])
    const { fence, item: begun } = await begin(at.store)
    expect(fence.lane).toBe(`default/${ASHA}`)
    expect(begun).toMatchObject({ ...WHO, kind: 'enter', at: T0, cause: 'enter:entry-1' })
    expect(begun.delivery).toMatchObject({ subscription: '', event: 'conversation.enter' })
    const says = { name: 'booking', version: 2, input: '{"lang":"sw"}' }
    expect(JSON.parse(Buffer.from(begun.delivery.body).toString())).toEqual(says)
    await at.store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })
    await at.store.recordEntry(entry(), T0)
    expect((await at.store.claimItems(claim())).begun).toEqual([])
  })

  it('goes a retention after its end with journal and sends, and no sooner; what is open stays', async () => {
    await settle([opening])
    const one = send({ cause: BOOKING.id, key: 'k1' })
    const fence = await attempting(at.store, one)
    await at.store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: false })
    const prune = (before: number) => pruneAll(at.store, { idsMs: T0 + DAY - before, now: T0 + DAY })
    await prune(T0 + DAY)
    expect(await open()).toHaveLength(1)
    await settle([{ id: BOOKING.id, next: { ended: 'finished' } }], { now: T0 + 100 })
    await prune(T0 + 100)
    expect((await at.store.journalOf(BOOKING.id)).conversation).toBeDefined()
    expect(await at.store.findSend({ key: 'k1' })).toBeDefined()
    await prune(T0 + 101)
    expect(await at.store.journalOf(BOOKING.id)).toEqual({ conversation: undefined, steps: [] })
    expect(await at.store.findSend({ key: 'k1' })).toBeUndefined()
  })

  it('stays as long as one of its sends is not certain', async () => {
    await settle([opening])
    const one = send({ cause: BOOKING.id, key: 'k1' })
    const fence = await attempting(at.store, one)
    await settle([{ id: BOOKING.id, next: { ended: 'finished' } }])
    const all = { idsMs: 0, now: T0 + DAY }
    await pruneAll(at.store, all)
    await at.store.settleSend(fence, one.id, UNKNOWN, { now: T0, goOn: false })
    await pruneAll(at.store, all)
    expect((await at.store.journalOf(BOOKING.id)).conversation).toBeDefined()
    await at.store.resolveSend(one.id, 'drop', T0)
    await pruneAll(at.store, all)
    expect((await at.store.journalOf(BOOKING.id)).conversation).toBeUndefined()
  })

  it('is forgotten with its customer, journal and all, also by an item that was at work on it', async () => {
    await settle([{ ...opening, next: { waits: { ...WAITS, dueAt: T0 + DAY } } }])
    await at.store.recordEntry(entry(), T0)
    await arrive(at.store, [item({ at: T0 - 1 })])
    expect((await at.store.countKept(ASHA)).numbers['default']).toMatchObject({ conversations: 1, timers: 1 })
    const { fence, item: begun } = await begin(at.store)
    await at.store.forget(WHO, T0)
    const again = { ...BOOKING, id: 'c_again' }
    await at.store.keepStep(fence, begun.id, again, FREE, T0)
    const changes = [
      { id: BOOKING.id, steps: [ANSWERED], next: { waits: WAITS } },
      { ...opening, id: 'c_again', opens: again },
    ]
    await at.store.settleItem(
      fence,
      begun.id,
      { as: 'done', changes: { conversations: changes } },
      { now: T0, goOn: false },
    )
    expect((await at.store.claimItems(claim())).begun).toEqual([])
    await pruneAll(at.store, { now: T0 })
    expect(await at.store.countKept(ASHA)).toEqual({ numbers: {}, naming: 0 })
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
    expect((await at.store.journalOf(BOOKING.id)).steps).toEqual([])
  })
}
