import { expect, it } from 'vitest'
import { arrive, attempting, begin, beginNew, handle, seqOf, settle } from '../acts.ts'
import {
  ACCEPTED,
  ASHA,
  DAY,
  DEAD,
  DONE,
  delivery,
  HOUR,
  ingested,
  item,
  JUMA,
  REFUSED,
  send,
  T0,
  UNKNOWN,
  WHO,
} from '../samples.ts'
import type { Stage } from './index.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import { writtenBy } from '../../../src/features/people/store/take-and-give-back.ts'
import type { WaitingReason } from '../../../src/store/database/store-effects.ts'

/** Who waits for a person, and until when. */
export function people(at: Stage): void {
  const row = async () => (await at.store.peopleRows([WHO]))[0]
  const list = async (list: 'waiting' | 'mine' | 'open' | 'recent' = 'waiting', now = T0 + 9) =>
    at.store.listPeople({ list, who: 'neema', numbers: undefined, at: now, limit: 9 })
  const waiting = async (now?: number) => (await list('waiting', now)).map(({ since = 0 }) => since - T0)

  const rested = async (after: number, waits: WaitingReason | 'nobody' = 'wrote') => {
    const seq = await arrive(at.store, [item({ at: T0 + after })])
    await handle(at.store, { as: 'rested', ...(waits !== 'nobody' && { leftToPerson: waits }) })
    return seq
  }
  const handOver = (since = T0, forMs = HOUR) =>
    at.store.takeOver({ ...WHO, by: 'person', since, until: since + forMs })
  const written = (seen: number, given: Partial<NewSend> = {}) => {
    const one = send(given)
    return { ...one, slot: `person:${one.id}`, byPerson: { writer: 'neema', seen } }
  }
  const accept = async (one: NewSend, messageId = one.id) =>
    at.store.settleSend(
      await attempting(at.store, one),
      one.id,
      { ...ACCEPTED, messageId },
      { now: T0 + 7, goOn: false },
    )
  const fail = async (one: NewSend, as: typeof REFUSED | typeof UNKNOWN = REFUSED) =>
    at.store.settleSend(await attempting(at.store, one), one.id, as, { now: T0 + 7, goOn: false })
  const reportFailed = async (messageId: string, after = 0) => {
    const status = { messageId, upstreamId: undefined, number: 'default', reason: 'blocked' } as const
    const read = { ...ingested(), statuses: [{ ...status, status: 'failed' as const, at: T0 + after }] }
    await at.store.ingest(await seqOf(at.store, delivery()), read, T0)
  }

  it('has a customer wait from the hand-over on, also after its end, until a person’s message was accepted', async () => {
    const seen = await arrive(at.store, [item()])
    const { fence } = await begin(at.store)
    await at.store.takeOver({ ...WHO, by: 'person', since: T0 + 1, until: T0 + HOUR }, fence)
    // It runs again, and a person prolongs it.
    await at.store.takeOver({ ...WHO, by: 'person', since: T0 + 2, until: T0 + HOUR }, fence)
    await handOver(T0 + 3, 2 * HOUR)
    expect(await waiting()).toEqual([1])
    await at.store.resume(WHO, T0 + 4)
    expect(await waiting(T0 + DAY)).toEqual([1])
    expect(await row()).toMatchObject({ state: 'waiting', why: 'handed_over', takenUntil: T0 + 4, unread: 1 })
    const answer = written(seen)
    await at.store.openSend(answer)
    expect(await waiting()).toEqual([1])
    await accept(answer)
    expect(await waiting()).toEqual([])
    expect(await row()).toMatchObject({ state: 'answered', endedBy: 'neema', unread: 0 })
  })

  it('has a customer wait whose message rested for a person, and not for the agent, and keeps the first place', async () => {
    await rested(1, 'nobody')
    expect(await waiting()).toEqual([])
    await rested(2)
    await rested(5)
    expect(await waiting()).toEqual([2])
    expect(await row()).toMatchObject({ why: 'wrote', unread: 2 })
  })

  it.each([DEAD, { as: 'parked', reason: 'x' } as const, DONE])(
    'has a customer wait for whose message nobody answered, with all that it settles: %o',
    async (settlement) => {
      await arrive(at.store, [item({ at: T0 + 3 })])
      await handle(at.store, { ...settlement, leftToPerson: 'wrote' })
      expect(await waiting()).toEqual([3])
    },
  )

  it('takes no place twice for a handler that asks for a person and runs again after the answer', async () => {
    const seen = await arrive(at.store, [item()])
    const { fence } = await begin(at.store)
    expect(await at.store.askForPerson(WHO, { at: T0 + 1, now: T0 }, fence)).toBe(true)
    expect(await row()).toMatchObject({ state: 'waiting', why: 'asked', takenBy: undefined })
    await accept(written(seen))
    expect(await at.store.askForPerson(WHO, { at: T0 + 2, now: T0 }, fence)).toBe(true)
    expect(await waiting()).toEqual([])
    await settle(at.store, { fence, item: { id: seen } })
    expect(await at.store.askForPerson(WHO, { at: T0 + 3, now: T0 }, fence)).toBe(false)
  })

  it('leaves waiting what the writer had not seen, from its own time', async () => {
    const seen = await rested(1)
    const later = await rested(4)
    await accept(written(seen))
    expect(await waiting()).toEqual([4])
    expect((await row())?.unread).toBe(1)
    await accept(written(later))
    expect(await waiting()).toEqual([])
    // An older view undoes nothing.
    await accept(written(seen))
    expect(await waiting()).toEqual([])
  })

  it.each([
    ['is refused', (one: NewSend) => fail(one)],
    ['ends unknown', (one: NewSend) => fail(one, UNKNOWN)],
    [
      'is cancelled',
      async (one: NewSend) => {
        await at.store.openSend(one)
        await at.store.cancelSend(one.key, T0)
      },
    ],
    [
      'fails later',
      async (one: NewSend) => {
        await accept(one)
        expect(await waiting()).toEqual([])
        await reportFailed(one.id)
      },
    ],
    [
      'fails before the service answers',
      async (one: NewSend) => {
        await reportFailed(one.id)
        await accept(one)
      },
    ],
  ])('brings back, with the time of before, a customer whose message of a person %s', async (_, fails) => {
    const seen = await rested(2)
    await accept(written(seen))
    expect(await waiting()).toEqual([])
    await fails(written(seen))
    expect(await waiting()).toEqual([2])
    expect(await row()).toMatchObject({ why: 'failed' })
  })

  it('is brought back by a failure once, however often it is reported, and by no send of the app', async () => {
    const seen = await rested(2)
    const one = written(seen)
    await accept(one)
    await reportFailed(one.id)
    await accept(written(seen))
    await reportFailed(one.id, 5)
    await fail(send({ slot: '["of the app"]' }))
    expect(await waiting()).toEqual([])
  })

  it('knows a message of a person that it knows nothing of a wait of, and that did not arrive', async () => {
    await at.store.ingest(
      await seqOf(at.store, delivery()),
      { ...ingested(), windows: [{ ...WHO, lastAt: T0 + 6 }] },
      T0,
    )
    await fail(written(0))
    expect(await waiting()).toEqual([6])
  })

  it('ends a wait by a report that a person has written elsewhere, and by a dismissal that saw all', async () => {
    await rested(1)
    const { fence } = await beginNew(at.store, [item({ kind: 'event', at: T0 + 2 })])
    await at.store.takeOver({ ...WHO, by: 'person', since: T0 + 3, until: T0 + HOUR }, fence)
    await at.store.settleItem(fence, Number(fence.of), DONE, { now: T0, goOn: false })
    expect(await waiting()).toEqual([])
    const seen = await rested(4)
    await rested(5)
    const dismissal = { by: 'neema', seen: { message: seen, send: 0 }, confirmed: false, now: T0 }
    expect(await at.store.dismissWait(WHO, dismissal)).toEqual({ unseen: true })
    expect(await at.store.dismissWait(WHO, { ...dismissal, confirmed: true })).toEqual({ unseen: false, done: false })
    expect(await waiting()).toEqual([5])
    const all = { ...dismissal, seen: { message: seen + 9, send: 0 } }
    expect(await at.store.dismissWait(WHO, all)).toEqual({ unseen: false, done: true })
    expect(await at.store.dismissWait(WHO, all)).toEqual({ unseen: false, done: false })
    expect(await row()).toMatchObject({ state: 'dismissed', endedBy: 'neema' })
  })

  it('shows a snoozed customer when the time is over, or when they write again, with the time of before', async () => {
    await rested(1)
    expect(await at.store.snoozeWait(WHO, T0 + HOUR, T0)).toBe(true)
    expect(await waiting()).toEqual([])
    expect(await at.store.waitingByPerson(T0)).toEqual([])
    expect(await waiting(T0 + HOUR)).toEqual([1])
    await rested(6)
    expect(await waiting()).toEqual([1])
    expect(await at.store.snoozeWait({ ...WHO, customer: JUMA }, T0 + HOUR, T0)).toBe(false)
  })

  it('refuses in the commit a message over one that its writer has not seen, of the customer or a colleague', async () => {
    const seen = await rested(1)
    const saw = { message: seen, send: 0 }
    const by = (writer: string, given: Partial<NewSend> = {}): NewSend => ({
      ...written(seen, given),
      byPerson: writtenBy(WHO, { writer, seen, saw, takesOver: { since: T0, until: T0 + HOUR } }, T0),
    })
    const first = by('neema')
    expect(await at.store.openSend(first)).toMatchObject({ found: 'new', send: { byPerson: { writer: 'neema' } } })
    expect((await at.store.customerOf('default', ASHA, T0)).silence?.by).toBe('person')
    // Her own second message is no surprise to her; a colleague has not seen the first.
    expect(await at.store.openSend(by('neema'))).toMatchObject({ found: 'new' })
    const other = by('juma')
    expect(await at.store.openSend(other)).toBeUndefined()
    expect(await at.store.findSend({ id: other.id })).toBeUndefined()
    await rested(2)
    expect(await at.store.openSend(by('neema'))).toBeUndefined()
    // A repeat under its key is never asked about; nor is one that was confirmed.
    expect(await at.store.openSend(first)).toMatchObject({ found: 'known' })
    const confirmed = { ...other, byPerson: { writer: 'juma', seen } }
    expect(await at.store.openSend(confirmed)).toMatchObject({ found: 'new' })
    expect(await at.store.openSend(other)).toMatchObject({ found: 'known' })
  })

  it('asks nothing about a message that was refused, and is sent again under its key', async () => {
    const seen = await rested(1)
    const takesOver = { since: T0, until: T0 + HOUR }
    const byPerson = writtenBy(WHO, { writer: 'neema', seen, saw: { message: seen, send: 0 }, takesOver }, T0)
    const one = { ...written(seen), byPerson }
    await fail(one)
    await rested(2)
    expect(await at.store.openSend(one)).toMatchObject({ found: 'reopened' })
  })

  it('is not taken over by a message that is refused when it is recorded, nor by one that is unseen', async () => {
    await at.store.ingest(await seqOf(at.store, delivery()), { ...ingested(), windows: [{ ...WHO, lastAt: T0 }] }, T0)
    const takesOver = { since: T0, until: T0 + HOUR }
    const by = (saw?: { message: number; send: number }) =>
      writtenBy(WHO, { writer: 'neema', seen: 0, saw, takesOver }, T0)
    const late = { ...written(0), needsInboundSince: T0 + 1, byPerson: by() }
    expect((await at.store.openSend(late))?.send.state).toBe('refused')
    await rested(1)
    expect(await at.store.openSend({ ...late, key: 'sh1_x', byPerson: by({ message: 0, send: 0 }) })).toBeUndefined()
    expect((await at.store.customerOf('default', ASHA, T0)).silence).toBeUndefined()
  })

  it('lists who waits, whose chat it is, what is open and who wrote last, of some numbers alone', async () => {
    await rested(2)
    await arrive(at.store, [item({ customer: JUMA, at: T0 + 1 })])
    await handle(at.store, { as: 'rested', leftToPerson: 'wrote' })
    const branch = { number: 'branch', customer: ASHA }
    await at.store.assign(branch, 'neema', { now: T0 })
    const names = async (which: 'waiting' | 'mine' | 'open' | 'recent') =>
      (await list(which)).map(({ number, customer }) => `${number}/${customer}`)
    expect(await names('waiting')).toEqual([`default/${JUMA}`, `default/${ASHA}`])
    expect(await names('mine')).toEqual([`branch/${ASHA}`])
    expect(await names('open')).toEqual([`default/${JUMA}`, `default/${ASHA}`, `branch/${ASHA}`])
    expect(await names('recent')).toEqual([`default/${JUMA}`, `default/${ASHA}`])
    const own = { list: 'open', who: 'neema', numbers: ['branch'], at: T0, limit: 9 } as const
    expect(await at.store.listPeople(own)).toMatchObject([{ ...branch, state: 'open', assignee: 'neema' }])
    expect(await at.store.listPeople({ ...own, list: 'recent' })).toEqual([])
    expect(await at.store.listPeople({ ...own, numbers: undefined, limit: 1, skip: 1 })).toMatchObject([
      { customer: ASHA },
    ])
    await at.store.assign(WHO, 'neema', { now: T0 })
    expect(await at.store.waitingByPerson(T0)).toEqual(
      expect.arrayContaining([
        { number: 'default', assignee: null, n: 1 },
        { number: 'default', assignee: 'neema', n: 1 },
      ]),
    )
  })

  it('keeps who waits through pruning, however long, and erases all when the customer is forgotten', async () => {
    await rested(1)
    await at.store.assign(WHO, 'neema', { note: { who: 'neema', note: 'her son has fever' }, now: T0 })
    await at.store.assign({ ...WHO, customer: JUMA }, 'neema', { now: T0 })
    await pruned(T0 + 60 * DAY)
    expect(await waiting()).toEqual([1])
    expect((await list('open')).map(({ customer }) => customer)).toEqual([ASHA])
    await at.store.addNote(WHO, { who: 'neema', note: 'her daughter' }, T0 + 60 * DAY)
    await at.store.forget(WHO, T0)
    expect(await list('open')).toEqual([])
    expect((await at.store.chatOf(WHO, { limit: 9 })).notes).toEqual([])
  })

  const pruned = async (now: number) => {
    let after: Parameters<typeof at.store.prune>[0]['after']
    do
      after = (
        await at.store.prune({
          bytesBefore: now - 7 * DAY,
          idsBefore: now - 30 * DAY,
          now,
          limit: 9,
          ...(after && { after }),
        })
      ).next
    while (after)
  }

  it('keeps nothing of a customer who was forgotten while a person’s message was under way, and that did not arrive', async () => {
    const one = written(await rested(1))
    const fence = await attempting(at.store, one)
    await at.store.forget(WHO, T0)
    await at.store.settleSend(fence, one.id, REFUSED, { now: T0 + 7, goOn: false })
    expect(await list('open')).toEqual([])
  })

  it('gives back what nobody answered as one item, once, also if two people press', async () => {
    await arrive(at.store, [item()])
    await handle(at.store)
    const first = await rested(1)
    const second = await rested(2)
    expect((await at.store.unanswered(WHO)).map(({ id }) => id)).toEqual([first, second])
    await handOver(T0 + 3)
    const o = { by: 'neema', at: T0 + 4, now: T0 + 4 }
    const given = [at.store.giveBack(WHO, [first, second], o), at.store.giveBack(WHO, [first, second], o)]
    expect(await Promise.all(given)).toEqual([2, 0])
    expect(await row()).toMatchObject({ state: 'dismissed', endedBy: 'neema', assignee: undefined })
    const { item: begun, fence } = await begin(at.store, { now: T0 + 4 })
    expect(begun).toMatchObject({ id: second, cause: expect.stringMatching(/^given:/) as string })
    expect(begun.earlier).toHaveLength(1)
    expect((await at.store.customerOf('default', ASHA, T0 + 4)).silence).toBeUndefined()
    await settle(at.store, { fence, item: begun })
    expect(await at.store.unanswered(WHO)).toEqual([])
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('gives back to the bot no message that an answer saw, whose customer was forgotten, or that was pruned', async () => {
    const seen = await rested(1)
    await accept(written(seen))
    expect(await at.store.unanswered(WHO)).toEqual([])
    await rested(2)
    await at.store.forget(WHO, T0)
    expect(await at.store.unanswered(WHO)).toEqual([])
    await rested(3)
    expect(await at.store.unanswered(WHO)).toHaveLength(1)
    await pruned(T0 + 8 * DAY)
    expect(await at.store.unanswered(WHO)).toEqual([])
    expect(await at.store.giveBack(WHO, [], { by: 'neema', at: T0 + 9, now: T0 })).toBe(0)
    expect(await waiting()).toEqual([3])
  })

  it('shows a chat with its sends, their statuses and the notes of people, in portions', async () => {
    const first = await rested(1)
    const answer = written(first)
    await accept(answer, 'm7')
    await at.store.addNote(WHO, { who: 'neema', note: 'ask the doctor', passedTo: 'juma' }, T0 + 3)
    await rested(2)
    const chat = await at.store.chatOf(WHO, { limit: 9 })
    expect(chat.messages.map(({ at: sentAt }) => sentAt - T0)).toEqual([2, 1])
    expect(chat.sends).toMatchObject([{ id: answer.id, state: 'accepted', byPerson: { writer: 'neema', seen: first } }])
    expect(chat.notes).toMatchObject([{ who: 'neema', note: 'ask the doctor', passedTo: 'juma' }])
    expect(chat.newest).toEqual({ message: chat.messages[0]?.id, send: chat.seqs.get(answer.id) })
    await reportFailed('m7')
    const again = await at.store.chatOf(WHO, { limit: 9 })
    expect(again.statuses).toMatchObject([{ message: 'm7', status: 'failed', reason: 'blocked' }])
    const before = { message: chat.messages[0]?.id ?? 0, send: 1, note: 1 }
    const older = await at.store.chatOf(WHO, { limit: 9, before })
    expect([older.messages.length, older.sends.length, older.notes.length]).toEqual([1, 0, 0])
    expect(await at.store.latestLines([WHO])).toMatchObject([{ message: { at: T0 + 2 }, send: { id: answer.id } }])
  })

  it('finds customers by words that they wrote, also such as are signs of a pattern', async () => {
    const facts = JSON.stringify({ values: { text: 'My child has FEVER, 50% "sure"' }, sure: [] })
    await arrive(at.store, [item({ facts })])
    await arrive(at.store, [item({ customer: JUMA })])
    for (const words of ['fever', '50% "SURE"'])
      expect(await at.store.customersWhoSaid(words, 9)).toMatchObject([{ customer: ASHA }])
    for (const words of ['f_ver', '%'])
      expect((await at.store.customersWhoSaid(words, 9)).length).toBe(words === '%' ? 1 : 0)
  })

  it('answers a watcher with what was touched since, and with nothing while nothing is committed', async () => {
    const start = await at.store.deskChanges(undefined, [WHO])
    expect(start).toMatchObject({ touched: [], digests: [WHO] })
    const idle = await at.store.deskChanges(start?.watched, [WHO])
    expect(idle?.touched ?? []).toEqual([])
    // Over PostgreSQL a commit in another database of the server looks like one here.
    if (at.store.onDisk()) expect(idle).toBeUndefined()
    const other = await at.place.open()
    await other.assign({ ...WHO, customer: JUMA }, 'neema', { now: T0 })
    const next = await at.store.deskChanges(start?.watched, [WHO])
    expect(next?.touched).toEqual([{ ...WHO, customer: JUMA }])
    expect(next?.digests).toEqual(start?.digests)
    const seen = await rested(1)
    const written1 = written(seen)
    const after = await at.store.deskChanges(next?.watched, [WHO])
    // PostgreSQL looks back to what another process may have committed late.
    expect(after?.touched).toContainEqual(WHO)
    await accept(written1, 'm9')
    const accepted = await at.store.deskChanges(after?.watched, [WHO])
    await reportFailed('m9')
    const failed = await at.store.deskChanges(accepted?.watched, [WHO])
    const digests = [start, after, accepted, failed].map((one) => one?.digests[0]?.digest)
    expect(new Set(digests).size).toBe(4)
  })

  it('tells a watcher of all who were touched, however many, the rest at the next look', async () => {
    const start = await at.store.deskChanges(undefined, [])
    const customers = Array.from({ length: 900 }, (_, nth) => ({
      number: 'default',
      customer: String(255713000000 + nth),
    }))
    await Promise.all(customers.map((one) => at.store.assign(one, 'neema', { now: T0 })))
    const told = new Set<string>()
    let watched = start?.watched
    for (let look = 0; look < 9; look++) {
      const next = await at.store.deskChanges(watched, [])
      if (!next) break
      for (const { customer } of next.touched) told.add(customer)
      watched = next.watched
    }
    expect(told.size).toBe(900)
    // Their rows, in the order of the question.
    const rows = await at.store.peopleRows(customers)
    expect(rows.map(({ customer }) => customer)).toEqual(customers.map(({ customer }) => customer))
    expect(await at.store.latestLines(customers)).toHaveLength(900)
  })
}
