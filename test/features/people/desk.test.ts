import { createServer } from 'node:http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { desk } from '../../../src/features/people/desk/desk.ts'
import type { Chat, DeskState, QueuePage } from '../../../src/features/people/desk/desk-api.ts'
import type { ActRecord, State } from '../../../src/admin/api.ts'
import type { AnnouncementSummary } from '../../../src/features/announcements/announcement-api.ts'
import type { Page } from '../../../src/admin/requests.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { BARAKA, NEEMA, openDesk } from '../../support/desk-client.ts'
import { arrive, handle, outboxOf } from '../../store/acts.ts'
import { ASHA, item, T0 } from '../../store/samples.ts'
import { announced } from '../../store/announced.ts'
import { CANARY, posted, useStage } from '../../admin/stage.ts'

const LOOKER = { name: 'looker' }
const READER = { name: 'reader', reveal: true }
const BRANCH = { name: 'zuri', write: true, reveal: true, numbers: ['branch'] }
const HOUR = 3_600_000

describe('the desk', () => {
  const at = useStage()
  const open = (o = {}) => openDesk(at.bot, [NEEMA, BARAKA, LOOKER, READER, BRANCH], o)

  /** A customer who wrote while a person had them. */
  async function waits(number = 'default', customer = CANARY.customer, text = CANARY.text) {
    const facts = JSON.stringify({ values: { customer, text, name: CANARY.name, kind: 'text' }, sure: [] })
    const who = { number, customer }
    await at.store.takeOver({ ...who, by: 'person', since: T0, until: T0 + HOUR })
    const seq = await arrive(at.store, [item({ ...who, lane: `${number}/${customer}`, facts })])
    await handle(at.store, { as: 'rested', leftToPerson: 'wrote' })
    return seq
  }

  it('shows number, name and words to those who may read, and hides them from others in every answer', async () => {
    await waits()
    await at.store.addNote({ number: 'default', customer: CANARY.customer }, { who: 'neema', note: CANARY.text }, T0)
    const [looker, reader] = [open().as(LOOKER), open().as(READER)]
    const [row] = (await reader.queue()).rows
    expect(row).toMatchObject({ phone: CANARY.customer, name: CANARY.name, last: { text: CANARY.text } })
    const { customer = '' } = (await looker.queue()).rows[0] ?? {}
    const answers = [
      await looker.state(),
      await looker.queue('recent'),
      await looker.queue(),
      await looker.visit(customer),
    ]
    const stream = await looker.fetched('api/stream')
    await stream.body?.cancel()
    for (const secret of Object.values(CANARY)) expect(JSON.stringify(answers)).not.toContain(secret)
    expect((await looker.visit(customer)).lines).toHaveLength(2)
    expect(await looker.post('search', { text: CANARY.text })).toMatchObject({
      status: 403,
      body: { error: 'not_revealed' },
    })
    expect((await at.store.listActs({ limit: 9 })).acts.filter(({ who }) => who === 'looker')).toEqual([])
  })

  it('has the beginning of a long text in the list, and all of it in the chat', async () => {
    const text = `The report: ${'a lot of words, '.repeat(200)}`
    await waits('default', CANARY.customer, text)
    const reader = open().as(READER)
    const { customer = '', last } = (await reader.queue()).rows[0] ?? {}
    expect(last?.text).toMatch(/^The report: a lot of words, .{100,}…$/)
    expect(last?.text?.length).toBeLessThanOrEqual(160)
    expect((await reader.visit(customer)).lines[0]?.text).toBe(text)
  })

  it('has the bot’s name for the header, and in what a phone keeps on its home screen', async () => {
    const person = open({ name: 'Mwanga Clinic', language: 'sw' }).as(NEEMA)
    expect(await person.state()).toMatchObject({ name: 'Mwanga Clinic' })
    expect((await person.ask('api/manifest')).body).toMatchObject({
      name: 'Mwanga Clinic',
      lang: 'sw',
      start_url: '../',
      icons: [{ src: '../icon.svg' }, { src: '../icon.png', sizes: '192x192' }],
    })
    const unnamed = open().as(NEEMA)
    expect((await unnamed.state()).name).toBeUndefined()
    expect((await unnamed.ask('api/manifest')).body).toMatchObject({ name: 'Desk' })
    expect(() => open({ name: '' })).toThrow('name: desk() expects the name of the bot')
  })

  it('lets nobody act who may only read', async () => {
    await waits()
    const reader = open({ store: () => 'https://files.shop.test/1' }).as(READER)
    const { customer = '' } = (await reader.queue()).rows[0] ?? {}
    const seen = { message: 99, send: 99 }
    const acts = [
      { act: 'write', customer, key: 'a-message', seen, text: 'Hello.' },
      { act: 'take', customer },
      { act: 'pass', customer, to: 'neema' },
      { act: 'note', customer, note: 'x' },
      { act: 'dismiss', customer, seen },
      { act: 'snooze', customer, minutes: 5 },
      { act: 'give_back', customer },
    ] as const
    for (const act of acts)
      expect(await reader.act(act), act.act).toMatchObject({ status: 403, body: { error: 'may_not_write' } })
    const uploading = await reader.ask('api/upload?name=a.pdf&type=application/pdf', posted('x'))
    expect(uploading.status).toBe(403)
    expect((await reader.queue()).rows).toMatchObject([{ state: 'waiting' }])
    expect(await outboxOf(at.store)).toEqual([])
  })

  it('refuses a person who may write and not read, and says why', async () => {
    const page = open({ authorize: () => ({ name: 'neema', write: true }) })
    const { status, body } = await page.as(NEEMA).ask('api/state')
    expect({ status, body }).toMatchObject({ status: 500, body: { error: 'failed' } })
    expect((body as { message: string }).message).toContain('write without reveal')
    expect(at.logged).toHaveLength(1)
    // On the admin page too.
    const admin = at.page({ authorize: () => ({ name: 'neema', write: true }), reveal: false })
    expect((await admin.ask('api/state')).text).toContain('write without reveal')
  })

  it('concerns no number but those that a person may see, whatever they ask for or do', async () => {
    await waits()
    await waits('branch', ASHA, 'hello')
    const [all, own] = [open().as(NEEMA), open().as(BRANCH)]
    for (const list of ['waiting', 'open', 'recent'] as const) {
      expect((await all.queue(list)).rows.map(({ number }) => number).toSorted(), list).toEqual(['branch', 'default'])
      expect(
        (await own.queue(list)).rows.map(({ number }) => number),
        list,
      ).toEqual(['branch'])
    }
    expect((await own.queue()).counts).toEqual({ waiting: 1, mine: 0 })
    expect((await own.ask('api/queue?number=default')).status).toBe(404)
    expect((await own.post<QueuePage>('search', { text: CANARY.text })).body.rows).toEqual([])
    expect((await own.post<QueuePage>('search', { text: CANARY.customer })).body.rows).toEqual([])
    const { customer = '' } = (await all.queue()).rows.find(({ number }) => number === 'default') ?? {}
    const seen = { message: 99, send: 99 }
    for (const [path, body] of [
      ['visit', { customer }],
      ['presence', { customer, typing: true }],
      ['act', { act: 'write', customer, key: 'to-another', seen, text: 'Hello.' }],
      ['act', { act: 'take', customer }],
      ['act', { act: 'pass', customer, to: 'zuri' }],
      ['act', { act: 'note', customer, note: 'x' }],
      ['act', { act: 'dismiss', customer, seen }],
      ['act', { act: 'snooze', customer, minutes: 5 }],
      ['act', { act: 'give_back', customer, answer: 'waiting' }],
    ] as const)
      expect((await own.post(path, body)).status, JSON.stringify(body)).toBe(404)
    expect((await own.ask(`api/templates/${customer}`)).status).toBe(404)
    expect((await all.queue()).rows).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }])
    expect(await outboxOf(at.store)).toEqual([])
  })

  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.test' }],
  ])('changes nothing for %s, and no stranger reads a stream', async (_, headers) => {
    await waits()
    const person = open().as(NEEMA)
    const { customer = '' } = (await person.queue()).rows[0] ?? {}
    const seen = { message: 99, send: 99 }
    for (const [path, body] of [
      ['act', { act: 'dismiss', customer, seen }],
      ['visit', { customer }],
      ['presence', { customer }],
      ['search', { text: 'x' }],
      ['upload?name=x&type=a/b', {}],
    ] as const)
      expect(await person.ask(`api/${path}`, posted(body, headers))).toMatchObject({ status: 403 })
    const bare = { ...posted({ act: 'take', customer }), headers: { 'content-type': 'application/json' } }
    expect((await person.ask('api/act', bare)).status).toBe(403)
    if (headers['sec-fetch-site'] === 'cross-site')
      expect((await person.fetched('api/stream', { headers })).status).toBe(403)
    expect((await person.queue()).rows).toMatchObject([{ state: 'waiting' }])
  })

  it('refuses what it does not know, in words, and a name that it did not make', async () => {
    const person = open({ colleagues: () => ['neema', 'baraka'], snippets: [{ name: 'hours', text: '9 to 17' }] }).as(
      NEEMA,
    )
    await waits()
    const { customer = '' } = (await person.queue()).rows[0] ?? {}
    const write = { act: 'write', customer, key: 'a-message', seen: { message: 9, send: 9 } } as const
    expect((await person.ask('api/queue?list=all')).status).toBe(400)
    expect((await person.ask('api/queue?limit=0')).status).toBe(400)
    expect((await person.post('visit', { customer: 'made-up' })).status).toBe(400)
    expect((await person.post('visit', { customer, before: '1' })).status).toBe(400)
    expect((await person.post('act', { act: 'drop_table', customer })).status).toBe(400)
    expect((await person.post('act', { ...write, more: 1, text: 'x' })).status).toBe(400)
    expect((await person.act(write)).status).toBe(400)
    expect((await person.act({ ...write, text: 'x', snippet: 'hours' })).status).toBe(400)
    expect((await person.act({ ...write, snippet: 'gone' })).status).toBe(404)
    expect((await person.act({ ...write, media: { kind: 'image', url: 'http://127.0.0.1/x.png' } })).status).toBe(409)
    expect((await person.act({ act: 'pass', customer, to: 'a stranger' })).status).toBe(404)
    expect((await person.ask('api/act')).status).toBe(405)
    expect((await person.ask('api/upload?name=x', posted({}))).status).toBe(404)
    expect((await person.ask('api/templates', {})).status).toBe(404)
    expect(await outboxOf(at.store)).toEqual([])
  })

  it('stores a file by the app’s own function under a harmless name, and no larger one than the limit', async () => {
    const stored: { name: string; type: string; size: number }[] = []
    const store = ({ name, type, bytes }: { name: string; type: string; bytes: Uint8Array }) => {
      stored.push({ name, type, size: bytes.length })
      return 'https://files.shop.test/1'
    }
    const person = open({ store }).as(NEEMA)
    const upload = (query: string, body: Uint8Array) =>
      person.ask(`api/upload?${query}`, { method: 'POST', headers: { 'x-switchhook-admin': '1' }, body: body as never })
    const name = encodeURIComponent('../../etc/\u202Epdf.exe')
    expect(await upload(`name=${name}&type=application/pdf`, Buffer.from('x'))).toMatchObject({
      status: 200,
      body: { url: 'https://files.shop.test/1' },
    })
    expect(stored).toEqual([{ name: '.._.._etc__pdf.exe', type: 'application/pdf', size: 1 }])
    expect((await upload('name=a&type=text/html;x', Buffer.from('x'))).status).toBe(400)
    expect((await upload('name=a&type=a/b', Buffer.alloc(16 * 1_048_576 + 1))).status).toBe(413)
    expect(stored).toHaveLength(1)
  })

  it('shows a long chat in portions, each line once', async () => {
    await waits()
    for (let nth = 0; nth < 120; nth++) {
      const facts = JSON.stringify({ values: { text: `line ${nth}` }, sure: [] })
      await arrive(at.store, [
        item({ customer: CANARY.customer, at: T0 + nth, facts, lane: `default/${CANARY.customer}` }),
      ])
    }
    const note = { who: 'neema', note: 'later than all' }
    await at.store.addNote({ number: 'default', customer: CANARY.customer }, note, T0 + 60)
    const person = open().as(NEEMA)
    const { customer = '' } = (await person.queue()).rows[0] ?? {}
    const lines: string[] = []
    let before: string | undefined
    do {
      const chat: Chat = await person.visit(customer, before)
      lines.unshift(...chat.lines.map(({ id }) => id))
      before = chat.before
    } while (before !== undefined)
    expect(lines).toHaveLength(122)
    expect(new Set(lines).size).toBe(122)
  })

  it('links to where the app signs people out', async () => {
    const state = async (o: object) => (await open(o).as(NEEMA).ask<DeskState>('api/state')).body.signOut
    expect(await state({})).toBeUndefined()
    expect(await state({ signOut: '/sign-out' })).toBe('/sign-out')
  })

  it.each([
    ['without authorize', {}, 'authorize'],
    ['with an unknown option', { authorize: () => NEEMA, colour: 'red' }, 'colour'],
    [
      'with one name for two snippets',
      {
        authorize: () => NEEMA,
        snippets: [
          { name: 'a', text: 'b' },
          { name: 'a', text: 'c' },
        ],
      },
      'snippets',
    ],
    [
      'with a script as the address for signing out',
      { authorize: () => NEEMA, signOut: 'javascript:alert(1)' },
      'signOut',
    ],
    ['with texts that are none', { authorize: () => NEEMA, texts: { send: 1 } }, 'texts'],
  ])('is not made %s', (_, o, name) => {
    expect(() => desk(at.bot, o as never)).toThrow(new RegExp(`^${name}: `))
  })

  it.each([
    [
      'Express',
      () => {
        const app = express()
        return app.use('/desk', page())
      },
    ],
    [
      'node:http',
      () => createServer((request, response) => page()(request, response)).listeners('request')[0] as never,
    ],
  ])('streams from %s, and ends with the reader', async (_, host) => {
    const { url } = await listenOn(host())
    const ending = new AbortController()
    const answer = await fetch(`${url}/desk/api/stream`, { signal: ending.signal })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(answer.headers.get('cache-control')).toContain('no-transform')
    const reader = answer.body?.getReader()
    let text = ''
    while (!text.includes('event: hello')) text += Buffer.from((await reader?.read())?.value ?? []).toString('utf8')
    ending.abort()
  })

  const page = () => desk(at.bot, { authorize: () => NEEMA })
})

