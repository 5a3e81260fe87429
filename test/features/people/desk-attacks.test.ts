import { describe, expect, it } from 'vitest'
import { DESK_BODIES } from '../../../src/features/people/desk/desk-api.ts'
import { ROUTES } from '../../../src/features/people/desk/desk-routes.ts'
import { createHandles } from '../../../src/admin/handles.ts'
import { PAGE_POLICY } from '../../../src/base/built-page.ts'
import { BARAKA, NEEMA, openDesk } from '../../support/desk-client.ts'
import { arrive, handle, outboxOf } from '../../store/acts.ts'
import { ASHA, item, T0 } from '../../store/samples.ts'
import { CANARY, posted, useStage } from '../../admin/stage.ts'

interface Row {
  /** What it says, to the customer of a handle. */
  readonly ask: (customer: string) => readonly [path: string, body?: unknown]
  readonly needs?: 'write' | 'reveal'
  /** It names a customer. */
  readonly names?: true
}

const SEEN = { message: 99, send: 99 }
const act = (given: object): Row => ({
  ask: (customer) => ['act', { customer, ...given }],
  needs: 'write',
  names: true,
})

/** All that can be asked of the desk. */
const ASKED: Readonly<Record<string, Row>> = {
  state: { ask: () => ['state'] },
  manifest: { ask: () => ['manifest'] },
  queue: { ask: () => ['queue?list=recent'] },
  stream: { ask: () => ['stream?browser=theirs'] },
  templates: { ask: (customer) => [`templates/${customer}`], names: true },
  search: { ask: () => ['search', { text: CANARY.text }], needs: 'reveal' },
  visit: { ask: (customer) => ['visit', { customer }], names: true },
  presence: { ask: (customer) => ['presence', { customer, typing: true }], names: true },
  upload: { ask: () => ['upload?name=a.pdf&type=application/pdf', 'x'], needs: 'write' },
  'act write': act({ act: 'write', key: 'a-message', seen: SEEN, text: 'Hello.' }),
  'act take': act({ act: 'take' }),
  'act pass': act({ act: 'pass', to: 'baraka', note: 'x' }),
  'act note': act({ act: 'note', note: 'x' }),
  'act dismiss': act({ act: 'dismiss', seen: SEEN, confirmed: true }),
  'act snooze': act({ act: 'snooze', minutes: 5 }),
  'act give_back': act({ act: 'give_back', answer: 'waiting' }),
}
const ROWS = Object.entries(ASKED)
const NAMING = ROWS.filter(([, { names }]) => names)
const isPost = ([name]: readonly [string, Row]) => ROUTES[name.split(' ')[0] ?? '']?.[0] === 'POST'
const POSTS = ROWS.filter(isPost)
const GETS = ROWS.filter((row) => !isPost(row))

const GUEST = { name: 'guest' }
const READER = { name: 'reader', reveal: true }
const BRANCH = { name: 'zuri', write: true, reveal: true, numbers: ['branch'] }
const NOWHERE = { name: 'nobody', write: true, reveal: true, numbers: [] }

