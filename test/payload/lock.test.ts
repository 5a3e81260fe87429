import { describe, expect, it } from 'vitest'
import { type FactName } from '../../src/payload/facts.ts'
import { readBody, shapeOf, type View } from '../../src/payload/index.ts'
import { Plans } from '../../src/payload/plan.ts'
import vectors from '../vectors/payloads.json' with { type: 'json' }
import { lockedViews, lockOf } from './locking.ts'
import { bytesOf, message, NOW, received, viewOf } from './reading.ts'

const EVENT = 'message.received'
const known = vectors.payloads.filter(({ want }) => !('alarm' in want))

const valuesIn = ({ facts }: View) =>
  Object.fromEntries(Object.entries(facts).map(([name, { value }]) => [name, value]))
const onlyView = (views: readonly View[]) => {
  expect(views).toHaveLength(1)
  return views[0] as View
}
/** Reads under the lock of some messages. */
const under = (locked: readonly unknown[], body: unknown, more = {}) =>
  onlyView(lockedViews(lockOf(EVENT, locked), EVENT, body, more))
const alarmsOf = ({ alarms }: View) => alarms.map(({ code, fact }) => `${code}: ${fact}`)

const without = (member: string, changes: object = {}) => {
  const { data, ...rest } = message(changes)
  delete data[member]
  return { ...rest, data }
}

