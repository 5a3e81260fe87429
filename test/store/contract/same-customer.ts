import { expect, it } from 'vitest'
import { erasing } from '../../../src/store/maintenance/maintenance.ts'
import { arrive, begin, beginNew, dueSend, itemsOf, outboxOf, seqOf, settle } from '../acts.ts'
import { ACCEPTED, beginning, claim, DAY, delivery, DONE, HOUR, item, LEASE_MS, REFUSED, send, T0 } from '../samples.ts'
import { announced, NEWS } from '../announced.ts'
import type { Stage } from './index.ts'
import type { NewConversation } from '../../../src/features/conversations/store/conversation-rows.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'

/** The customer by the rule, and the other spelling. */
const ANA = '5511987654321'
const OLD = '551187654321'
const OTHER = '255712000101'
const WHO = { number: 'default', customer: ANA }
const WAS = { number: 'default', customer: OLD }

const of = (digits: string) => (digits === OLD ? ANA : digits)
const keyOf = (...parts: readonly string[]) => `key ${parts.join('|')}`
const NOW = T0 + DAY
const MOVING = { processName: 'recustomer', leaseMs: LEASE_MS, now: NOW, of, keyOf }

const toOf = (body: string | undefined) => (JSON.parse(body ?? '{}') as { to?: string }).to

