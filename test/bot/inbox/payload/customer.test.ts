import { describe, expect, it } from 'vitest'
import { message, received, status, viewOf } from './reading.ts'

const OURS = '254711222333'
const codes = (view: ReturnType<typeof received>) => view.alarms.map(({ code }) => code)

describe('the customer', () => {
  it('is a number of 6 to 15 digits, in common formats', () => {
    for (const from of [
      '255712000101',
      255712000101,
      '+255712000101',
      ' +255 (712) 000-101 ',
      'whatsapp:+255712000101',
      '255712000101@s.whatsapp.net',
      '255712000101@c.us',
    ])
      expect(received(message({ from })).facts.customer?.value, String(from)).toBe('255712000101')
  })

  it('is not read from anything else', () => {
    for (const from of [
      '12345',
      '1234567890123456',
      '0712000101',
      '255.712.000.101',
      '++255712000101',
      '255712000101@lid',
      '255712000101@g.us',
      'tel:255712000101',
      '٢٥٥٧١٢٠٠٠١٠١',
      -255712000101,
      2557120001.5,
      true,
    ]) {
      const view = received(message({ from }))
      expect(view.facts.customer, String(from)).toBeUndefined()
      expect(codes(view), String(from)).toEqual(['fact_unreadable', 'fact_missing'])
    }
  })

  it('is hidden, not stripped to digits, if there is only a user id [R EVT-02]', () => {
    for (const id of ['US.13491208655302741918', 'TZ.ENT.a1B2', 'KE.255712000101']) {
      const view = received(message({ from: id }))
      expect(view.facts.customer).toBeUndefined()
      expect(view.facts.userId?.value).toBe(id)
      expect(view.alarms).toEqual([{ code: 'customer_number_hidden', fact: 'customer', path: 'data.from' }])
    }
    expect(received(message({ from: null, from_user_id: 'US.1349' })).facts.userId?.value).toBe('US.1349')
  })

  it('is not sure if there is a hidden id beside a number', () => {
    const view = received(message({ from: 'US.1349', contact: { phone: '255712000101' } }))
    expect(view.facts.customer).toMatchObject({ value: '255712000101', sure: false })
    expect(codes(view)).toEqual(['fact_conflict'])
  })

  it('is sure at a place of the first choice', () => {
    for (const members of [
      { from: '255712000101' },
      { from: { wa_id: '255712000101' } },
      { customer_phone: '255712000101' },
      { customer: { number: '255712000101' } },
      { contact: { phone_number: '255712000101' } },
      { contacts: [{ wa_id: '255712000101' }] },
    ]) {
      const view = received(message({ from: undefined, ...members }))
      expect(view.facts.customer, JSON.stringify(members)).toMatchObject({ value: '255712000101', sure: true })
      expect(view.alarms).toEqual([])
    }
  })

  it('is found, but not sure, at other places', () => {
    for (const members of [
      { sender: '255712000101' },
      { sender: { phone: '255712000101' } },
      { conversation: { customer: { phone: '255712000101' } } },
      { conversation: { phone_number: '255712000101' } },
      { msisdn: '255712000101' },
      { phone: '255712000101' },
      { phone_number: '255712000101' },
      { chat_id: '255712000101' },
      { from: { id: '255712000101' } },
    ])
      expect(received(message({ from: undefined, ...members })).facts.customer, JSON.stringify(members)).toMatchObject({
        value: '255712000101',
        sure: false,
      })
  })

  it('is searched in the message first, then around it, the nearest object first', () => {
    const around = { contact: { phone: '255712000102' } }
    const body = { ...around, data: { contact: { phone: '255712000103' }, message: { type: 'text', text: 'Habari' } } }
    expect(received(body).facts.customer).toMatchObject({
      value: '255712000103',
      path: 'data.contact.phone',
      sure: false,
    })
    expect(received({ ...around, ...message() }).facts.customer?.path).toBe('data.from')
  })

  it('is not read from a list of several contacts', () => {
    const contacts = [{ wa_id: '255712000102' }, { wa_id: '255712000101' }]
    expect(received(message({ contacts })).facts.customer).toMatchObject({ value: '255712000101', sure: true })
  })
})

describe('our own number', () => {
  it('is never the customer, whichever member names it [R EVT-02]', () => {
    for (const [body, ownNumberId] of [
      [message({ from: OURS, to: `+${OURS}` }), undefined],
      [message({ from: OURS, display_phone_number: OURS }), undefined],
      [message({ from: OURS, metadata: { display_phone_number: OURS } }), undefined],
      [message({ from: OURS, phone_number_id: OURS }), undefined],
      [message({ from: OURS }), OURS],
    ] as const) {
      const view = received(body, ownNumberId === undefined ? {} : { ownNumberId })
      expect(view.facts.customer).toBeUndefined()
      expect(view.alarms).toEqual([
        { code: 'fact_conflict', fact: 'customer', path: 'data.from' },
        { code: 'fact_missing', fact: 'customer' },
      ])
    }
  })

  it('leaves the next candidate unsure if it is under `from`', () => {
    const view = received(message({ from: OURS, to: OURS, contact: { phone: '255712000101' } }))
    expect(view.facts.customer).toMatchObject({ value: '255712000101', sure: false })
    expect(codes(view)).toEqual(['fact_conflict'])
  })

  it('is not the customer of an outbound message, who is the one it went to [R EVT-03]', () => {
    const view = received(message({ direction: 'OUTBOUND', from: OURS, to: '255712000101' }))
    expect(view.facts).toMatchObject({ customer: { value: '255712000101' }, echo: { value: true } })
    expect(received(message({ direction: 'OUTBOUND' })).facts.customer).toBeUndefined()
    expect(received(message({ direction: 'INBOUND' })).facts.customer?.sure).toBe(true)
  })

  it('is the sender of a status, so `from` is not read there', () => {
    const view = status({ data: { message_id: 'm', from: OURS, status: 'sent', phone: OURS, timestamp: 1772615721 } })
    expect(view.facts.customer).toBeUndefined()
    expect(
      status({ data: { message_id: 'm', from: OURS, to: '255712000201', status: 'sent' } }).facts.customer,
    ).toMatchObject({ value: '255712000201', sure: false })
  })
})

describe('the customer of other events', () => {
  it('is read at the same places, but neither at `from` nor at `to` [R EVT-02]', () => {
    const paid = { event: 'order.paid', data: { id: 'o-1', amount: '1200', customer: { phone: '255712000101' } } }
    expect(viewOf('order.paid', paid).facts.customer).toMatchObject({ path: 'data.customer.phone', sure: true })
    expect(viewOf('order.paid', { data: { from: '255712000101', to: '255712000102' } }).facts.customer).toBeUndefined()
    expect(viewOf('never.seen', { contact: { phone: '255712000101' } }).facts.customer?.value).toBe('255712000101')
  })

  it('does not turn a list of things into a batch', () => {
    const items = [1, 2].map((n) => ({ id: n, type: 'shoe', text: 'Shoe', status: 'packed' }))
    expect(viewOf('order.paid', { data: { items, customer: { phone: '255712000101' } } }).facts.customer).toBeDefined()
  })
})
