import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { arrive, beginNew, itemsOf, seqOf } from '../acts.ts'
import { ASHA, BEGINS, claim, delivery, HOUR, ingested, item, JUMA, send, T0, WHO } from '../samples.ts'
import type { Stage } from './index.ts'
import type { ConversationChange } from '../../../src/features/conversations/store/conversation-rows.ts'
import type { WindowMove } from '../../../src/store/customers/customer.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'

const BOOKING = { ...WHO, id: 'c_booking', name: 'booking', version: 1, input: undefined }

/** Timers of conversations and of windows: they come due by service time, each once, and are taken back. */
export function timers(at: Stage): void {
  /** A message whose handlers leave the conversation like this. */
  const settle = async (next: ConversationChange['next'], opens = false) => {
    const { fence, item: begun } = await beginNew(at.store)
    const change = { id: BOOKING.id, ...(opens && { opens: BOOKING }), ...(next && { next }) }
    await at.store.settleItem(
      fence,
      begun.id,
      { as: 'done', changes: { conversations: [change] } },
      { now: T0, goOn: false },
    )
  }
  const waits = (dueAt: number | undefined, step = 0) => ({ waits: { step, for: 'answer' as const, since: T0, dueAt } })
  const armed = async (customer = ASHA) => (await at.store.countKept(customer)).numbers['default']?.timers ?? 0
  /** Begins and settles all that is due by that service time, at another wall time. */
  const fired = async (serviceNow: number, o: { store?: Store; now?: number; processName?: string } = {}) => {
    const { store = at.store, ...given } = o
    const all: StartedItem[] = []
    for (let turn = 0; turn < 100; turn++) {
      const { begun } = await store.claimItems(claim({ ...given, serviceNow }))
      if (begun.length === 0) return all
      for (const { fence, work } of begun) {
        all.push(work)
        await store.settleItem(fence, work.id, { as: 'done' }, { now: given.now ?? T0, goOn: false })
      }
    }
    throw new Error('something comes due again and again')
  }
  const says = ({ delivery: { body } }: StartedItem) => JSON.parse(Buffer.from(body).toString()) as unknown

  it('comes due at its service time as an item of its customer’s lane, whatever the wall clock says [F-55]', async () => {
    await settle(waits(T0 + HOUR), true)
    expect(await fired(T0 + HOUR - 1, { now: T0 + 9 * HOUR })).toEqual([])
    const [due, ...more] = await fired(T0 + HOUR, { now: T0 - HOUR })
    expect(more).toEqual([])
    expect(due).toMatchObject({ ...WHO, kind: 'conversation_due', at: T0 + HOUR, attempt: 1 })
    expect(due?.delivery).toMatchObject({ subscription: '', event: 'conversation.due' })
    expect(due && says(due)).toEqual({ conversation: BOOKING.id, step: 0, dueAt: T0 + HOUR })
    expect(due?.conversation).toMatchObject({ id: BOOKING.id, waits: { step: 0 } })
    expect(await at.place.view.lanes()).toEqual([])
    expect(await fired(T0 + 9 * HOUR)).toEqual([])
  })

  it('is announced before, with scheduled sends: the first that is due', async () => {
    expect(await at.store.nextDueAt()).toBeUndefined()
    await settle(waits(T0 + HOUR), true)
    expect(await at.store.nextDueAt()).toBe(T0 + HOUR)
    await at.store.openSend(send({ dueAt: T0 + HOUR / 2 }))
    expect(await at.store.nextDueAt()).toBe(T0 + HOUR / 2)
  })

  it.each([
    ['the conversation waits without an end', async () => settle(waits(undefined, 1))],
    ['the conversation ends', async () => settle({ ended: 'finished' })],
    ['a person ends the conversation', async () => expect(await at.store.endConversation(BOOKING.id, T0)).toBe(true)],
    ['its customer is forgotten', async () => expect(await at.store.forget(WHO, T0)).toBe(true)],
  ])('is taken back if %s', async (_why, takeBack) => {
    await settle(waits(T0 + HOUR), true)
    expect(await armed()).toBe(1)
    await takeBack()
    expect(await armed()).toBe(0)
    expect(await fired(T0 + HOUR)).toEqual([])
  })

  it('is taken back if another conversation is opened, and kept if a message does not change the wait', async () => {
    await settle(waits(T0 + HOUR), true)
    await settle(undefined)
    expect(await armed()).toBe(1)
    const other = { ...BOOKING, id: 'c_other' }
    const { fence, item: begun } = await beginNew(at.store)
    const opens = { id: other.id, opens: other, next: waits(T0 + 2 * HOUR) }
    await at.store.settleItem(
      fence,
      begun.id,
      { as: 'done', changes: { conversations: [opens] } },
      { now: T0, goOn: false },
    )
    expect((await fired(T0 + 2 * HOUR)).map(says)).toMatchObject([{ conversation: other.id }])
  })

  const takenOver = (since: number, until: number) => at.store.takeOver({ ...WHO, by: 'person', since, until })

  it('keeps a question open for as long as its customer is taken over, by one person after another', async () => {
    await settle(waits(T0 + 2 * HOUR), true)
    await takenOver(T0 + HOUR, T0 + 4 * HOUR)
    await takenOver(T0 + 2 * HOUR, T0 + 6 * HOUR)
    expect(await at.store.nextDueAt()).toBe(T0 + 7 * HOUR)
    expect(await fired(T0 + 7 * HOUR - 1)).toEqual([])
    const [due] = await fired(T0 + 7 * HOUR)
    expect(due && says(due)).toMatchObject({ dueAt: T0 + 7 * HOUR })
    expect(due?.conversation).toMatchObject({ waits: { dueAt: T0 + 7 * HOUR } })
  })

  it('keeps it open for no longer than that if the take-over ends early, or has already expired', async () => {
    await settle(waits(T0 + 9 * HOUR), true)
    await takenOver(T0 + HOUR, T0 + 2 * HOUR)
    await takenOver(T0 + 3 * HOUR, T0 + 8 * HOUR)
    await at.store.resume(WHO, T0 + 4 * HOUR)
    await at.store.resume(WHO, T0 + 5 * HOUR)
    expect(await fired(T0 + 11 * HOUR - 1)).toEqual([])
    expect(await fired(T0 + 11 * HOUR)).toHaveLength(1)
  })

  it('reminds of a question first, by as much later as its customer is taken over, and then ends it', async () => {
    const asked = { step: 0, for: 'answer', since: T0, dueAt: T0 + 9 * HOUR } as const
    await settle({ waits: { ...asked, remindAt: T0 + 2 * HOUR } }, true)
    await takenOver(T0 + HOUR, T0 + 4 * HOUR)
    expect((await fired(T0 + 5 * HOUR)).map(says)).toEqual([
      { conversation: BOOKING.id, step: 0, dueAt: T0 + 5 * HOUR },
    ])
    await settle({ waits: { ...asked, dueAt: T0 + 12 * HOUR }, at: T0 + 5 * HOUR })
    expect((await fired(T0 + 12 * HOUR)).map(says)).toMatchObject([{ dueAt: T0 + 12 * HOUR }])
  })

  it('waits for the end of a take-over if it is a sleep’s or a window’s, and then has its own time [F-55]', async () => {
    await settle({ waits: { step: 0, for: 'time', since: T0, dueAt: T0 + HOUR } }, true)
    await takenOver(T0 + HOUR / 2, T0 + 9 * HOUR)
    await writes(arms(T0 + HOUR, 22 * HOUR))
    expect(await fired(T0 + 9 * HOUR - 1)).toEqual([])
    const due = await fired(T0 + 9 * HOUR)
    expect(due.map(says)).toEqual([
      { conversation: BOOKING.id, step: 0, dueAt: T0 + HOUR },
      { before: 22 * HOUR, lastAt: T0 + HOUR, dueAt: T0 + 3 * HOUR },
    ])
    await takenOver(T0 + 9 * HOUR, T0 + 20 * HOUR)
    await settle({ waits: { step: 1, for: 'time', since: T0, dueAt: T0 + 12 * HOUR } })
    await at.store.resume(WHO, T0 + 10 * HOUR)
    expect(await at.store.nextDueAt()).toBe(T0 + 12 * HOUR)
  })

  it('goes behind an answer that was written before its time, and before one written after it [F-55]', async () => {
    await settle(waits(T0 + HOUR), true)
    await arrive(at.store, [item({ at: T0 + HOUR + 1 }), item({ idx: 1, at: T0 + HOUR - 1 })])
    const order = (await fired(T0 + 2 * HOUR)).map((one) => [one.kind, one.at - T0 - HOUR])
    expect(order).toEqual([
      ['message', -1],
      ['conversation_due', 0],
      ['message', 1],
    ])
  })

  it('has what was gathered before it sealed, so that an answer goes first', async () => {
    await settle(waits(T0 + HOUR), true)
    const gathers = { quietMs: 5_000, maxMs: 60_000, maxMessages: 9 }
    await arrive(at.store, [item({ at: T0 + HOUR - 1, gathers })])
    expect((await fired(T0 + HOUR)).map(({ kind }) => kind)).toEqual(['message', 'conversation_due'])
  })

  it('comes due once in two processes, and in a process that comes later [F-55]', async () => {
    const other = await at.place.open()
    await settle(waits(T0 + HOUR), true)
    const both = await Promise.all([
      at.store.claimItems(claim({ processName: 'one', serviceNow: T0 + HOUR })),
      other.claimItems(claim({ processName: 'two', serviceNow: T0 + HOUR })),
    ])
    expect(both.flatMap(({ begun }) => begun)).toHaveLength(1)
    const { fence, item: begun } = await beginNew(at.store, [item({ customer: JUMA })], { processName: 'three' })
    const juma = { ...BOOKING, id: 'c_juma', customer: JUMA }
    const opens = { id: juma.id, opens: juma, next: waits(T0 + 2 * HOUR) }
    await at.store.settleItem(
      fence,
      begun.id,
      { as: 'done', changes: { conversations: [opens] } },
      { now: T0, goOn: false },
    )
    await at.store.close()
    expect(await fired(T0 + 2 * HOUR, { store: await at.place.open() })).toMatchObject([{ customer: JUMA }])
  })

  it('comes due in portions, the earliest first, and says that there is more [F-99]', async () => {
    const moves = Array.from({ length: 300 }, (_, index) => ({
      number: 'default',
      customer: `2557130${String(index).padStart(5, '0')}`,
      lastAt: T0,
      closing: [{ before: 1, dueAt: T0 + HOUR - index }],
    }))
    for (const some of [moves.slice(0, 150), moves.slice(150)])
      await at.store.ingest(await seqOf(at.store, delivery()), { ...ingested(), windows: some }, T0)
    const woken: string[] = []
    at.store.onWork((work) => woken.push(work))
    const more = await at.store.claimItems(claim({ serviceNow: T0 + HOUR, limit: 300 }))
    const first = (await itemsOf(at.store)).map((one) => one.at)
    expect(first.length).toBeGreaterThan(0)
    expect(first.length).toBeLessThanOrEqual(256)
    expect(Math.max(...first)).toBe(T0 + HOUR - 300 + first.length)
    expect(woken).toContain('items')
    expect(more.nextAt).toBe(0)
    for (let left = 300 - first.length; left > 0; ) {
      await at.store.claimItems(claim({ serviceNow: T0 + HOUR, limit: 0 }))
      const now = 300 - (await itemsOf(at.store)).length
      expect(now).toBeLessThan(left)
      left = now
    }
  })

  const arms = (lastAt: number, ...befores: readonly number[]): WindowMove => ({
    ...WHO,
    lastAt,
    closing: befores.map((before) => ({ before, dueAt: lastAt + 24 * HOUR - before })),
  })
  const writes = async (move: WindowMove) => {
    await at.store.ingest(await seqOf(at.store, delivery()), { ...ingested(), windows: [move] }, T0)
  }

  it('is armed by a message that moves the window, once for each span, in the commit that stores the delivery', async () => {
    const windows = [arms(T0, HOUR, 2 * HOUR)]
    const { started } = await at.store.accept(delivery(), { ingested: { ...ingested(item()), windows }, begin: BEGINS })
    if (!started) throw new Error('not begun')
    expect(await armed()).toBe(2)
    await at.store.settleItem(started.fence, started.work.id, { as: 'done' }, { now: T0, goOn: false })
    expect((await fired(T0 + 22 * HOUR)).map(says)).toMatchObject([{ before: 2 * HOUR, lastAt: T0 }])
    const [closing] = await fired(T0 + 23 * HOUR)
    expect(closing).toMatchObject({ ...WHO, kind: 'window_closing', at: T0 + 23 * HOUR, lastInboundAt: T0 })
    expect(closing?.delivery.event).toBe('window.closing')
  })
}