/** One customer whose number has several spellings. */
export function sameCustomer(at: Stage): void {
  const wrote = (spelling: string, time: number, given: object = {}) =>
    arrive(at.store, [item({ customer: ANA, at: time, ...given })], time, [{ ...WHO, lastAt: time, wroteAs: spelling }])
  const to = (given: Partial<NewSend> = {}) => send({ customer: ANA, body: bodyTo(ANA), ...given })
  const bodyTo = (digits: string) => JSON.stringify({ to: digits, type: 'text', text: 'hi' })
  const recustomer = () => at.store.recustomer(MOVING, 'digest')

  // ── the spelling to which a message goes ──────────────────────────────────────────────────────────

  it('sends to the spelling in which the customer last wrote, by the times of the messages', async () => {
    const fallback = { key: 'f', body: bodyTo(ANA) }
    expect(toOf((await at.store.openSend(to()))?.send.body)).toBe(ANA)
    await wrote(OLD, T0 + 1)
    await wrote(ANA, T0)
    const { send: row } = (await at.store.openSend(to({ fallback }))) ?? {}
    expect([toOf(row?.body), toOf(row?.fallback?.body), row?.customer]).toEqual([OLD, OLD, ANA])
    const begun = await at.store.openSend(to({ lane: 'default/x/out' }), { begin: beginning() })
    expect([begun?.send.state, toOf(begun?.send.body), toOf(begun?.begun?.work.send.body)]).toEqual([
      'attempting',
      OLD,
      OLD,
    ])
    await wrote(ANA, T0 + 2)
    expect(toOf((await at.store.openSend(to({ lane: 'default/y/out' })))?.send.body)).toBe(ANA)
    expect((await at.store.customerOf('default', ANA, T0)).wroteAs).toBe(ANA)
  })

  it('sends a message that waited to the spelling of a message that came meanwhile, and never changes bytes that went out', async () => {
    await at.store.openSend(to({ id: 'late', dueAt: T0 + HOUR }))
    await wrote(OLD, T0 + 1)
    const { fence, due } = await dueSend(at.store, { now: T0 + HOUR, serviceNow: T0 + HOUR })
    expect(toOf(due.send.body)).toBe(OLD)
    expect(toOf((await at.store.findSend({ id: 'late' }))?.body)).toBe(OLD)
    await at.store.beginSend(fence, 'late', 'freeform', T0 + HOUR)
    await wrote(ANA, T0 + 2)
    const again = await dueSend(at.store, { processName: 'heir', now: T0 + 2 * HOUR, serviceNow: T0 + 2 * HOUR })
    expect(toOf(again.due.send.body)).toBe(OLD)
  })

  it('finds a repeated send whatever its spelling, and an other text is an other text', async () => {
    const one = to({ key: 'k', body: bodyTo(OLD), asked: bodyTo(OLD) })
    await at.store.openSend(one)
    expect(await at.store.openSend({ ...one, body: bodyTo(ANA), asked: bodyTo(ANA) })).toMatchObject({
      found: 'known',
      diverged: false,
    })
    const signed = to({ key: 's', body: bodyTo(OLD).replace('hi', 'signed'), asked: bodyTo(OLD) })
    await at.store.openSend(signed)
    const repeat = { ...signed, body: bodyTo(ANA).replace('hi', 'signed later'), asked: bodyTo(ANA) }
    expect(await at.store.openSend(repeat)).toMatchObject({ found: 'known', diverged: false })
    const other = { ...one, body: bodyTo(OLD).replace('hi', 'bye'), asked: bodyTo(OLD).replace('hi', 'bye') }
    expect(await at.store.openSend(other)).toMatchObject({ found: 'known', diverged: true })
  })

  // ── opt-outs of forgotten customers ───────────────────────────────────────────────────────────────

  it('finds the opt-out of a forgotten spelling, and what was said later counts', async () => {
    const marketing = { at: T0, anyNumber: true }
    const stateOf = async (n: number) =>
      (await at.store.openSend(to({ marketing, lane: `default/${n}/out` })))?.send.state
    await at.store.optOut({ ...WAS, at: T0, how: 'message' })
    await at.store.forget(WAS, T0)
    expect(await stateOf(1)).toBe('ready')
    await at.store.adoptOptOuts(ANA, [ANA, OLD])
    expect(await stateOf(2)).toBe('skipped')
    await at.store.optIn({ ...WHO, at: T0 + 1, how: 'message' }, { anyNumber: true })
    await at.store.adoptOptOuts(ANA, [ANA, OLD])
    expect(await stateOf(3)).toBe('ready')
    await at.store.optOut({ ...WAS, at: T0 + 2, how: 'message' })
    await at.store.forget(WAS, T0)
    await at.store.adoptOptOuts(ANA, [ANA, OLD])
    expect(await stateOf(4)).toBe('skipped')
    await at.store.optOut({ ...WAS, at: T0, how: 'message' })
    await at.store.forget(WAS, T0)
    await at.store.optIn({ ...WHO, at: T0 + 3, how: 'message' }, { anyNumber: true })
    await at.store.adoptOptOuts(ANA, [ANA, OLD])
    expect(await stateOf(5)).toBe('ready')
  })

  it('does not announce again to a recipient who was forgotten under another spelling', async () => {
    const id = await announced(at.store, [OLD])
    await at.store.endRecipients(id, [{ customer: OLD, end: 'sent' }], T0)
    await at.store.forget(WAS, T0)
    const added = await at.store.addRecipients(id, [{ customer: ANA, forms: [ANA, OLD] }], T0)
    expect(added?.added).toBe(0)
  })

  it('erases what an unread delivery says of a forgotten customer, by each spelling', async () => {
    const named = await seqOf(at.store, delivery({ text: `call ${OLD}` }))
    await at.store.ingest(named, { state: 'quarantined', items: [], windows: [], statuses: [] }, T0)
    await at.store.forget({ ...WHO, forms: [ANA, OLD] }, T0)
    for await (const _ of erasing(at.store));
    expect(Buffer.from((await at.store.deliveryDetail(named))?.body ?? '').includes(OLD)).toBe(false)
  })

  // ── moving what is stored ─────────────────────────────────────────────────────────────────────────

  it('is empty until somebody is stored, and then names the newest customers', async () => {
    expect(await at.store.sameCustomer(9)).toEqual({ digest: undefined, newest: [] })
    expect(await at.store.hasCustomers()).toBe(false)
    await at.store.keepSameCustomer('one')
    await wrote(OLD, T0)
    await at.store.openSend(send({ customer: OTHER }))
    const { newest, ...rest } = await at.store.sameCustomer(9)
    expect(rest).toEqual({ digest: 'one' })
    expect(await at.store.hasCustomers()).toBe(true)
    expect(newest.toSorted((a, b) => (a.customer < b.customer ? -1 : 1))).toEqual([
      { customer: OTHER, wroteAs: undefined },
      { customer: ANA, wroteAs: OLD },
    ])
    await at.store.keepSameCustomer(undefined)
    expect((await at.store.sameCustomer(0)).digest).toBeUndefined()
  })

  it('moves messages, sends and their order, so that each continues under one customer', async () => {
    await wrote(ANA, T0 + 5)
    await arrive(at.store, [item({ customer: OLD, at: T0 })], T0, [{ ...WAS, lastAt: T0 + 9 }])
    await arrive(at.store, [item({ customer: OLD, kind: 'status', lane: `default/${OLD}/status` })])
    await at.store.openSend(to({ id: 'a' }))
    await at.store.openSend(send({ id: 'b', customer: OLD, body: bodyTo(OLD) }))
    await at.store.openSend(send({ id: 'c', customer: OTHER }))
    expect(await recustomer()).toBeGreaterThan(3)
    expect(await at.store.recustomer(MOVING, 'digest')).toBe(0)
    expect([...new Set((await itemsOf(at.store)).map(({ customer }) => customer))]).toEqual([ANA])
    expect((await outboxOf(at.store)).map(({ customer }) => customer)).toEqual([ANA, ANA, OTHER])
    expect((await at.place.view.lanes()).map(({ key }) => key).sort()).toEqual(
      [`default/${ANA}`, `default/${ANA}/status`, `default/${ANA}/out`, `default/${OTHER}/out`].sort(),
    )
    expect(await at.store.customerOf('default', ANA, T0)).toMatchObject({ lastInboundAt: T0 + 9, wroteAs: OLD })
    // The older message goes first, and the other one follows it.
    const { begun } = await at.store.claimItems(claim({ now: NOW }))
    const messages = begun.filter(({ work }) => work.kind === 'message')
    expect(messages.map(({ work }) => work.at)).toEqual([T0])
    const [first] = messages
    if (!first) throw new Error('nothing began')
    await at.store.settleItem(first.fence, first.work.id, DONE, { now: NOW, goOn: false })
    const { item: second } = await begin(at.store, { now: NOW })
    expect(second.at).toBe(T0 + 5)
    const sends = await at.store.claimSends(claim({ now: NOW }))
    expect(sends.begun.map(({ work }) => work.send.id).sort()).toEqual(['a', 'c'])
    const mine = sends.begun.find(({ work }) => work.send.id === 'a')
    if (!mine) throw new Error('no send began')
    await at.store.settleSend(mine.fence, 'a', ACCEPTED, { now: NOW, goOn: false })
    expect((await dueSend(at.store, { now: NOW })).due.send.id).toBe('b')
  })

  it('lets an item continue that a killed process ran', async () => {
    await beginNew(at.store, [item({ customer: OLD })], { now: T0 })
    await recustomer()
    expect((await begin(at.store, { processName: 'heir', now: NOW })).item).toMatchObject({ customer: ANA, attempt: 2 })
  })

  it('keeps the later take-over, the newer session and the spelling of the last message', async () => {
    await wrote(ANA, T0)
    await arrive(at.store, [item({ customer: OLD })], T0 + 1, [{ ...WAS, lastAt: T0 + 1 }])
    const session = { readAt: T0, version: 1, before: undefined }
    await at.store.putSession(WHO, { ...session, value: '{"of":"older"}', expiresAt: T0 + HOUR })
    await at.store.putSession(WAS, { ...session, value: '{"of":"newer"}', expiresAt: T0 + 2 * HOUR })
    await at.store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + 3 * HOUR })
    await at.store.takeOver({ ...WAS, by: 'agent', since: T0 + 1, until: T0 + 2 * HOUR })
    await recustomer()
    expect(await at.store.customerOf('default', ANA, T0 + 1)).toMatchObject({
      session: { value: '{"of":"newer"}', version: 1 },
      silence: { by: 'person', until: T0 + 3 * HOUR },
      lastInboundAt: T0 + 1,
      wroteAs: OLD,
    })
    expect((await at.store.customerOf('default', OLD, T0)).lastInboundAt).toBeUndefined()
  })

  it.each([
    [OLD, ANA],
    [ANA, OLD],
  ])('keeps the place of who waited longest for a person, %s before %s, and all notes', async (first, second) => {
    for (const [customer, since] of [
      [first, T0],
      [second, T0 + 5],
    ] as const) {
      await at.store.takeOver({ number: 'default', customer, by: 'person', since, until: T0 + HOUR })
      await at.store.addNote({ number: 'default', customer }, { who: 'neema', note: `about ${customer}` }, since)
    }
    await recustomer()
    const query = { list: 'waiting', who: '', numbers: undefined, at: T0 + 9, limit: 9 } as const
    expect(await at.store.listPeople(query)).toMatchObject([{ customer: ANA, since: T0 }])
    expect((await at.store.keptOf(ANA)).notes).toHaveLength(2)
  })

  it.each([
    ['the one of the old spelling', T0, T0 + 1],
    ['the one of the new spelling', T0 + 1, T0],
  ])('ends the older of two open conversations, %s, with its timer', async (_, oldAt, newAt) => {
    await opens(OLD, 'old', oldAt)
    await opens(ANA, 'new', newAt)
    await recustomer()
    const [kept, ended] = oldAt < newAt ? (['new', 'old'] as const) : (['old', 'new'] as const)
    const { conversations } = await at.store.listConversations({ limit: 9 })
    expect(conversations).toMatchObject([{ id: kept, customer: ANA }])
    expect((await at.store.journalOf(ended)).conversation).toMatchObject({ state: 'ended', ended: 'changed' })
    const { timers } = await at.store.keptOf(ANA)
    expect(timers).toMatchObject([{ kind: 'conversation_due', name: kept }])
    const next = await beginNew(at.store, [item({ customer: ANA, at: NOW })], { processName: 'heir', now: NOW })
    expect(next.item.conversation).toMatchObject({ id: kept })
  })

  it('continues the newest conversation of three spellings, though the row of another names one that has ended', async () => {
    const third = '5511887654321'
    await opens(third, 'a', T0)
    await opens(OLD, 'b', T0 + 1)
    await at.store.recustomer({ ...MOVING, of: () => ANA }, 'digest')
    const next = await beginNew(at.store, [item({ customer: ANA, at: NOW })], { processName: 'heir', now: NOW })
    expect(next.item.conversation).toMatchObject({ id: 'b' })
  })

  it.each([
    ['an opt-out beats a later agreement', T0, T0 + 1],
    ['an opt-out beats an earlier agreement', T0 + 1, T0],
  ])('%s, of whichever spelling', async (_, outAt, inAt) => {
    await at.store.optOut({ ...WAS, at: outAt, how: 'message' })
    await at.store.optIn({ ...WHO, at: inAt, how: 'message' }, { anyNumber: true })
    await at.store.optIn({ ...WAS, number: 'branch', at: inAt, how: 'message' }, { anyNumber: false })
    await at.store.optOut({ ...WHO, number: 'branch', at: outAt, how: 'message' })
    await recustomer()
    for (const number of ['default', 'branch'])
      expect(await at.store.optOutOf({ number, customer: ANA }, false)).toMatchObject({ at: outAt })
    expect((await at.store.keptOf(OLD)).optOuts).toEqual([])
  })

  it('keeps one recipient of two spellings, the one who may have the message, and the counts add up', async () => {
    const id = await announced(at.store, [OLD, ANA, OTHER])
    await at.store.endRecipients(id, [{ customer: ANA, end: 'sent' }], T0)
    await at.store.changeAnnouncement(id, 'paused', { now: T0 })
    await recustomer()
    expect(
      (await at.store.listRecipients(id, { limit: 9 })).recipients.map(({ customer, state }) => [customer, state]),
    ).toEqual([
      [OTHER, 'waiting'],
      [ANA, 'sent'],
    ])
    expect(await at.store.announcement(id)).toMatchObject({ total: 2, sent: 1 })
  })

  it('does not send again to a recipient whose message is under way, and finds one that went out', async () => {
    const id = await announced(at.store, [OLD, OTHER])
    const slot = `announcement ${NEWS.name} ${OLD}`
    const open = send({ id: 'u', customer: OLD, slot, key: keyOf('default', 'app', slot), body: bodyTo(OLD) })
    await at.store.openSend(open)
    await at.store.changeAnnouncement(id, 'paused', { now: T0 })
    await at.store.resolveSend('u', 'resend', T0)
    await recustomer()
    const states = await at.store.listRecipients(id, { limit: 9 })
    expect(states.recipients.map(({ customer, state }) => [customer, state])).toEqual([
      [OTHER, 'waiting'],
      [ANA, 'unknown'],
    ])
    expect(await at.store.announcement(id)).toMatchObject({ total: 2, unknown: 1 })
  })

  it('gives what has ended the key under which a rerun looks for it', async () => {
    const slot = `hears:x/to:${OLD}#1`
    await at.store.openSend(send({ id: 'e', customer: OLD, cause: 'c', slot, key: 'k', body: bodyTo(OLD) }))
    const { fence } = await dueSend(at.store)
    await at.store.settleSend(fence, 'e', REFUSED, { now: T0, goOn: false })
    await recustomer()
    expect(await at.store.findSend({ key: keyOf('default', 'c', `hears:x/to:${ANA}#1`) })).toMatchObject({ id: 'e' })
  })

  it('refuses to move anything while the app or an announcement runs', async () => {
    await at.store.renew('app', () => NOW, LEASE_MS)
    expect(await recustomer()).toMatch(/^the app is running/)
    const id = await announced(at.store, [OLD])
    const later = { ...MOVING, now: NOW + LEASE_MS }
    expect(await at.store.recustomer(later, 'digest')).toMatch(/^the announcement .* is running: pause it/)
    expect((await at.store.sameCustomer(0)).digest).toBeUndefined()
    await at.store.changeAnnouncement(id, 'paused', { now: NOW })
    expect(await at.store.recustomer(later, 'digest')).toBe(1)
    expect((await at.store.sameCustomer(0)).digest).toBe('digest')
  })

  it('can go back: a customer is then the number of the last message', async () => {
    await wrote(OLD, T0)
    await at.store.optOut({ ...WHO, at: T0, how: 'message' })
    await at.store.recustomer({ ...MOVING, of: (digits) => digits }, undefined)
    expect(await at.store.optOutOf(WAS, true)).toMatchObject({ customer: OLD })
    expect((await itemsOf(at.store)).map(({ customer }) => customer)).toEqual([OLD])
    expect((await at.store.customerOf('default', OLD, T0)).lastInboundAt).toBe(T0)
  })

  it('finds a customer by a spelling', async () => {
    expect(await at.store.customerNamed(OLD)).toBe(OLD)
    await at.store.openSend(to({ body: bodyTo(OLD) }))
    expect(await at.store.customerNamed(OLD)).toBe(ANA)
    expect(await at.store.customerNamed(OTHER)).toBe(OTHER)
    await wrote(OLD, T0)
    expect(await at.store.customerNamed(OLD)).toBe(ANA)
  })

  // ── samples ───────────────────────────────────────────────────────────────────────────────────────

  async function opens(customer: string, id: string, time: number): Promise<void> {
    await arrive(at.store, [item({ customer, at: time })], time)
    const begun = await begin(at.store, { now: time })
    const conversation: NewConversation = {
      id,
      number: 'default',
      customer,
      name: 'order',
      version: 1,
      input: undefined,
    }
    const waits = { step: 1, for: 'answer', since: time, dueAt: time + 3 * DAY } as const
    const conversations = [{ id, opens: conversation, next: { waits } }]
    await settle(at.store, begun, { ...DONE, changes: { conversations } }, { now: time })
  }
}
