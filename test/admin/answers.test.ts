import { describe, expect, it } from 'vitest'
import type {
  ActRecord,
  CustomerView,
  DeliverySummary,
  DeliveryView,
  Found,
  SendSummary,
  SendView,
  State,
} from '../../src/admin/api.ts'
import type { ConversationSummary } from '../../src/features/conversations/conversation-api.ts'
import type { Page, Preview } from '../../src/admin/requests.ts'
import { arrive, attempting, begin } from '../store/acts.ts'
import { ASHA, item, send, T0 } from '../store/samples.ts'
import { CANARY, dead, posted, quarantined, useStage } from './stage.ts'

const HOUR = 3_600_000
const UNKNOWN = { as: 'unknown', code: undefined, reason: `no answer for +${CANARY.customer}, ${CANARY.name}` } as const

describe("the admin page's answers", () => {
  const at = useStage()
  const NEXT = { now: T0, goOn: false }

  const mine = (given: Parameters<typeof send>[0] = {}) =>
    send({ customer: CANARY.customer, lane: `default/${CANARY.customer}/out`, ...given })

  async function unknown() {
    const one = mine({ body: JSON.stringify({ to: CANARY.customer, text: CANARY.text }) })
    const fence = await attempting(at.store, one)
    await at.store.settleSend(fence, one.id, UNKNOWN, NEXT)
    return one
  }

  async function conversation() {
    const who = { number: 'default', customer: CANARY.customer }
    const opens = { ...who, id: 'c_one', name: 'booking', version: 1, input: undefined }
    await arrive(at.store, [item({ customer: CANARY.customer, lane: `default/${CANARY.customer}` })])
    const { fence, item: begun } = await begin(at.store)
    const waits = { step: 0, for: 'answer' as const, since: T0, dueAt: T0 + HOUR }
    const steps = [{ step: 0, kind: 'ask' as const, name: 'day', result: undefined }]
    const conversations = [{ id: 'c_one', opens, steps, next: { waits } }]
    await at.store.settleItem(fence, begun.id, { as: 'done', changes: { conversations } }, NEXT)
  }

  const statesIn = async () => {
    const { rows } = await at.page().get<Page<DeliverySummary>>('api/deliveries')
    return rows.map(({ states }) => Object.keys(states).join())
  }

  it('show at a glance what waits for a person, and how much else waits', async () => {
    await dead(at.store)
    await dead(at.store)
    await quarantined(at.store)
    await unknown()
    await at.store.openSend(mine({ dueAt: T0 + HOUR }))
    await at.store.openSend(mine())
    await conversation()
    const { health } = await at.page().get<State>('api/state')
    expect(health).toMatchObject({
      resting: { dead: 2, parked: 0, quarantined: 1, conflict: 0, suspected_replay: 0 },
      sends: { ready: 1, scheduled: 1, held: 0, unknown: 1 },
      conversations: 1,
      waiting: { deliveries: 0, items: 0, sends: 2 },
      lagMs: 0,
    })
  })

  it('have a mark that differs after each change, and only then', async () => {
    const markOf = async () => (await at.page().get<State>('api/state')).mark
    const before = await markOf()
    expect(await markOf()).toBe(before)
    const seq = await dead(at.store)
    const after = await markOf()
    expect(after).not.toBe(before)
    await at.page().act({ act: 'retry', deliveries: [seq] })
    expect(await markOf()).not.toBe(after)
  })

  it('list deliveries by state, a page at a time, each once', async () => {
    const seqs = [await dead(at.store), await dead(at.store), await dead(at.store)]
    const { seq: unread } = await quarantined(at.store)
    await arrive(at.store, [item()])
    const page = at.page()
    const first = await page.get<Page<DeliverySummary>>('api/deliveries?state=dead&limit=2')
    const second = await page.get<Page<DeliverySummary>>(`api/deliveries?state=dead&limit=2&after=${first.next}`)
    expect([...first.rows, ...second.rows].map(({ seq }) => seq)).toEqual(seqs.toReversed())
    expect(second.next).toBeUndefined()
    const both = await page.get<Page<DeliverySummary>>('api/deliveries?state=quarantined&state=stored')
    expect(both.rows).toHaveLength(2)
    expect(both.rows.map(({ seq }) => seq)).toContain(unread)
  })

  it('list scheduled sends in order of their times, including equal times', async () => {
    const times = [T0 + 2 * HOUR, T0 + HOUR, T0 + HOUR, T0 + 3 * HOUR]
    for (const dueAt of times) await at.store.openSend(mine({ dueAt }))
    const page = at.page()
    const found: string[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const got: Page<SendSummary> = await page.get(`api/sends?state=scheduled&limit=1${after}`)
      found.push(...got.rows.map(({ dueAt }) => dueAt ?? ''))
      next = got.next
    }
    expect(found).toEqual(times.sort((a, b) => a - b).map((time) => new Date(time).toISOString()))
  })

  it('find a delivery by its number and id, a send by its id, key and ref, and a customer by number', async () => {
    const seq = await dead(at.store)
    const { id } = await quarantined(at.store)
    const one = mine({ ref: 'order-1042' })
    await at.store.openSend(one)
    const search = (text: string) => at.page().post<Found>('api/search', { text })
    expect((await search(String(seq))).deliveries).toMatchObject([{ seq }])
    expect((await search(id.toLowerCase())).deliveries).toMatchObject([{ id }])
    for (const text of [one.id, one.key, 'order-1042'])
      expect((await search(text)).sends).toMatchObject([{ id: one.id }])
    await at.store.optOut({ number: 'default', customer: CANARY.customer, at: T0, how: 'web form' })
    const { customers } = await search(`+${CANARY.customer.slice(0, 3)} ${CANARY.customer.slice(3)}`)
    expect(customers).toEqual([{ number: 'default', customer: '…543', handle: expect.any(String) }])
    const customer = await at.page().get<CustomerView>(`api/customers/${customers[0]?.handle}`)
    expect(customer.thread).toMatchObject([{ by: 'customer', kind: 'text', text: '[12 characters]' }])
    expect(customer.deliveries.at(-1)).toMatchObject({ seq })
    expect(customer.optedOut).toEqual({ at: new Date(T0).toISOString(), how: 'web form' })
    expect((await search('255700000000')).customers).toEqual([])
  })

  it('requeue one delivery, and explain why others are not requeued', async () => {
    const seq = await dead(at.store)
    const done = await arrive(at.store, [item({ customer: ASHA })])
    const result = await at.page().act({ act: 'retry', deliveries: [done, seq] })
    expect(result).toEqual({ count: 1, untouched: [{ what: `delivery ${done}`, why: 'it waits already' }] })
    expect(await statesIn()).toEqual(['stored', 'stored'])
  })

  it('requeue nothing if another delivery matches since the preview, or the filter differs', async () => {
    await dead(at.store)
    const page = at.page()
    const filter = { states: ['dead' as const] }
    const { token } = await page.post<Preview>('api/preview', { filter })
    await dead(at.store)
    const act = (body: object) => page.ask('api/act', posted({ act: 'retry', token, ...body }))
    expect(await act({ filter })).toMatchObject({ status: 409, body: { error: 'changed' } })
    expect(await act({ filter: { states: ['dead', 'parked'] } })).toMatchObject({ status: 409 })
    expect(await act({ filter: {} })).toMatchObject({ status: 400, body: { error: 'invalid' } })
    expect(await statesIn()).toEqual(['dead', 'dead'])
  })

  it('requeue nothing if another item of a delivery waits for a person since the preview', async () => {
    const two = ['a', 'b'].map((lane, idx) => item({ idx, lane: `default/${lane}` }))
    await arrive(at.store, two)
    const die = async () => {
      const { fence, work } = (await at.store.claimItems({ processName: 'one', limit: 1, now: T0, leaseMs: 9 }))
        .begun[0]!
      await at.store.settleItem(fence, work.id, { as: 'dead', reason: 'x' }, NEXT)
    }
    await die()
    const page = at.page()
    const filter = { states: ['dead' as const] }
    const { token } = await page.post<Preview>('api/preview', { filter })
    await die()
    const acted = await page.ask('api/act', posted({ act: 'retry', filter, token }))
    expect(acted).toMatchObject({ status: 409, body: { error: 'changed' } })
    expect(await statesIn()).toEqual(['dead'])
    const again = await page.post<Preview>('api/preview', { filter })
    expect(await page.act({ act: 'retry', filter, token: again.token })).toMatchObject({ count: 2 })
  })

  it('settle an unknown send as chosen, and list the possible choices if that one is not', async () => {
    const { id } = await unknown()
    const page = at.page()
    expect((await page.get<SendView>(`api/sends/${id}`)).possible).toEqual(['accepted', 'resend', 'drop'])
    expect(await page.act({ act: 'resolve', send: id, as: 'accepted' })).toMatchObject({ count: 1 })
    expect(await page.get(`api/sends/${id}`)).toMatchObject({ state: 'accepted', possible: [] })
    const again = await page.ask('api/act', posted({ act: 'resolve', send: id, as: 'drop' }))
    expect(again).toMatchObject({ status: 409, body: { error: 'not_possible' } })
  })

  it('resume the sends of a stopped number', async () => {
    const one = mine()
    const fence = await attempting(at.store, one)
    const stopped = { stopped: true, closedUntil: T0 + HOUR, inARow: 1, code: 'not_authenticated', reason: 'no' }
    const postponed = { as: 'postponed', code: 'not_authenticated', reason: 'no' } as const
    await at.store.settleSend(fence, one.id, postponed, NEXT, { number: 'default', move: stopped })
    const page = at.page()
    expect((await page.get<State>('api/state')).health).toMatchObject({
      sends: { held: 1 },
      throttled: [{ number: 'default', stopped: true, code: 'not_authenticated' }],
    })
    expect((await page.get<Page<SendSummary>>('api/sends?state=held')).rows).toMatchObject([{ id: one.id }])
    expect((await page.act({ act: 'resume', number: 'default' })).count).toBeGreaterThan(0)
    expect(await page.ask('api/act', posted({ act: 'resume', number: 'other' }))).toMatchObject({ status: 404 })
  })

  it('concern no number but those that a person may see, whatever they ask for or do', async () => {
    const elsewhere = { number: 'branch', customer: ASHA, lane: `branch/${ASHA}` }
    const theirs = await arrive(at.store, [item(elsewhere)])
    const { fence, item: begun } = await begin(at.store)
    await at.store.settleItem(fence, begun.id, { as: 'dead', reason: 'x' }, NEXT)
    const mySeq = await dead(at.store)
    const theirSend = send({ number: 'branch', lane: `branch/${ASHA}/out`, dueAt: T0 + HOUR })
    for (const one of [theirSend, mine({ dueAt: T0 + HOUR })]) await at.store.openSend(one)
    const all = at.page({ authorize: () => ({ name: 'amani' }) })
    const limited = at.page({ authorize: () => ({ name: 'neema', numbers: ['default'] }) })

    for (const list of ['deliveries', 'sends?state=scheduled']) {
      const numbersIn = async (page: typeof all) =>
        JSON.stringify((await page.get<Page<unknown>>(`api/${list}`)).rows).match(/"number":"\w+"/g)
      expect(new Set(await numbersIn(all)), list).toEqual(new Set(['"number":"branch"', '"number":"default"']))
      expect(new Set(await numbersIn(limited)), list).toEqual(new Set(['"number":"default"']))
    }
    const { items } = await all.get<DeliveryView>(`api/deliveries/${theirs}`)
    const customer = items[0]?.handle ?? ''
    const views = ['deliveries?number=branch', `deliveries/${theirs}`, `sends/${theirSend.id}`, `customers/${customer}`]
    for (const view of views) {
      expect((await all.ask(`api/${view}`)).status, view).toBe(200)
      expect((await limited.ask(`api/${view}`)).status, view).toBe(404)
      expect((await limited.ask('api/reveal', posted({ view: `api/${view}` }))).status, view).toBe(404)
    }
    const filter = { states: ['dead'] }
    expect((await limited.ask('api/preview', posted({ filter: { ...filter, number: 'branch' } }))).status).toBe(404)
    const preview = await limited.post<Preview>('api/preview', { filter })
    expect(preview).toMatchObject({ deliveries: 1 })
    expect(await limited.post<Found>('api/search', { text: ASHA })).toMatchObject({ customers: [] })
    const acts = [
      { act: 'retry', deliveries: [mySeq, theirs] },
      { act: 'cancel', send: theirSend.id },
      { act: 'resolve', send: theirSend.id, as: 'drop' },
      { act: 'resume' },
    ]
    // A delivery without items may be of any number.
    const unread = await arrive(at.store, [])
    const before = await at.store.counts()
    const both = { act: 'retry', deliveries: [mySeq, unread] }
    for (const act of [...acts, both]) expect((await limited.ask('api/act', posted(act))).status, act.act).toBe(404)
    expect(await at.store.counts()).toEqual(before)
    expect(await limited.post('api/act', { act: 'retry', filter, token: preview.token })).toMatchObject({ count: 1 })
  })

  it('show a delivery with items of several numbers to nobody who may not see all of them', async () => {
    const two = [item(), item({ idx: 1, number: 'branch', lane: `branch/${ASHA}` })]
    const shared = await arrive(at.store, two)
    const limited = at.page({ authorize: () => ({ name: 'neema', numbers: ['default'] }) })
    const acting = at.page({ authorize: () => ({ name: 'neema', write: true, numbers: ['default'] }) })
    const { rows } = await at.page().get<Page<DeliverySummary>>('api/deliveries')
    const customer = rows[0]?.items.find(({ number }) => number === 'default')?.handle
    expect((await limited.ask(`api/deliveries/${shared}`)).status).toBe(404)
    expect(await limited.get('api/deliveries')).toMatchObject({ rows: [] })
    expect(await limited.get(`api/customers/${customer}`)).toMatchObject({ deliveries: [] })
    // A parked delivery is read again with all its items.
    const parked = { state: 'parked', reason: 'x' } as const
    const waits = [item({ customer: CANARY.customer, ...parked }), item({ idx: 1, number: 'branch', ...parked })]
    await arrive(at.store, waits)
    const filter = { states: ['parked'] }
    expect(await at.page().post('api/preview', { filter })).toMatchObject({ deliveries: 1 })
    const preview = await acting.post<Preview>('api/preview', { filter })
    expect(preview).toMatchObject({ deliveries: 0 })
    expect(await acting.post('api/act', { act: 'retry', filter, token: preview.token })).toMatchObject({ count: 0 })
  })

  it('have a mark that shows nothing of other numbers', async () => {
    const one = send({ number: 'branch', lane: `branch/${ASHA}/out` })
    const postponed = { as: 'postponed', code: 'no_plan', reason: 'no' } as const
    const move = { stopped: true, closedUntil: T0 + HOUR, inARow: 1, code: 'no_plan', reason: 'no' }
    await at.store.settleSend(await attempting(at.store, one), one.id, postponed, NEXT, { number: 'branch', move })
    const limited = at.page({ authorize: () => ({ name: 'neema', numbers: ['default'] }) })
    expect((await at.page().get<State>('api/state')).health.throttled).toMatchObject([{ number: 'branch' }])
    expect(JSON.stringify(await limited.get<State>('api/state'))).not.toContain('branch')
  })

  it('list open conversations, and end one', async () => {
    await conversation()
    const page = at.page()
    expect((await page.get<Page<ConversationSummary>>('api/conversations')).rows).toMatchObject([
      { id: 'c_one', name: 'booking', steps: 1, waits: { for: 'answer' } },
    ])
    const [{ handle } = { handle: '' }] = (await page.get<Page<ConversationSummary>>('api/conversations')).rows
    const shown = async () => (await page.get<CustomerView>(`api/customers/${handle}`)).conversation
    expect(await shown()).toMatchObject({ id: 'c_one', name: 'booking' })
    expect(await page.act({ act: 'end_conversation', conversation: 'c_one' })).toMatchObject({ count: 1 })
    expect((await page.get<Page<ConversationSummary>>('api/conversations')).rows).toEqual([])
    expect(await shown()).toBeUndefined()
    const again = await page.ask('api/act', posted({ act: 'end_conversation', conversation: 'c_one' }))
    expect(again).toMatchObject({ status: 409 })
  })

  it('record every act and every reveal, notify the hooks, and name nobody but the person who acted', async () => {
    const seq = await dead(at.store)
    const page = at.page()
    const { rows } = await page.get<Page<DeliverySummary>>('api/deliveries')
    const customer = rows[0]?.items[0]?.handle ?? ''
    await page.act({ act: 'resume', number: 'default' })
    await page.post('api/reveal', { view: `api/customers/${customer}` })
    await page.act({ act: 'retry', deliveries: [seq] })
    const acts = await page.get<Page<ActRecord>>('api/acts')
    const time = new Date(T0 + 60_000).toISOString()
    expect(acts.rows).toEqual([
      { seq: 3, at: time, who: 'neema', act: 'retry', what: `delivery ${seq}`, count: 1 },
      { seq: 2, at: time, who: 'neema', act: 'reveal', what: 'customer …543 on default', count: 1 },
      { seq: 1, at: time, who: 'neema', act: 'resume', what: 'number default', count: 0 },
    ])
    expect(at.acted).toEqual(
      acts.rows.toReversed().map(({ who, act, what, count }) => ({ who, act, reason: what, count })),
    )
  })

  it('name the address of the desk, at which alone customers are answered', async () => {
    await dead(at.store)
    const page = at.page({ desk: '/desk/' })
    expect((await page.get<State>('api/state')).desk).toBe('/desk/')
    const { rows } = await page.get<Page<DeliverySummary>>('api/deliveries')
    const customer = rows[0]?.items[0]?.handle
    const write = { act: 'write', customer, key: 'a-message', seen: 9, text: 'Hello.' }
    for (const act of [write, { act: 'hand_over', customer }, { act: 'hand_back', customer }])
      expect(await page.ask('api/act', posted(act))).toMatchObject({ status: 400, body: { error: 'invalid' } })
    for (const desk of ['javascript:alert(1)', 7] as never[])
      expect(() => at.page({ desk })).toThrow("desk: adminPage() expects an address such as '/desk/'")
  })

  it('record and count every search without its text', async () => {
    await dead(at.store)
    await at.store.openSend(mine({ ref: `order-${CANARY.customer}` }))
    const page = at.page()
    const search = (text: string) => page.ask('api/search', posted({ text }))
    for (const text of [`+${CANARY.customer}`, `order-${CANARY.customer}`, CANARY.name, 'order-255700000110'])
      expect((await search(text)).status).toBe(200)
    const { rows } = await page.get<Page<ActRecord>>('api/acts?limit=200')
    expect(rows).toMatchObject([
      { who: 'neema', act: 'search', what: 'a text with …110', count: 0 },
      { who: 'neema', act: 'search', what: '[13 characters]', count: 0 },
      { who: 'neema', act: 'search', what: 'a text with …543', count: 1 },
      { who: 'neema', act: 'search', what: 'customer …543', count: 1 },
    ])
    expect(at.acted.at(0)).toMatchObject({ act: 'search', who: 'neema', reason: 'customer …543', count: 1 })
  })

  it('find nothing by a number for a person without reveal, whether the number is right or not', async () => {
    const seq = await dead(at.store)
    const { id } = await quarantined(at.store)
    const one = mine({ ref: `order-${CANARY.customer}` })
    await at.store.openSend(one)
    const page = at.page({ reveal: false })
    const search = (text: string) => page.ask('api/search', posted({ text }))
    const numbers = [CANARY.customer, ASHA].flatMap((digits) => [
      digits,
      `+${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`,
      `order-${digits}`,
    ])
    for (const text of numbers)
      expect(await search(text), text).toMatchObject({ status: 403, body: { error: 'not_revealed' } })
    expect((await search(String(seq))).body).toMatchObject({ deliveries: [{ seq }] })
    expect((await search(id)).body).toMatchObject({ deliveries: [{ id }] })
    expect((await search(one.id)).body).toMatchObject({ sends: [{ id: one.id }] })
    // The app may have made a key of the number, and everybody can hash a guess.
    expect((await search(one.key)).body).toMatchObject({ sends: [] })
  })

  it('record which list was revealed, and nothing of a text that was not found', async () => {
    await dead(at.store)
    const page = at.page()
    await page.post('api/reveal', { view: 'api/conversations?limit=1' })
    const typed = await page.ask('api/reveal', posted({ view: `api/deliveries/${CANARY.customer}` }))
    expect(typed).toMatchObject({ status: 404, body: { error: 'not_found' } })
    const acts = await page.get<Page<ActRecord>>('api/acts')
    expect(acts.rows.map(({ what }) => what)).toEqual(['the list of conversations'])
  })

  it('show nobody’s number, name or text in any view, unless it is revealed', async () => {
    const seq = await dead(at.store)
    const { seq: unread } = await quarantined(at.store)
    const sent = await unknown()
    await conversation()
    await at.store.openSend(mine({ dueAt: T0 + HOUR, ref: `order of ${CANARY.customer}` }))
    const page = at.page()
    const { rows } = await page.get<Page<DeliverySummary>>('api/deliveries?state=dead')
    const handle = rows[0]?.items[0]?.handle ?? ''
    const views = `state deliveries deliveries?state=dead sends sends?state=scheduled conversations acts
        deliveries/${seq} deliveries/${unread} sends/${sent.id} customers/${handle}`.split(/\s+/)
    const secrets = [CANARY.customer, CANARY.text, CANARY.name]
    for (const view of views) {
      const { status, text } = await page.ask(`api/${view}`)
      expect(status, view).toBe(200)
      for (const secret of [...secrets, `"${sent.key}"`]) expect(text, view).not.toContain(secret)
    }
    const found = JSON.stringify(await page.post('api/search', { text: CANARY.customer }))
    for (const secret of secrets) expect(found).not.toContain(secret)
    const revealed = JSON.stringify(await page.post('api/reveal', { view: `api/deliveries/${seq}` }))
    for (const secret of secrets) expect(revealed).toContain(secret)
    const shown = await page.post<CustomerView>('api/reveal', { view: `api/customers/${handle}` })
    expect(shown).toMatchObject({ customer: CANARY.customer, name: CANARY.name })
    const send = JSON.stringify(await page.post('api/reveal', { view: `api/sends/${sent.id}` }))
    for (const secret of [CANARY.text, `"${sent.key}"`]) expect(send).toContain(secret)
  })

  it('explain a wrong query, and return nothing for it', async () => {
    const page = at.page()
    const errorOf = async (path: string, init?: RequestInit) => (await page.ask(path, init)).body
    expect(await errorOf('api/deliveries?state=odd')).toMatchObject({ error: 'invalid' })
    expect(await errorOf('api/deliveries?limit=100000')).toMatchObject({ error: 'invalid' })
    expect(await errorOf('api/sends?state=scheduled&after=12')).toMatchObject({ error: 'invalid' })
    expect(await errorOf('api/deliveries/999')).toMatchObject({ error: 'not_found' })
    expect(await errorOf('api/customers/made-up')).toMatchObject({ error: 'invalid' })
    expect(await errorOf('api/act', posted({ act: 'drop_table' }))).toMatchObject({ error: 'invalid' })
    expect(await errorOf('api/act', { ...posted({}), body: '{' })).toMatchObject({ error: 'invalid' })
    expect(await errorOf('api/act', { ...posted({}), body: `"${'x'.repeat(70_000)}"` })).toMatchObject({
      error: 'too_large',
    })
  })

  it('change nothing for a person with readOnly, and reveal nothing to a person without reveal', async () => {
    const seq = await dead(at.store)
    const looker = at.page({ readOnly: (who) => who === 'neema', reveal: (who) => who !== 'neema' })
    expect((await looker.get<State>('api/state')).me).toEqual({
      who: 'neema',
      readOnly: true,
      reveal: false,
      announce: false,
      retry: false,
      numbers: ['default'],
      everyNumber: true,
    })
    const act = await looker.ask('api/act', posted({ act: 'retry', deliveries: [seq] }))
    expect(act).toMatchObject({ status: 403, body: { error: 'read_only' } })
    const reveal = await looker.ask('api/reveal', posted({ view: `api/deliveries/${seq}` }))
    expect(reveal).toMatchObject({ status: 403, body: { error: 'not_revealed' } })
    expect(await statesIn()).toEqual(['dead'])
    expect((await looker.get<Page<ActRecord>>('api/acts')).rows).toEqual([])
  })
})