describe('the admin page', () => {
  const at = useStage()

  it('counts who waits for a person, and announcements that an error paused, of the person’s numbers', async () => {
    for (const number of ['default', 'branch'])
      await at.store.takeOver({ number, customer: ASHA, by: 'person', since: T0, until: T0 + HOUR })
    await announce('branch', 'paused by an error')
    await at.page().act({ act: 'announcement', announcement: await announce('branch'), to: 'paused' })
    const needs = async (numbers?: string[]) => {
      const page = at.page({ authorize: () => ({ name: 'neema', ...(numbers && { numbers }) }) })
      const { customersWaiting, pausedByError } = (await page.get<State>('api/state')).health
      return [customersWaiting, pausedByError.length]
    }
    expect(await needs()).toEqual([2, 1])
    expect(await needs(['default'])).toEqual([1, 0])
  })

  it('shows a tenant its own announcements and its own record, and lets it change no other', async () => {
    const mine = await announce('default')
    const other = await announce('branch')
    const all = at.page({ authorize: () => 'amani' })
    const tenant = at.page({ authorize: () => ({ name: 'neema', numbers: ['default'] }) })
    const act = (id: number) => ({ act: 'announcement', announcement: id, to: 'paused' }) as const
    await all.act(act(other))
    await tenant.act(act(mine))
    expect((await tenant.ask('api/act', posted(act(other)))).status).toBe(404)
    const { rows } = await tenant.get<Page<AnnouncementSummary>>('api/announcements')
    expect(rows.map(({ id }) => id)).toEqual([mine])
    const record = await tenant.get<Page<ActRecord>>('api/acts')
    expect(record.rows.map(({ who }) => who)).toEqual(['neema'])
    expect((await all.get<Page<ActRecord>>('api/acts')).rows).toHaveLength(2)
  })

  it('keeps from announcements and from retries who has no right to them', async () => {
    const id = await announce('default')
    const page = at.page({ authorize: () => ({ name: 'neema', announce: false, retry: false }) })
    expect((await page.get<State>('api/state')).me).toMatchObject({ announce: false, retry: false, readOnly: false })
    for (const act of [
      { act: 'announcement', announcement: id, to: 'cancelled' },
      { act: 'retry_announcement', announcement: id },
      { act: 'retry', deliveries: [1] },
      { act: 'resume' },
      { act: 'cancel', send: 'x' },
      { act: 'resolve', send: 'x', as: 'drop' },
    ])
      expect(await page.ask('api/act', posted(act)), act.act).toMatchObject({ status: 403, body: { error: 'may_not' } })
    const preview = await page.ask('api/preview', posted({ filter: { states: ['dead'] } }))
    expect(preview).toMatchObject({ status: 403 })
  })

  async function announce(number: string, pausedBy?: string): Promise<number> {
    const name = JSON.stringify(['sale', number, pausedBy ?? ''])
    const id = await announced(at.store, [ASHA], { number, name })
    if (pausedBy !== undefined) await at.store.stopAnnouncement(id, { reason: pausedBy, now: T0 })
    return id
  }
})
