import { describe, expect, it } from 'vitest'
import type { ActRecord, Health, TrendView } from '../../src/admin/api.ts'
import type {
  AnnouncementSummary,
  AnnouncementView,
  FoundRecipients,
} from '../../src/features/announcements/announcement-api.ts'
import type { Page } from '../../src/admin/requests.ts'
import { arrive, attempting, seqOf } from '../store/acts.ts'
import { ACCEPTED, ASHA, delivery, ingested, item, JUMA, NEEMA, send, T0 } from '../store/samples.ts'
import { announced } from '../store/announced.ts'
import { CANARY, posted, useStage } from './stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NEXT = { now: T0, goOn: false }

describe('an announcement on the admin page', () => {
  const at = useStage()

  /** One with a recipient in each state; who is on `branch` is nobody of `default`. */
  async function made(number = 'default', name = `["sale","${CANARY.customer}"]`): Promise<number> {
    const columns = () => ({ name: CANARY.name })
    const id = await announced(at.store, [CANARY.customer, ASHA, JUMA, NEEMA], { number, name }, columns)
    await at.store.addRecipients(id, [{ customer: 'Zuhura', invalid: 'no digits' }], T0)
    const one = send({ number, customer: CANARY.customer, lane: `${number}/${CANARY.customer}/out` })
    await at.store.settleSend(await attempting(at.store, one), one.id, ACCEPTED, NEXT)
    const detail = `no phone ${ASHA}`
    const ended = [
      { customer: ASHA, end: 'refused', code: 'send_failed', reason: detail },
      { customer: CANARY.customer, end: 'sent', send: one.id },
      { customer: JUMA, end: 'unknown' },
    ] as const
    await at.store.endRecipients(id, ended, T0)
    return id
  }

  it('shows how far it is, why recipients failed, and its recipients by state, masked unless revealed', async () => {
    const id = await made()
    const page = at.page()
    const shown = await page.get<AnnouncementView>(`api/announcements/${id}`)
    expect(shown).toMatchObject({
      total: 5,
      sent: 1,
      failed: 2,
      unknown: 1,
      waiting: 1,
      state: 'running',
      reasons: [
        { state: 'invalid', reason: 'invalid', count: 1 },
        { state: 'refused', reason: 'send_failed', count: 1 },
        { state: 'unknown', reason: 'unknown', count: 1 },
      ],
    })
    expect(shown.endsAbout).toBe(new Date(T0 + 2 * MINUTE).toISOString())
    expect(shown.recipients.map(({ to, state }) => `${to} ${state}`).sort()).toEqual(
      [
        `…${ASHA.slice(-3)} failed`,
        '…543 sent',
        `…${JUMA.slice(-3)} unknown`,
        `…${NEEMA.slice(-3)} waiting`,
        '[6 characters] failed',
      ].sort(),
    )
    const text = JSON.stringify(shown)
    for (const canary of [CANARY.customer, CANARY.name, ASHA, 'Zuhura']) expect(text).not.toContain(canary)
    const failed = await page.get<AnnouncementView>(`api/announcements/${id}?state=failed`)
    expect(failed.recipients).toHaveLength(2)
    const revealed = await page.post<AnnouncementView>('api/reveal', { view: `api/announcements/${id}?state=sent` })
    expect(revealed.recipients).toMatchObject([{ to: CANARY.customer, columns: { name: CANARY.name } }])
    expect(at.acted).toMatchObject([{ act: 'reveal', reason: `announcement ${id}` }])
    expect((await page.ask(`api/announcements/${id}?state=none`)).status).toBe(400)
    expect((await page.ask('api/announcements/999')).status).toBe(404)
  })

  it('lists recipients page by page, in no order of their numbers, with no number in a cursor', async () => {
    const id = await made()
    const page = at.page()
    const found: string[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after: string = next === '' ? '' : `&after=${next}`
      const got: AnnouncementView = await page.get(`api/announcements/${id}?limit=2${after}`)
      found.push(...got.recipients.map(({ to }) => to))
      for (const customer of [CANARY.customer, ASHA, JUMA]) expect(got.next ?? '').not.toContain(customer)
      next = got.next
    }
    expect(found).toHaveLength(5)
    // Whose masked rows stand in the order of the numbers shows which is the larger.
    const orders = new Set<boolean>()
    for (let nth = 0; nth < 20; nth++) {
      const many = Array.from({ length: 6 }, (_, one) => `2557130${nth + 10}00${one}`)
      const id = await announced(at.store, many, { name: `["${nth}"]` })
      const { recipients } = await page.get<AnnouncementView>(`api/announcements/${id}`)
      orders.add(
        recipients.map(({ to }) => to).join() ===
          recipients
            .map(({ to }) => to)
            .sort()
            .join(),
      )
    }
    expect([...orders]).toContain(false)
  })

  it('sends again to those who were refused, by reason, and says so in the record', async () => {
    const id = await made()
    const page = at.page()
    const retry = { act: 'retry_announcement', announcement: id } as const
    expect(await page.act({ ...retry, reasons: ['no_such_code'] })).toMatchObject({ count: 0 })
    expect(await page.act({ ...retry, reasons: ['send_failed'] })).toMatchObject({ count: 1 })
    expect(await page.act({ ...retry, failedLater: true })).toMatchObject({ count: 0 })
    expect(await page.act({ ...retry, reasons: ['unknown'] })).toMatchObject({ count: 1 })
    expect(at.acted.map(({ act, reason }) => [act, reason])).toEqual([
      ['retry_announcement', `announcement ${id}: no_such_code`],
      ['retry_announcement', `announcement ${id}: send_failed`],
      ['retry_announcement', `announcement ${id}: failed later`],
      ['retry_announcement', `announcement ${id}: unknown`],
    ])
    await page.act({ act: 'announcement', announcement: id, to: 'cancelled' })
    expect(await page.ask('api/act', posted(retry))).toMatchObject({ status: 409 })
    const reader = at.page({ readOnly: true })
    expect((await reader.ask('api/act', posted(retry))).status).toBe(403)
  })

  it('exports its recipients as CSV, masked, or revealed by right and recorded once', async () => {
    const id = await made()
    const masked = await at.page({ reveal: false }).ask('api/export', posted({ announcement: id }))
    expect(masked.headers.get('content-type')).toContain('text/csv')
    expect(masked.headers.get('content-disposition')).toContain(`announcement-${id}.csv`)
    expect(masked.text.trim().split('\n')).toHaveLength(6)
    for (const canary of [CANARY.customer, CANARY.name, ASHA, 'Zuhura']) expect(masked.text).not.toContain(canary)
    expect(at.acted).toEqual([])
    const revealed = { announcement: id, state: 'sent', reveal: true }
    expect((await at.page({ reveal: false }).ask('api/export', posted(revealed))).status).toBe(403)
    const { text } = await at.page().ask('api/export', posted(revealed))
    expect(text.split('\n')[1]).toBe(
      `"${CANARY.customer}","sent","","","${new Date(T0).toISOString()}","{""name"":""${CANARY.name}""}"`,
    )
    expect(at.acted).toMatchObject([{ act: 'export', reason: `announcement ${id}, sent`, count: 1 }])
  })

  it('finds one recipient by the number, for a person who may reveal', async () => {
    const id = await made()
    const find = (text: string) => at.page().post<FoundRecipients>('api/recipient', { text, announcement: id })
    expect((await find(`+${ASHA}`)).recipients).toMatchObject([
      { to: `…${ASHA.slice(-3)}`, state: 'failed', reason: 'send_failed' },
    ])
    expect((await find('255700000000')).recipients).toEqual([])
    const blind = await at.page({ reveal: false }).ask('api/recipient', posted({ text: ASHA, announcement: id }))
    expect(blind.status).toBe(403)
  })

  it('list announcements with their progress and masked keys, and pause, resume and cancel them', async () => {
    const name = JSON.stringify(['sale', CANARY.customer])
    const id = await announced(at.store, [CANARY.customer, ASHA], { name, perHour: 90 })
    await at.store.endRecipients(id, [{ customer: ASHA, end: 'sent' }], T0)
    const page = at.page()
    const shown = async () => (await page.get<Page<AnnouncementSummary>>('api/announcements')).rows[0]
    expect(await shown()).toMatchObject({ total: 2, sent: 1, waiting: 1, perMinute: 1.5, state: 'running' })
    expect((await shown())?.key).not.toContain(CANARY.customer)
    const act = (to: 'running' | 'paused' | 'cancelled') => ({ act: 'announcement', announcement: id, to }) as const
    for (const to of ['paused', 'running', 'cancelled'] as const) {
      expect(await page.act(act(to))).toMatchObject({ count: 1 })
      expect((await shown())?.state).toBe(to)
    }
    expect(await page.ask('api/act', posted(act('running')))).toMatchObject({ status: 409 })
    const { rows } = await page.get<Page<ActRecord>>('api/acts')
    expect(rows.map(({ what }) => what)).toContain(`announcement ${id} to paused`)
  })

  it('is on the overview while it is paused by an error, and no longer than that', async () => {
    const id = await made()
    const page = at.page()
    const paused = async () => (await page.get<{ health: Health }>('api/state')).health.pausedByError
    expect(await paused()).toEqual([])
    await at.store.stopAnnouncement(id, { now: T0, reason: `the template names ${ASHA}` })
    expect(await paused()).toMatchObject([{ id, key: 'sale …543', reason: `the template names …${ASHA.slice(-3)}` }])
    await page.act({ act: 'announcement', announcement: id, to: 'running' })
    expect(await paused()).toEqual([])
  })

  it('is shown, listed, changed and exported by a person of its number alone', async () => {
    const [own, theirs] = [await made(), await made('branch', '["other"]')]
    for (const id of [own, theirs]) await at.store.stopAnnouncement(id, { now: T0, reason: 'x' })
    const page = at.page({ authorize: () => ({ name: 'neema', numbers: ['default'] }) })
    const { rows } = await page.get<Page<AnnouncementSummary>>('api/announcements')
    expect(rows.map(({ id }) => id)).toEqual([own])
    expect((await page.get<{ health: Health }>('api/state')).health.pausedByError.map(({ id }) => id)).toEqual([own])
    expect((await page.ask(`api/announcements/${own}`)).status).toBe(200)
    const asked = (id: number) => [
      page.ask(`api/announcements/${id}`),
      page.ask('api/export', posted({ announcement: id })),
      page.ask('api/recipient', posted({ text: ASHA, announcement: id })),
      page.ask('api/act', posted({ act: 'announcement', announcement: id, to: 'cancelled' })),
      page.ask('api/act', posted({ act: 'retry_announcement', announcement: id })),
    ]
    const [there, missing] = [await Promise.all(asked(theirs)), await Promise.all(asked(999))]
    expect(there.map(({ text }) => text)).toEqual(missing.map(({ text }) => text))
    expect(there.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(await page.act({ act: 'announcement', announcement: own, to: 'running' })).toMatchObject({ count: 1 })
  })
})

describe('the last day and week on the admin page', () => {
  const at = useStage()

  async function told(customer: string, receivedAt: number, number = 'default') {
    const given = delivery({ receivedAt })
    const of = { number, customer, lane: `${number}/${customer}` }
    await at.store.ingest(await seqOf(at.store, given), ingested(item(of)), receivedAt)
    return given.deliveryId
  }

  async function answered(customer: string, by: string | undefined, settledAt: number) {
    const one = send({ customer, lane: `default/${customer}/out`, delivery: by, createdAt: settledAt })
    await at.store.settleSend(await attempting(at.store, one), one.id, ACCEPTED, { now: settledAt, goOn: false })
  }

  // The page's clock is one minute after T0, at nine in UTC.
  it('count messages, answers, failures and waits by hour and by day, and the median time to the answer', async () => {
    const yesterday = await told(ASHA, T0 - 24 * HOUR)
    await answered(ASHA, yesterday, T0 - 24 * HOUR + 1_000)
    const early = await told(JUMA, T0 - 3 * HOUR)
    await answered(JUMA, early, T0 - 3 * HOUR + 4_000)
    await told(NEEMA, T0, 'branch')
    await at.store.takeOver({ number: 'branch', customer: NEEMA, by: 'person', since: T0, until: T0 + 24 * HOUR })
    const { hours, days, countedFrom } = await at.page().get<TrendView>('api/trend')
    expect(countedFrom).toBeUndefined()
    expect([hours.length, days.length]).toEqual([24, 7])
    expect(hours.at(-1)).toMatchObject({ from: '2026-03-04T09:00:00.000Z', received: 1, answered: 0, waiting: 1 })
    expect(hours.at(-4)).toEqual({
      from: '2026-03-04T06:00:00.000Z',
      received: 1,
      answered: 1,
      failed: 0,
      waiting: 0,
      answerMs: 4_000,
    })
    expect(days.slice(-2)).toMatchObject([
      { from: '2026-03-03T00:00:00.000Z', received: 1, answerMs: 1_000 },
      { from: '2026-03-04T00:00:00.000Z', received: 2, answered: 1 },
    ])
  })

  it('begin their days as the visitor’s clock does', async () => {
    await told(ASHA, Date.parse('2026-03-03T22:00:00Z'))
    const { days } = await at.page().get<TrendView>('api/trend?offset=180')
    expect(days.at(-1)).toMatchObject({ from: '2026-03-03T21:00:00.000Z', received: 1 })
    for (const offset of ['x', '9999', '1.5'])
      expect((await at.page().ask(`api/trend?offset=${offset}`)).status).toBe(400)
  })

  it('are read once a minute, however many people look, and show a tenant their own numbers alone', async () => {
    await told(ASHA, T0)
    await arrive(at.store, [item({ number: 'branch', customer: JUMA, lane: `branch/${JUMA}` })], T0)
    const received = async (page: ReturnType<typeof at.page>) =>
      (await page.get<TrendView>('api/trend')).days.reduce((sum, { received: one }) => sum + one, 0)
    expect(await received(at.page())).toBe(2)
    await told(NEEMA, T0)
    expect(await received(at.page())).toBe(2)
    expect(await received(at.page({ authorize: () => ({ name: 'neema', numbers: ['branch'] }) }))).toBe(1)
    expect(await received(at.page({ authorize: () => ({ name: 'neema', numbers: [] }) }))).toBe(0)
  })
})
