import { describe, expect, it } from 'vitest'
import type { EndedRecipient, RecipientClaim } from '../../../src/features/announcements/store/announcement-work.ts'
import { isAwaiting, type NewAnnouncement } from '../../../src/features/announcements/store/announcement-rows.ts'
import type { Store } from '../../../src/store/store.ts'
import { attempting } from '../acts.ts'
import { announced, NEWS } from '../announced.ts'
import { ACCEPTED, ASHA, DAY, delivery, ingested, JUMA, LEASE_MS, NEEMA, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'

const MINUTE = 60_000

/** One message to many: the recipients are stored, and taken at a pace. */
export function announcements(at: Stage): void {
  const rows = (...customers: readonly string[]) => customers.map((customer) => ({ customer }))

  const stored = (customers: readonly string[], given: Partial<NewAnnouncement> = {}) =>
    announced(at.store, customers, given)

  const claimOf = (given: Partial<RecipientClaim> = {}): RecipientClaim => {
    const now = given.now ?? given.serviceNow ?? T0
    const usual = { processName: 'one', leaseMs: LEASE_MS, room: 64, worked: [], functions: [], anyNumber: true }
    return { ...usual, serviceNow: now, ...given, now }
  }
  const claimed = async (given: Partial<RecipientClaim> = {}, store: Store = at.store) => {
    const { portions } = await store.claimRecipients(claimOf(given))
    return portions.flatMap(({ recipients }) => recipients.map(({ customer }) => customer))
  }
  const ended = (end: EndedRecipient['end'], ...customers: readonly string[]) =>
    customers.map((customer) => ({ customer, end }))
  const rowOf = (id: number) => at.store.announcement(id)

  it('keeps each recipient once, in any number of portions, and the content once', async () => {
    const id = await stored([ASHA, JUMA, ASHA])
    await at.store.addRecipients(id, rows(JUMA, NEEMA), T0)
    const bad = { customer: 'nobody', invalid: 'no phone number' }
    await at.store.addRecipients(id, [bad, { customer: ASHA, invalid: 'a second row' }], T0)
    expect(await rowOf(id)).toMatchObject({ total: 4, invalid: 1, sent: 0, state: 'running', content: NEWS.content })
  })

  it('is found again by its key on its number, with what it holds, and says if the content is another', async () => {
    const id = await stored([ASHA])
    const again = await at.store.openAnnouncement({ ...NEWS, createdAt: T0 + 1 })
    expect(again).toMatchObject({ announcement: { id, total: 1, createdAt: T0 }, diverged: false })
    expect((await at.store.openAnnouncement({ ...NEWS, content: '{}' })).diverged).toBe(true)
    expect((await at.store.openAnnouncement({ ...NEWS, outsideWindow: '{}' })).diverged).toBe(true)
    const elsewhere = await at.store.openAnnouncement({ ...NEWS, number: 'branch' })
    expect(elsewhere).toMatchObject({ announcement: { total: 0 }, diverged: false })
    expect(elsewhere.announcement.id).not.toBe(id)
  })

  it('gives nobody before all recipients are stored, nor before its time', async () => {
    const { announcement } = await at.store.openAnnouncement({ ...NEWS, dueAt: T0 + MINUTE })
    await at.store.addRecipients(announcement.id, rows(ASHA), T0)
    expect(await claimed({ serviceNow: T0 + MINUTE })).toEqual([])
    await at.store.startAnnouncement(announcement.id, T0)
    expect(await at.store.claimRecipients(claimOf())).toMatchObject({ portions: [], over: [], nextAt: T0 + MINUTE })
    expect(await at.store.nextDueAt()).toBe(T0 + MINUTE)
    expect(await claimed({ serviceNow: T0 + MINUTE })).toEqual([ASHA])
  })

  it('gives as many as the pace has places, at most as many as there is room, and in the order of their digits', async () => {
    const id = await stored([NEEMA, ASHA, JUMA], { perHour: 3_600 })
    expect(await claimed({ room: 2 })).toEqual([ASHA])
    const worked = (customer: string, room = 64) => [{ id, after: { zone: 0, customer }, room }]
    expect(await claimed({ serviceNow: T0 + 999, worked: worked(ASHA) })).toEqual([])
    expect(await claimed({ serviceNow: T0 + 2_000, worked: worked(ASHA, 1) })).toEqual([JUMA])
    expect(await claimed({ serviceNow: T0 + 2_100, worked: worked(JUMA, 0) })).toEqual([])
    expect(await claimed({ serviceNow: T0 + 3_100, worked: worked(JUMA) })).toEqual([NEEMA])
  })

  it('is worked on by one process while that lives, so that two do not double the pace', async () => {
    await stored([ASHA, JUMA, NEEMA], { perHour: 36_000 })
    const other = await at.place.open()
    const [mine, theirs] = await Promise.all([claimed(), claimed({ processName: 'two' }, other)])
    expect([...(mine ?? []), ...(theirs ?? [])]).toHaveLength(1)
    const [works, idle] = mine?.length ? ['one', 'two'] : ['two', 'one']
    const later = { now: T0 + LEASE_MS - 1, serviceNow: T0 + MINUTE }
    expect(await at.store.claimRecipients(claimOf({ ...later, processName: idle }))).toMatchObject({ portions: [] })
    expect(await at.store.renew(works, () => T0 + LEASE_MS - 1, LEASE_MS)).toBe(true)
    expect(await claimed({ processName: idle, now: T0 + LEASE_MS + 1, serviceNow: T0 + MINUTE })).toEqual([])
    expect(await claimed({ processName: idle, now: T0 + 2 * LEASE_MS, serviceNow: T0 + MINUTE })).not.toEqual([])
  })

  it('begins again with the first who has no end when another process takes it over, and keeps the pace', async () => {
    const id = await stored([ASHA, JUMA, NEEMA], { perHour: 60 })
    expect(await claimed()).toEqual([ASHA])
    await at.store.endRecipients(id, ended('sent', ASHA), T0)
    expect(
      await claimed({ serviceNow: T0 + MINUTE, worked: [{ id, after: { zone: 0, customer: ASHA }, room: 64 }] }),
    ).toEqual([JUMA])
    await at.store.releaseAnnouncements('one')
    expect(await claimed({ processName: 'two', serviceNow: T0 + MINUTE + 1 })).toEqual([])
    expect(await claimed({ processName: 'two', serviceNow: T0 + 2 * MINUTE })).toEqual([JUMA])
    const over = await at.store.claimRecipients(
      claimOf({ worked: [{ id, after: { zone: 0, customer: JUMA }, room: 64 }] }),
    )
    expect(over.over).toEqual([id])
  })

  it('is given to a process that can make its content, if a function makes it', async () => {
    const id = await stored([ASHA], { content: undefined })
    expect(await at.store.claimRecipients(claimOf())).toMatchObject({ portions: [], over: [], nextAt: undefined })
    expect(await at.store.nextDueAt()).toBeUndefined()
    expect(await claimed({ functions: [id] })).toEqual([ASHA])
  })

  it('counts each end once, and is done with the last', async () => {
    const id = await stored([ASHA, JUMA, NEEMA])
    expect(await at.store.endRecipients(id, ended('sent', ASHA, ASHA), T0)).toMatchObject({ state: 'running' })
    await at.store.endRecipients(id, ended('refused', ASHA), T0)
    const last = [...ended('silent', JUMA), ...ended('refused', NEEMA)]
    expect(await at.store.endRecipients(id, last, T0 + 1)).toEqual({ state: 'done', changed: true })
    expect(await rowOf(id)).toMatchObject({ sent: 1, refused: 1, silent: 1, optedOut: 0, endedAt: T0 + 1 })
    expect(await at.store.nextDueAt()).toBeUndefined()
  })

  it('ends customers who opted out without a place in the pace', async () => {
    await at.store.optOut({ number: 'branch', customer: ASHA, at: T0, how: 'message' })
    await at.store.optOut({ number: 'default', customer: JUMA, at: T0, how: 'message' })
    const id = await stored([ASHA, JUMA, NEEMA])
    // On a machine with other work a transaction may be long after the first of them, and the next claim continues.
    await expect.poll(() => claimed()).toEqual([NEEMA])
    expect(await rowOf(id)).toMatchObject({ optedOut: 2, state: 'running' })
    expect(await stored([JUMA], { name: 'two' })).toBeGreaterThan(id)
    expect(await claimed()).toEqual([])
    expect((await at.store.listAnnouncements({ limit: 1 })).announcements).toMatchObject([{ state: 'done' }])
  })

  it('gives nobody while it is paused, and does not make up for it in a burst', async () => {
    const id = await stored([ASHA, JUMA, NEEMA], { perHour: 3_600 })
    expect(await claimed()).toEqual([ASHA])
    const worked = [{ id, after: { zone: 0, customer: ASHA }, room: 64 }]
    expect(await at.store.changeAnnouncement(id, 'paused', { now: T0 })).toBe(true)
    expect(await at.store.claimRecipients(claimOf({ worked }))).toMatchObject({
      portions: [],
      over: [id],
      nextAt: undefined,
    })
    expect(await at.store.changeAnnouncement(id, 'running', { now: T0 })).toBe(true)
    expect(await claimed({ serviceNow: T0 + DAY, worked })).toEqual([JUMA])
  })

  it('cancels its messages that wait when it is paused or cancelled, also if no process works on it', async () => {
    const id = await stored([ASHA, JUMA])
    // Slots as the bot makes them. Those of another announcement, and of the app itself, are none of its.
    const sendTo = (customer: string, of = NEWS.name) =>
      send({ customer, lane: `default/${customer}/out`, slot: `announcement ${of} ${customer}` })
    const [waits, begun] = [sendTo(ASHA), sendTo(JUMA)]
    const others = [sendTo(NEEMA, '["sale",77]'), send({ slot: NEWS.name })]
    await attempting(at.store, begun)
    for (const one of [waits, ...others]) await at.store.openSend(one)
    const states = () =>
      Promise.all([waits, begun, ...others].map(async (one) => (await at.store.findSend({ id: one.id }))?.state))
    await at.store.changeAnnouncement(id, 'paused', { now: T0 + 1 })
    expect(await states()).toEqual(['cancelled', 'attempting', 'ready', 'ready'])
    await at.store.changeAnnouncement(id, 'running', { now: T0 + 2 })
    await at.store.openSend(waits)
    expect(await states()).toEqual(['ready', 'attempting', 'ready', 'ready'])
    await at.store.changeAnnouncement(id, 'cancelled', { now: T0 + 3 })
    expect(await states()).toEqual(['cancelled', 'attempting', 'ready', 'ready'])
  })

  it('records a message only while it runs and its customer waits, and none again that a person has cancelled', async () => {
    const id = await stored([ASHA, JUMA, NEEMA])
    const [asha, juma, neema] = [ASHA, JUMA, NEEMA].map((customer) =>
      send({ customer, slot: `announcement ${NEWS.name} ${customer}`, onlyIf: () => isAwaiting(id, customer) }),
    ) as [NewSend, NewSend, NewSend]
    await at.store.openSend(asha)
    expect(await at.store.cancelSend(asha.key, T0)).toBe(true)
    expect(await at.store.openSend(asha)).toMatchObject({ found: 'known', send: { state: 'cancelled' } })
    await at.store.openSend(juma)
    await at.store.changeAnnouncement(id, 'paused', { now: T0 })
    for (const one of [asha, juma, neema]) expect(await at.store.openSend(one)).toBeUndefined()
    await at.store.forget({ number: 'default', customer: JUMA }, T0)
    await at.store.changeAnnouncement(id, 'running', { now: T0 })
    expect(await at.store.openSend(juma)).toBeUndefined()
    expect(await at.store.openSend(neema)).toMatchObject({ found: 'new' })
    await at.store.changeAnnouncement(id, 'paused', { now: T0 })
    await at.store.changeAnnouncement(id, 'running', { now: T0 })
    expect(await at.store.openSend(neema)).toMatchObject({ found: 'reopened', send: { state: 'ready' } })
    expect(await at.store.openSend(asha)).toMatchObject({ found: 'known', send: { state: 'cancelled' } })
  })

  it('stays paused if that comes while its recipients are being stored', async () => {
    const { announcement } = await at.store.openAnnouncement(NEWS)
    expect(await at.store.changeAnnouncement(announcement.id, 'paused', { now: T0 })).toBe(true)
    await at.store.addRecipients(announcement.id, rows(ASHA), T0)
    await at.store.startAnnouncement(announcement.id, T0)
    expect(await rowOf(announcement.id)).toMatchObject({ state: 'paused', total: 1 })
    expect(await claimed()).toEqual([])
  })

  it('is not pruned while recipients that came later still wait, however long ago it had ended before', async () => {
    const id = await stored([ASHA])
    await at.store.endRecipients(id, ended('sent', ASHA), T0)
    await at.store.addRecipients(id, rows(JUMA), T0)
    await pruneAll(at.store, { now: T0 + 60 * DAY })
    expect(await rowOf(id)).toMatchObject({ state: 'running', total: 2, endedAt: undefined })
    expect(await claimed()).toEqual([JUMA])
  })

  it('is cancelled for good, from every state in which it has not ended', async () => {
    const id = await stored([ASHA])
    await at.store.changeAnnouncement(id, 'paused', { now: T0 })
    expect(await at.store.changeAnnouncement(id, 'cancelled', { now: T0 + 1 })).toBe(true)
    for (const to of ['running', 'paused', 'cancelled'] as const)
      expect(await at.store.changeAnnouncement(id, to, { now: T0 })).toBe(false)
    expect(await at.store.addRecipients(id, rows(JUMA), T0)).toMatchObject({ state: 'cancelled' })
    await at.store.startAnnouncement(id, T0)
    expect(await rowOf(id)).toMatchObject({ state: 'cancelled', endedAt: T0 + 1 })
  })

  it('sends nothing to a customer who was forgotten, and leaves no digits', async () => {
    const id = await stored([ASHA, JUMA])
    const branch = await stored([ASHA], { number: 'branch' })
    await at.store.forget({ number: 'default', customer: ASHA }, T0)
    expect(await rowOf(id)).toMatchObject({ total: 1, state: 'running' })
    expect((await at.store.keptOf(ASHA)).announcements).toEqual([
      { number: 'branch', key: NEWS.name, state: 'waiting', at: T0, vars: null },
    ])
    expect((await at.store.countKept(ASHA)).numbers).toMatchObject({ branch: { announcements: 1 } })
    await at.store.endRecipients(id, [...ended('sent', JUMA), ...ended('sent', ASHA)], T0)
    expect(await rowOf(id)).toMatchObject({ sent: 1, state: 'done' })
    await at.store.endRecipients(branch, ended('sent', ASHA), T0)
    await at.store.forget({ number: 'branch', customer: ASHA }, T0)
    expect(await rowOf(branch)).toMatchObject({ total: 1, sent: 1 })
    while (await at.store.eraseForgotten(100));
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
  })

  it('is pruned with its recipients once it ended long ago, and not while it is open', async () => {
    const done = await stored([ASHA, JUMA])
    await at.store.endRecipients(done, ended('sent', ASHA, JUMA), T0)
    const open = await stored([NEEMA], { name: 'open' })
    await pruneAll(at.store, { now: T0 + 29 * DAY, limit: 1 })
    expect(await rowOf(done)).toBeDefined()
    await pruneAll(at.store, { now: T0 + 31 * DAY, limit: 1 })
    expect(await rowOf(done)).toBeUndefined()
    expect(await rowOf(open)).toMatchObject({ total: 1, state: 'running' })
    expect((await at.store.keptOf(ASHA)).announcements).toEqual([])
  })

  it('counts what became of its messages by statuses of its number alone [B EVT-04]', async () => {
    const id = await stored([ASHA])
    const one = send()
    await at.store.settleSend(await attempting(at.store, one), one.id, ACCEPTED, { now: T0, goOn: true })
    await at.store.endRecipients(id, [{ customer: ASHA, end: 'sent', send: one.id }], T0)
    const bring = async (number: string, status: string) => {
      const told = { number, messageId: 'm1', upstreamId: undefined, status, at: T0, reason: 'blocked' }
      await at.store.accept(delivery(), { ingested: { ...ingested(), statuses: [told] } })
    }
    await bring('branch', 'failed')
    expect((await at.store.listRecipients(id, { limit: 9 })).recipients).toMatchObject([{ state: 'sent' }])
    expect((await at.store.countReached(id, '')).counts).toEqual({ delivered: 0, read: 0, failed: 0 })
    await bring('default', 'delivered')
    expect((await at.store.countReached(id, '')).counts).toEqual({ delivered: 1, read: 0, failed: 0 })
  })

  describe('that is refused', () => {
    const MANY = Array.from({ length: 12 }, (_, nth) => String(255_712_000_200 + nth))
    const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = MANY
    const refused = (...customers: readonly string[]) =>
      customers.map((customer) => ({ customer, end: 'refused' as const, code: 'template_not_found', reason: 'gone' }))
    const states = async (id: number) => {
      const { recipients } = await at.store.listRecipients(id, { limit: 100 })
      return Object.fromEntries(recipients.map(({ customer, state }) => [customer, state]))
    }

    it('is doubtful until a later recipient is accepted, and has failed then', async () => {
      const id = await stored(MANY)
      await at.store.endRecipients(id, ended('sent', first), T0)
      await at.store.endRecipients(id, refused(second), T0 + 1)
      expect(await rowOf(id)).toMatchObject({ state: 'running', refused: 1, doubtful: 1 })
      expect(await states(id)).toMatchObject({ [first]: 'sent', [second]: 'doubtful', [third]: 'waiting' })
      await at.store.endRecipients(id, ended('sent', third), T0 + 2)
      expect(await rowOf(id)).toMatchObject({ refused: 1, doubtful: 0 })
      expect(await at.store.listRecipients(id, { states: ['failed'], limit: 9 })).toMatchObject({
        recipients: [{ customer: second, code: 'template_not_found', reason: 'gone', at: T0 + 1 }],
      })
    })

    it('pauses it by five refusals in a row, whose recipients wait again', async () => {
      const id = await stored(MANY)
      await at.store.endRecipients(id, ended('sent', first), T0)
      await at.store.endRecipients(id, refused(second, third, fourth, fifth), T0)
      expect(await rowOf(id)).toMatchObject({ state: 'running', doubtful: 4 })
      const paused = await at.store.endRecipients(id, refused(sixth), T0 + 1)
      expect(paused).toEqual({ state: 'paused', changed: true, reason: 'gone' })
      expect(await rowOf(id)).toMatchObject({ refused: 0, sent: 1, reason: 'gone', since: T0 + 1, blamed: second })
      expect(await at.store.listRecipients(id, { states: ['waiting'], limit: 20 })).toMatchObject({
        recipients: { length: 11 },
      })
      // What was under way is refused too.
      await at.store.endRecipients(id, refused(MANY[7] as string), T0 + 2)
      expect(await rowOf(id)).toMatchObject({ refused: 0, state: 'paused' })
    })

    it('pauses it if the first three are refused, and if everybody is', async () => {
      const id = await stored(MANY)
      await at.store.endRecipients(id, refused(first, second), T0)
      expect(await rowOf(id)).toMatchObject({ state: 'running' })
      await at.store.endRecipients(id, refused(third), T0)
      expect(await rowOf(id)).toMatchObject({ state: 'paused', refused: 0 })
      const small = await stored([first], { name: 'small' })
      await at.store.endRecipients(small, refused(first), T0)
      expect(await rowOf(small)).toMatchObject({ state: 'paused', refused: 0 })
    })

    it('has failed if nobody else waits and somebody was accepted', async () => {
      const id = await stored([first, second])
      await at.store.endRecipients(id, ended('sent', first), T0)
      await at.store.endRecipients(id, refused(second), T0)
      expect(await rowOf(id)).toMatchObject({ state: 'done', refused: 1, doubtful: 0 })
      expect(await states(id)).toEqual({ [first]: 'sent', [second]: 'failed' })
    })

    it('begins again with one recipient, another one than last time, and continues once that one is accepted', async () => {
      const id = await stored(MANY, { perHour: 3_600_000 })
      await at.store.endRecipients(id, refused(first, second, third), T0)
      const claim = async (serviceNow: number, underWay = 0) =>
        claimed({ serviceNow, worked: [{ id, after: undefined, room: 64 - underWay }] })
      await at.store.changeAnnouncement(id, 'running', { now: T0 })
      expect(await claim(T0 + 10_000)).toEqual([first])
      expect(await claim(T0 + 20_000, 1)).toEqual([])
      await at.store.endRecipients(id, refused(first), T0)
      expect(await rowOf(id)).toMatchObject({ state: 'paused', blamed: first })
      await at.store.changeAnnouncement(id, 'running', { now: T0 })
      expect(await claim(T0 + 30_000)).toEqual([second])
      await at.store.endRecipients(id, ended('sent', second), T0)
      expect((await claim(T0 + 30_200)).length).toBeGreaterThan(1)
    })

    it('waits again by a retry, under the same key; after an acceptance only if asked for, once, under another key', async () => {
      const id = await stored([first, second, third])
      const accepted = send({ customer: first, id: 'of-first', lane: `default/${first}/out`, slot: 'x' })
      await attempting(at.store, accepted)
      const settled = await at.store.findSend({ id: accepted.id })
      expect(settled).toBeDefined()
      await at.store.endRecipients(id, [{ customer: first, end: 'sent', send: accepted.id }], T0)
      await at.store.endRecipients(id, refused(second), T0)
      await at.store.endRecipients(id, ended('unknown', third), T0)
      expect(await rowOf(id)).toMatchObject({ state: 'done', refused: 1, unknown: 1 })
      expect(await at.store.retryRecipients(id, { reasons: ['other'] })).toBe(0)
      expect(await at.store.retryRecipients(id, {})).toBe(1)
      expect(await rowOf(id)).toMatchObject({ state: 'running', refused: 0, sent: 1, unknown: 1 })
      expect(await states(id)).toEqual({ [first]: 'sent', [second]: 'waiting', [third]: 'unknown' })
      expect(await at.store.retryRecipients(id, { reasons: ['unknown'] })).toBe(1)
      const { portions } = await at.store.claimRecipients(claimOf({ serviceNow: T0 + DAY }))
      expect(portions[0]?.recipients).toEqual([{ zone: 0, customer: second, vars: undefined, resends: 0 }])
      expect(await states(id)).toMatchObject({ [third]: 'waiting' })
    })
  })

  it('opens in the hours of each zone, and says when the next one opens', async () => {
    const noon = Date.parse('2026-03-04T12:00:00Z')
    const hours = { from: 8 * 60, to: 20 * 60, zones: ['Africa/Dar_es_Salaam', 'America/Los_Angeles'] }
    const { announcement } = await at.store.openAnnouncement({ ...NEWS, hours, perHour: 3_600_000, dueAt: noon })
    const { id } = announcement
    await at.store.addRecipients(
      id,
      [
        { customer: ASHA, zone: 1 },
        { customer: JUMA, zone: 0 },
      ],
      noon,
    )
    await at.store.startAnnouncement(id, noon)
    // 15:00 in Dar es Salaam, 4:00 in Los Angeles.
    expect(await claimed({ serviceNow: noon })).toEqual([JUMA])
    await at.store.endRecipients(id, ended('sent', JUMA), noon)
    expect(await claimed({ serviceNow: noon + 7 * 60 * MINUTE })).toEqual([ASHA])
    const night = Date.parse('2026-03-05T17:00:00Z')
    const later = await stored([ASHA], {
      name: 'late',
      hours: { ...hours, zones: ['Africa/Dar_es_Salaam'] },
      dueAt: night,
    })
    const { nextAt, portions } = await at.store.claimRecipients(claimOf({ serviceNow: night }))
    expect(portions.flatMap(({ recipients }) => recipients.map(({ customer }) => customer))).not.toContain(JUMA)
    expect(later).toBeGreaterThan(id)
    expect(nextAt).toBeLessThanOrEqual(Date.parse('2026-03-06T05:00:00Z'))
  })

  it('keeps a hash of a forgotten recipient who has the message, so that nobody gets it again', async () => {
    const id = await stored([ASHA, JUMA])
    await at.store.endRecipients(id, ended('sent', ASHA), T0)
    await at.store.forget({ number: 'default', customer: ASHA }, T0)
    expect(await at.store.addRecipients(id, rows(ASHA, NEEMA), T0)).toEqual({ state: 'running', added: 1 })
    expect(await rowOf(id)).toMatchObject({ total: 3, sent: 1 })
    while (await at.store.eraseForgotten(100));
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
  })
}