describe('an attacker at the desk', () => {
  const at = useStage()

  async function open() {
    const facts = JSON.stringify({ values: { ...CANARY, kind: 'text' }, sure: [] })
    const who = { number: 'default', customer: CANARY.customer }
    await at.store.takeOver({ ...who, by: 'person', since: T0, until: T0 + 3_600_000 })
    await arrive(at.store, [item({ ...who, lane: `default/${CANARY.customer}`, facts })])
    await handle(at.store, { as: 'rested', leftToPerson: 'wrote' })
    await at.store.addNote(who, { who: 'neema', note: CANARY.text }, T0)
    const people = [NEEMA, BARAKA, GUEST, READER, BRANCH, NOWHERE]
    const stored: unknown[] = []
    const store = (file: unknown) => {
      stored.push(file)
      return 'https://files.shop.test/1'
    }
    const desk = openDesk(at.bot, people, { store })
    const neema = desk.as(NEEMA)
    const customer = (await neema.queue()).rows[0]?.customer ?? ''
    const before = await left()
    return {
      ...desk,
      neema,
      customer,
      /** Nothing has changed, and nobody was recorded as having done or read something. */
      async expectUntouched(...attackers: string[]) {
        expect(await left()).toEqual(before)
        expect(stored).toEqual([])
        const { acts } = await at.store.listActs({ limit: 99 })
        expect(
          acts.filter(({ who }) => attackers.includes(who) || attackers.length === 0).map(({ what }) => what),
        ).toEqual([])
      },
    }

    async function left() {
      const one = { number: 'default', customer: CANARY.customer }
      const { messages, notes } = await at.store.chatOf(one, { limit: 99 })
      return { rows: await at.store.peopleRows([one]), messages, notes, sends: await outboxOf(at.store) }
    }
  }

  /** A request as the page makes it. */
  async function send(
    fetched: (path: string, init?: RequestInit) => Promise<Response>,
    [name, row]: readonly [string, Row],
    customer: string,
    headers: Record<string, string> = {},
  ) {
    const [path, body] = row.ask(customer)
    const init = isPost([name, row]) ? posted(body, headers) : { headers }
    const answer = await fetched(`api/${path}`, init)
    const isStream = answer.headers.get('content-type') === 'text/event-stream'
    if (isStream) await answer.body?.cancel()
    expect(answer.headers.get('content-security-policy'), name).toBe(PAGE_POLICY)
    expect(answer.headers.get('x-content-type-options'), name).toBe('nosniff')
    expect(answer.headers.get('access-control-allow-origin'), name).toBe(null)
    expect(answer.headers.get('cache-control'), name).toContain('no-store')
    return { status: answer.status, text: isStream ? '' : await answer.text() }
  }

  it('finds each route and each act of the desk in this table', () => {
    const acts = DESK_BODIES.act.options.map(({ shape }) => `act ${shape.act.value}`)
    const routes = Object.keys(ROUTES).filter((name) => name !== 'act')
    expect(Object.keys(ASKED).toSorted()).toEqual([...routes, ...acts].toSorted())
  })

  it('gets nothing without a name, whatever is asked', async () => {
    const { as, customer, expectUntouched } = await open()
    const stranger = as({ name: 'a stranger' })
    for (const row of ROWS) expect((await send(stranger.fetched, row, customer)).status, row[0]).toBe(401)
    for (const path of ['', 'index.html', 'assets/index.js', 'manifest.webmanifest'])
      expect((await stranger.fetched(path)).status, path).toBe(401)
    await expectUntouched('a stranger')
  })

  it.each([GUEST, READER])('does nothing without the right to it, and reads nothing masked (%o)', async (person) => {
    const { as, customer, expectUntouched } = await open()
    const { reveal = false } = person as { reveal?: boolean }
    for (const row of ROWS) {
      const [name, { needs }] = row
      const { status, text } = await send(as(person).fetched, row, customer)
      const mayAsk = needs === undefined || (needs === 'reveal' && reveal)
      expect({ name, status }).toEqual({ name, status: mayAsk ? 200 : 403 })
      if (reveal) continue
      for (const secret of Object.values(CANARY)) expect(text, name).not.toContain(secret)
    }
    await expectUntouched('guest')
  })

  it.each([BRANCH, NOWHERE])('learns and does nothing of a number that is not theirs ($name)', async (person) => {
    const { as, customer, expectUntouched } = await open()
    for (const row of ROWS) {
      const [name, { names }] = row
      if (name === 'upload') continue
      const { status, text } = await send(as(person).fetched, row, customer)
      expect({ name, status }).toEqual({ name, status: names ? 404 : 200 })
      for (const secret of [...Object.values(CANARY), '"waiting":1', 'default']) {
        if (names && secret === 'default') continue
        expect(text, name).not.toContain(secret)
      }
    }
    // Not even whether there is such a customer.
    const missing = createHandles(await at.store.secret('admin')).handleOf({ number: 'default', customer: ASHA })
    for (const row of NAMING)
      expect(await send(as(person).fetched, row, missing), row[0]).toEqual(
        await send(as(person).fetched, row, customer),
      )
    expect((await as(person).ask('api/queue?number=default')).status).toBe(404)
    const { acts } = await at.store.listActs({ limit: 99 })
    expect(acts.filter(({ who }) => who === person.name).map(({ act }) => act)).toEqual(['search'])
    await expectUntouched('guest')
  })

  it('names no customer by a handle that was made up, changed, cut, or made by another database', async () => {
    const { neema, customer, expectUntouched } = await open()
    const other = createHandles(Buffer.alloc(32, 9)).handleOf({ number: 'default', customer: CANARY.customer })
    const swapped = `${customer.slice(0, -2)}${customer.endsWith('AA') ? 'BB' : 'AA'}`
    const { id = '' } = (await neema.queue()).rows[0] ?? {}
    const plain = Buffer.from(JSON.stringify(['default', CANARY.customer])).toString('base64url')
    const forged = [
      other,
      swapped,
      customer.slice(0, -4),
      id,
      plain,
      CANARY.customer,
      `default-${CANARY.customer}`,
      'x',
    ]
    for (const row of NAMING)
      for (const one of forged)
        expect({ name: row[0], one, status: (await send(neema.fetched, row, one)).status }).toEqual({
          name: row[0],
          one,
          status: 400,
        })
    // An address with one leads to no route, or to a refusal.
    for (const path of [`templates/../act`, `templates/${'A'.repeat(5_000)}`, 'templates/%2e%2e%2fstate'])
      expect([308, 400, 404, 405]).toContain((await neema.fetched(`api/${path}`)).status)
    await expectUntouched('zuri')
  })

  const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of its site', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin, from an old browser', { origin: 'https://evil.test' }],
    ['a page without an origin', { origin: 'null' }],
    ['an origin that begins alike', { origin: 'http://shop.test.evil.test' }],
    ['another port', { origin: 'http://shop.test:8080' }],
  ]

  it.each(FOREIGN)('makes nobody’s browser act from %s', async (_, headers) => {
    const { neema, customer, expectUntouched } = await open()
    const { acts } = await at.store.listActs({ limit: 99 })
    for (const row of POSTS) expect((await send(neema.fetched, row, customer, headers)).status, row[0]).toBe(403)
    const site = headers['sec-fetch-site']
    if (site === 'cross-site' || site === 'same-site')
      for (const row of GETS) expect((await send(neema.fetched, row, customer, headers)).status, row[0]).toBe(403)
    expect((await at.store.listActs({ limit: 99 })).acts).toEqual(acts)
    await expectUntouched('zuri')
  })

  it('makes nobody’s browser act by a form, without the header of the page', async () => {
    const { neema, customer, expectUntouched } = await open()
    for (const [name, row] of POSTS)
      for (const type of [
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]) {
        const [path, body] = row.ask(customer)
        const init = { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) }
        expect((await neema.fetched(`api/${path}`, init)).status, `${name} as ${type}`).toBe(403)
      }
    await expectUntouched('zuri')
  })

  it('acts by no other method, nor by a part of an address', async () => {
    const { neema, customer, expectUntouched } = await open()
    for (const [name, row] of ROWS)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const isOwn = method === (isPost([name, row]) ? 'POST' : 'GET')
        if (isOwn || (method === 'HEAD' && !isPost([name, row]) && name !== 'stream')) continue
        const [path] = row.ask(customer)
        const { status } = await neema.fetched(`api/${path}`, { method, headers: { 'x-switchhook-admin': '1' } })
        expect({ name, method, status }).toEqual({ name, method, status: 405 })
      }
    await expectUntouched('zuri')
  })

  it('sends no address to a customer but a public one of https', async () => {
    const { neema, customer, expectUntouched } = await open()
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'file:///etc/passwd',
      'http://files.shop.test/1',
      'https://127.0.0.1/1',
      'https://[::1]/1',
      'https://169.254.169.254/latest/meta-data',
      'https://user:secret@files.shop.test/1',
      'blob:https://shop.test/1',
    ]) {
      const media = { kind: 'document', url } as const
      const { status } = await neema.act({
        act: 'write',
        customer,
        key: 'a-file-1',
        seen: SEEN,
        confirmed: true,
        media,
      })
      expect({ url, status }).toEqual({ url, status: 409 })
    }
    await expectUntouched('zuri')
  })

  it('has at most four streams in a browser, and 20 under a name', async () => {
    const { neema } = await open()
    const streams: Response[] = []
    const statuses: number[] = []
    for (let nth = 0; nth < 25; nth++) {
      const stream = await neema.fetched(`api/stream?browser=${nth < 6 ? 'one' : `of-${nth}`}`)
      statuses.push(stream.status)
      streams.push(stream)
    }
    expect(statuses.slice(0, 6)).toEqual([200, 200, 200, 200, 409, 409])
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    // One that ends makes room for another.
    await streams[0]?.body?.cancel()
    const again = await neema.fetched('api/stream?browser=one')
    expect(again.status).toBe(200)
    for (const { body } of [...streams, again]) await body?.cancel()
  })
})