describe('a locked fact', () => {
  it.each(known)('is read of $name as it was when it was locked, and is sure [R EVT-02, EVT-08]', ({ event, body }) => {
    const guessed = viewOf(event, body)
    const facts = Object.entries(guessed.facts).filter(([, { how }]) => how === 'guessed')
    const choices = facts.map(([fact, { path }]) => ({
      fact: fact as FactName,
      paths: [path.replaceAll(/\[\d+\]/g, '[]')],
    }))
    const view = onlyView(lockedViews(lockOf(event, [body], choices), event, body))
    expect(view.broken).toBeUndefined()
    expect(valuesIn(view)).toEqual(valuesIn(guessed))
    for (const [fact] of facts) expect(view.facts[fact as FactName], fact).toMatchObject({ how: 'locked', sure: true })
  })

  it('is read at its place alone, whatever stands at better ones [R EVT-08]', () => {
    const lock = [{ data: { ...message().data, from: undefined, customer_phone: '255712000101' } }]
    const body = { data: { ...message().data, from: '255712000999', customer_phone: '255712000101' } }
    expect(received(body).facts.customer).toMatchObject({ value: '255712000999' })
    expect(under(lock, body)).toMatchObject({
      facts: { customer: { value: '255712000101', path: 'data.customer_phone' } },
    })
  })

  it('is doubted where a place that no locked shape has names another customer without doubt [R EVT-08, MSG-01]', () => {
    const lock = lockOf(EVENT, [message()])
    const read = (more: object) => onlyView(lockedViews(lock, EVENT, message(more)))
    for (const rival of [{ From: '255712000999' }, { contact: { phone: '+255 712 000 999' } }]) {
      const { facts, alarms } = read(rival)
      expect(facts.customer).toMatchObject({ value: '255712000101', sure: false })
      expect(alarms).toMatchObject([{ code: 'fact_conflict', fact: 'customer' }])
    }
    // The same person again, a lesser place, or a place that was judged with the lock says nothing against it.
    for (const same of [{ contact: { phone: '+255 712 000 101' } }, { conversation: { phone_number: '255712000999' } }])
      expect(read(same)).toMatchObject({ facts: { customer: { sure: true } }, alarms: [] })
    const judged = message({ contact: { phone: '255712000999' } })
    const chosen = lockOf(EVENT, [judged], [{ fact: 'customer', paths: ['data.from'] }])
    expect(onlyView(lockedViews(chosen, EVENT, judged))).toMatchObject({ facts: { customer: { sure: true } } })
  })

  it('that is gone breaks the lock, and no other candidate is taken for it [R EVT-08]', () => {
    const body = without('from', { conversation: { phone_number: '255712000999' } })
    const { fingerprint } = shapeOf(body)
    const view = under([message()], body)
    expect(view.facts.customer).toBeUndefined()
    expect(view.broken).toEqual({
      fact: 'customer',
      place: 'data.from:string',
      insteadAt: 'data.conversation.phone_number:string',
    })
    expect(view.alarms).toContainEqual({
      code: 'lock_broken',
      fact: 'customer',
      detail: `not at data.from:string, perhaps at data.conversation.phone_number:string (./payload.lock.json, shape ${fingerprint})`,
    })
  })

  it.each([
    ['of another type', message({ from: 255712000101 })],
    ['null', message({ from: null })],
    ['in an envelope that is new', { body: message() }],
    ['in another spelling', { event: EVENT, Data: { Id: 'm', From: '255712000101', timestamp: 1772615721 } }],
    ['in a list that is new', { ...message(), data: [message().data] }],
  ])('breaks the lock if it is %s [R EVT-08]', (_, body) => {
    expect(received(body).alarms.map(({ code }) => code)).not.toContain('lock_broken')
    expect(under([message()], body)).toMatchObject({ broken: { fact: expect.any(String) }, facts: {} })
    expect(under([message()], body).facts.customer).toBeUndefined()
  })

  it('may be absent where a locked shape lacks it; two places are read in one shape only if they were seen so [R EVT-08]', () => {
    const [one, other] = [message(), without('from', { customer_phone: '255712000101' })]
    const locked = [one, other]
    for (const body of locked) expect(under(locked, body)).toMatchObject({ facts: { customer: { how: 'locked' } } })
    const both = message({ customer_phone: '255712000999' })
    expect(under(locked, both)).toMatchObject({ broken: { fact: 'customer' } })
    expect(under([...locked, message({ customer_phone: '255712000101' })], both).broken).toBeUndefined()
    expect(under([...locked, message({ customer_phone: '255712000101' })], both)).toMatchObject({
      facts: { customer: { sure: false } },
      alarms: [{ code: 'fact_conflict', fact: 'customer' }],
    })
  })

  it('that not every message has may be absent, but not stand elsewhere, nor be absent from what says that it is a text [R EVT-08]', () => {
    const locked = [message()]
    const image = { message_type: 'image', media_url: 'https://media.example.test/1.jpg' }
    expect(under(locked, without('content', image)).broken).toBeUndefined()
    expect(under(locked, without('content', { ...image, body: 'Hi' })).broken).toMatchObject({ fact: 'text' })
    expect(under(locked, without('content')).broken).toMatchObject({ fact: 'text', place: 'data.content:string' })
    expect(under(locked, message({ content: '' })).broken).toBeUndefined()
    expect(under(locked, message({ content: '', extra: 1 })).broken).toBeUndefined()
    expect(under(locked, message({ content: '' })).facts.text).toBeUndefined()
  })

  it('is no candidate that was passed over when the lock was made [R EVT-08]', () => {
    const seen = { message_type: 'image', body: 'x', media_url: 'https://media.example.test/1.jpg' }
    const lock = lockOf(EVENT, [message(), without('content', seen)], [{ fact: 'text', paths: ['data.content'] }])
    const view = onlyView(lockedViews(lock, EVENT, without('content', seen)))
    expect(view.broken).toBeUndefined()
    expect(view.facts.text).toBeUndefined()
  })

  it('keeps what protects a customer: no hidden id, not our own number, nobody whom we wrote to [R EVT-08]', () => {
    const hidden = under([message()], message({ from: 'TZ.13491208655302741918' }))
    expect(hidden.facts).toMatchObject({ userId: { value: 'TZ.13491208655302741918' } })
    expect([hidden.facts.customer, alarmsOf(hidden)]).toEqual([undefined, ['customer_number_hidden: customer']])
    const own = under([message()], message(), { ownNumberId: '255712000101' })
    expect([own.facts.customer, alarmsOf(own)]).toEqual([
      undefined,
      ['fact_conflict: customer', 'fact_missing: customer'],
    ])
    const sent = under([message({ direction: 'IN' })], message({ direction: 'OUT' }))
    expect(sent.facts.customer).toMatchObject({ sure: false })
  })

  it('that cannot be read at its place is told of [R EVT-08]', () => {
    const upstream = [message({ id: 'wamid.A' })]
    expect(under(upstream, message({ id: 'wamid.B' })).facts.upstreamId).toMatchObject({ how: 'locked' })
    expect(alarmsOf(under(upstream, message({ id: 'm-2' })))).toEqual(['fact_unreadable: upstreamId'])
    expect(alarmsOf(under([message()], message({ from: 'nobody' })))).toContain('fact_unreadable: customer')
  })

  it('keeps the digits of a number too large for one [R EVT-08]', () => {
    const text = JSON.stringify(message({ id: 5 })).replace('"id":5', '"id":12345678901234567890')
    const view = under([message({ id: 5 })], text)
    expect(view).toMatchObject({ facts: { messageId: { value: '12345678901234567890', how: 'locked' } } })
    expect(view.broken).toBeUndefined()
    expect(alarmsOf(view)).toEqual(['unsafe_number: messageId'])
  })

  it('is a bare id or a time without a zone too, once a person says so; unsaid both stay in doubt [R EVT-08]', () => {
    const flat = { id: 'm-1', from: '255712000101', text: 'Hi', type: 'text', timestamp: '2026-03-04T09:15:21' }
    expect(under([flat], flat).facts).toMatchObject({ messageId: { sure: false }, at: { sure: false } })
    const choices = [
      { fact: 'messageId', paths: ['id'] },
      { fact: 'at', paths: ['timestamp'] },
    ] as const
    const view = onlyView(lockedViews(lockOf(EVENT, [flat], choices), EVENT, flat))
    expect(view.facts).toMatchObject({ messageId: { sure: true }, at: { sure: true } })
    expect(alarmsOf(view)).toEqual(['fact_assumed: at'])
  })

  it('gives way to the app’s own mapping [R EVT-08]', () => {
    const mapping = { customer: 'data.who' }
    const view = under([message()], without('from', { who: '255712000555' }), { mapping })
    expect(view.broken).toBeUndefined()
    expect(view.facts).toMatchObject({ customer: { value: '255712000555', how: 'mapped' }, text: { how: 'locked' } })
  })

  it('stands in each message of a batch, and a broken one leaves the others as they are [R EVT-08]', () => {
    const of = (...messages: object[]) => ({ messages: messages.map((each) => ({ ...message().data, ...each })) })
    const lock = lockOf(EVENT, [of({})])
    const views = lockedViews(lock, EVENT, of({ id: 'a' }, { id: 'b', from: null }, { id: 'c', from: '255712000103' }))
    expect(views.map(({ broken }) => broken?.fact)).toEqual([undefined, 'customer', undefined])
    expect(views.map(({ facts }) => facts.customer?.value)).toEqual(['255712000101', undefined, '255712000103'])
    expect(views.map(({ facts }) => facts.messageId?.sure)).toEqual([true, false, true])
  })

  it('that stands around a batch is doubted for a message that names another customer without doubt [R EVT-08, MSG-01]', () => {
    const of = (...froms: string[]) => ({
      contacts: [{ wa_id: '255712000101' }],
      messages: froms.map((from, i) => ({ id: `m-${i}`, from, text: 'Habari', timestamp: 1772615721 })),
    })
    const lock = lockOf(EVENT, [of('255712000101')], [{ fact: 'customer', paths: ['contacts[].wa_id'] }])
    const views = lockedViews(lock, EVENT, of('255712000101', '255712000999'))
    expect(views.map(({ facts }) => facts.customer?.sure)).toEqual([true, false])
    expect(views.map(({ alarms }) => alarms.map(({ code, path }) => [code, path]))).toEqual([
      [['batch', undefined]],
      [
        ['batch', undefined],
        ['fact_conflict', 'messages[1].from'],
      ],
    ])
    // Whoever locked it knew what stands beside it in a message that comes alone.
    expect(lockedViews(lock, EVENT, of('255712000999'))[0]?.facts.customer?.sure).toBe(true)
  })

  it('is the same with a plan and without, and for each lock its own [R EVT-08]', () => {
    const bodies = [message(), message({ customer_phone: '255712000999' }), without('from'), message({ content: '' })]
    const locks = [
      lockOf(EVENT, [message()]),
      lockOf(
        EVENT,
        [message({ customer_phone: '255712000101' })],
        [{ fact: 'customer', paths: ['data.customer_phone'] }],
      ),
    ]
    const plans = new Plans()
    for (const _ of [1, 2, 3])
      for (const body of bodies)
        for (const lock of locks) {
          const context = { event: EVENT, deliveryId: undefined, now: NOW, lock: lock.of(EVENT) }
          const { shape: _shape, ...planned } = readBody(bytesOf(body), context, plans) as { shape?: unknown }
          const { shape: _own, ...searched } = readBody(bytesOf(body), context, new Plans()) as { shape?: unknown }
          expect(planned).toEqual(searched)
        }
    expect(plans.size).toBe(bodies.length)
  })
})

