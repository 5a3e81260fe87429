import { expect, it } from 'vitest'
import { attempting, beginNew, seqOf } from '../acts.ts'
import { ACCEPTED, ASHA, delivery, HOUR, ingested, item, JUMA, NEEMA, send, T0, UNKNOWN } from '../samples.ts'
import { announced } from '../announced.ts'
import type { Stage } from './index.ts'

const NEXT = { now: T0, goOn: false }
const REFUSED = { as: 'refused', code: 'outside_window', reason: 'no' } as const
type Answer = typeof REFUSED | typeof ACCEPTED

/** What a person or a monitor counts: what waits for somebody, and how the last days went. */
export function watching(at: Stage): void {
  const of = (number: string, customer: string) => ({ number, customer, lane: `${number}/${customer}` })

  async function ended(as: 'dead' | 'parked', number: string, customer = ASHA) {
    const { fence, item: begun } = await beginNew(at.store, [item(of(number, customer))])
    await at.store.settleItem(fence, begun.id, { as, reason: 'x' }, NEXT)
  }

  it('counts by number what waits for a person, and who does', async () => {
    expect(await at.store.needsPerson(T0)).toEqual([])
    await ended('dead', 'default')
    await ended('dead', 'default', JUMA)
    await ended('dead', 'branch')
    await ended('parked', 'branch', NEEMA)
    const unread = await seqOf(at.store, delivery({ subscription: 'branch' }))
    await at.store.ingest(unread, { state: 'quarantined', items: [], windows: [], statuses: [] }, T0)
    const one = send({ number: 'branch', customer: JUMA, lane: `branch/${JUMA}/out` })
    await at.store.settleSend(await attempting(at.store, one), one.id, UNKNOWN, NEXT)
    const stopped = send({ number: 'default', lane: `default/${ASHA}/out` })
    const move = { stopped: true, closedUntil: T0 + HOUR, inARow: 1, code: 'no_plan', reason: 'no' }
    const postponed = { as: 'postponed', code: 'no_plan', reason: 'no' } as const
    const fence = await attempting(at.store, stopped)
    await at.store.settleSend(fence, stopped.id, postponed, NEXT, { number: 'default', move })
    const until = T0 + HOUR
    await at.store.takeOver({ number: 'default', customer: NEEMA, by: 'person', since: T0, until })
    expect(await at.store.needsPerson(T0)).toEqual([
      { what: 'dead', number: 'branch', count: 1 },
      { what: 'dead', number: 'default', count: 2 },
      { what: 'parked', number: 'branch', count: 1 },
      { what: 'quarantined', number: 'branch', count: 1 },
      { what: 'unknown', number: 'branch', count: 1 },
      { what: 'held', number: 'default', count: 1 },
      { what: 'customers', number: 'default', count: 1 },
    ])
  })

  it('gives the messages since a time, when each was answered, and which failed', async () => {
    async function told(customer: string, receivedAt: number, number = 'default') {
      const given = delivery({ receivedAt })
      await at.store.ingest(await seqOf(at.store, given), ingested(item(of(number, customer))), T0)
      return given.deliveryId
    }
    async function answered(to: string, by: string | undefined, settlement: Answer, now: number, number = 'default') {
      const one = send({ number, customer: to, lane: `${number}/${to}/out`, delivery: by, createdAt: now })
      await at.store.settleSend(await attempting(at.store, one), one.id, settlement, { now, goOn: false })
    }
    await told(ASHA, T0 - 1)
    const [asha, juma] = [await told(ASHA, T0), await told(JUMA, T0 + 1)]
    await told(NEEMA, T0 + 2, 'branch')
    await answered(ASHA, asha, ACCEPTED, T0 + 500)
    await answered(ASHA, asha, ACCEPTED, T0 + 900)
    await answered(JUMA, juma, REFUSED, T0 + 500)
    // Not to the customer who wrote, and not by a handler.
    await answered(NEEMA, juma, ACCEPTED, T0 + 500)
    await answered(JUMA, undefined, ACCEPTED, T0 + 500)
    await at.store.takeOver({ number: 'branch', customer: NEEMA, by: 'person', since: T0 + 3, until: T0 + HOUR })
    const found = await at.store.trend({ from: T0, serviceNow: T0 + 4 })
    expect(found.countedFrom).toBeUndefined()
    expect(found.messages.toSorted((a, b) => a.at - b.at)).toEqual([
      { number: 'default', at: T0, answeredAt: T0 + 500, failed: 0 },
      { number: 'default', at: T0 + 1, answeredAt: undefined, failed: 1 },
      { number: 'branch', at: T0 + 2, answeredAt: undefined, failed: 0 },
    ])
    expect(found.waits).toMatchObject([{ number: 'branch', since: T0 + 3 }])
  })

  it('counts announcements by state, and lists those that an error paused and those of one number', async () => {
    const made = (name: string, number = 'default') => announced(at.store, [ASHA], { number, name })
    const [running, paused, stopped] = [await made('["a"]'), await made('["b"]'), await made('["c"]', 'branch')]
    await at.store.changeAnnouncement(paused, 'paused', { now: T0 })
    await at.store.stopAnnouncement(stopped, { now: T0, reason: 'token_missing' })
    expect(await at.store.countAnnouncements()).toEqual({
      running: 1,
      paused: 1,
      needs_person: 1,
      done: 0,
      cancelled: 0,
    })
    expect(await at.store.pausedByError(9)).toMatchObject([{ id: stopped, reason: 'token_missing', since: T0 }])
    const own = await at.store.listAnnouncements({ number: 'default', limit: 9 })
    expect(own.announcements.map(({ id }) => id)).toEqual([paused, running])
    const end = { customer: ASHA, end: 'refused', code: 'outside_window', reason: 'no' } as const
    await at.store.endRecipients(running, [end], T0)
    expect(await at.store.reasonsOf(running)).toEqual([])
  })
}