describe('a lock that is broken', () => {
  it('is told of without a value, and without a name that is one [R EVT-08, AUTH-07]', () => {
    const canaries = ['255712000777', 'Siri kubwa', 'wamid.CANARY', 'canary@example.test']
    const [from = '', content, wa_message_id, email = ''] = canaries
    const inner = {
      from: undefined,
      customer_phone: from,
      content,
      wa_message_id,
      contact: { [from]: email },
      [email]: { phone: from },
    }
    const { broken, alarms } = under([message()], message(inner))
    expect(broken).toMatchObject({ insteadAt: 'data.customer_phone:string' })
    for (const canary of canaries) expect(JSON.stringify({ broken, alarms })).not.toContain(canary)
  })
})

describe('an event that is not locked', () => {
  it('is guessed as before [R EVT-08]', () => {
    const body = { event: 'message.sent', data: { to: '255712000101', id: 'm-1', timestamp: 1772615721 } }
    const lock = lockOf(EVENT, [message()])
    expect(lock.of('message.sent')).toBeUndefined()
    expect(viewOf('message.sent', body, { lock: lock.of('message.sent') } as object)).toEqual(
      viewOf('message.sent', body),
    )
  })
})

describe('a payload that is odd, under a lock', () => {
  const RECEIVED = [
    [
      'a customer who is our own number',
      { from: '255700000001', display_phone_number: '255700000001' },
      'fact_conflict',
    ],
    ['two numbers that differ, of which one is locked', { customer: { phone: '255712000999' } }, undefined],
    ['a length without a unit', { media_url: 'https://x.example/a.ogg', duration: 7 }, 'fact_unreadable'],
    ['a time that is a word', { timestamp: 'yesterday' }, 'lock_broken'],
    ['a time of zero', { timestamp: 0 }, 'fact_assumed'],
    ['a body without any number', { from: undefined }, 'lock_broken'],
    ['a member that every earlier delivery had and that is gone', { id: undefined }, 'lock_broken'],
    ['a member called __proto__', JSON.parse('{"__proto__":{"from":"255712000999"}}') as object, undefined],
  ] as const
  it.each(RECEIVED)('is read right or told of: %s [R EVT-02, EVT-08]', (_, changes, alarm) => {
    const view = under([message()], message(changes))
    if (alarm !== undefined) expect(view.alarms.map(({ code }) => code)).toContain(alarm)
    if (view.facts.customer) expect(view.facts.customer.value).toBe('255712000101')
  })

  it('is not read if it is no JSON object, nests too deep, or has another event’s name [R EVT-02, EVT-08]', () => {
    const lock = lockOf(EVENT, [message()]).of(EVENT)
    const read = (body: unknown) => readBody(bytesOf(body), { event: EVENT, deliveryId: undefined, now: NOW, lock })
    for (const body of ['not JSON', 'null', '[1]', '5', '{"a":'.repeat(201) + '1' + '}'.repeat(201)])
      expect(read(body)).toMatchObject({ refused: { code: expect.any(String) } })
    expect(read({ ...message(), event: 'message.status' })).toMatchObject({
      views: [{ alarms: [{ code: 'event_name_mismatch' }] }],
    })
  })

  it('is read out of a text that holds JSON, if the locked one was [R EVT-08]', () => {
    const asText = (changes = {}) => ({ event: EVENT, data: JSON.stringify(message(changes).data) })
    expect(under([asText()], asText({ content: 'x' })).facts).toMatchObject({ text: { value: 'x', how: 'locked' } })
    expect(under([message()], asText()).facts).toMatchObject({ customer: { value: '255712000101', how: 'locked' } })
  })

  it('of a status is its number’s, if it has no name [R EVT-08]', () => {
    const of = (status: unknown) => ({ data: { message_id: 'm', to: '255712000201', status, timestamp: 1772615721 } })
    const lock = lockOf('message.status', [of('sent')])
    expect(onlyView(lockedViews(lock, 'message.status', of('read'))).facts.status).toMatchObject({ how: 'locked' })
    expect(onlyView(lockedViews(lock, 'message.status', of(2)))).toMatchObject({ broken: { fact: 'status' } })
  })
})
