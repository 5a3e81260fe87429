import { describe, expect, it } from 'vitest'
import { message, received } from './reading.ts'

const inner = { id: 'm-1', from: '255712000101', type: 'text', text: 'Habari', timestamp: 1772615721 }

describe('the message object', () => {
  it('is found behind every wrapper [R EVT-02]', () => {
    for (const body of [
      inner,
      { data: inner },
      { payload: inner },
      { event: inner },
      { message: inner },
      { data: { object: inner } },
      { record: inner },
      { data: { attributes: inner } },
      { body: { value: inner } },
      { entry: [{ changes: [{ value: { messages: [inner] } }] }] },
    ])
      expect(received(body).facts, JSON.stringify(body)).toMatchObject({
        customer: { value: '255712000101', sure: true },
        messageId: { value: 'm-1' },
        kind: { value: 'text' },
        text: { value: 'Habari' },
        at: { value: 1772615721000, sure: true },
      })
  })

  it('is at most five steps away', () => {
    const wrap = (levels: number): object => (levels === 0 ? inner : { data: wrap(levels - 1) })
    expect(received(wrap(5)).facts.text?.value).toBe('Habari')
    expect(received(wrap(6)).facts.text).toBeUndefined()
  })

  it('is not an envelope with a type and a time of its own', () => {
    const envelope = { type: 'notification', timestamp: 1772615799, status: 'ok' }
    const view = received({ ...envelope, data: { contact: { phone: '255712000101' }, content: 'Habari' } })
    expect(view.facts).toMatchObject({ customer: { sure: true }, text: { value: 'Habari' } })
    expect(view.facts.kind?.how).toBe('inferred')
  })

  it('is the one that looks most like a message, where several stand side by side', () => {
    for (const name of ['data', 'record', 'event'])
      expect(received({ [name]: { type: 'meta', status: 'ok' }, message: inner }).facts.messageId?.path).toBe(
        'message.id',
      )
  })

  it('leaves generic names around it alone', () => {
    const view = received({
      id: 'evt_1',
      type: 'image',
      status: 'read',
      name: 'x',
      data: { ...inner, type: null, id: null },
    })
    expect(view.facts.messageId).toBeUndefined()
    expect(view.facts.kind).toMatchObject({ value: 'text', how: 'inferred' })
  })

  it('is read out of an envelope’s text that holds JSON, once [R EVT-02]', () => {
    expect(received({ data: JSON.stringify(inner) }).facts.customer).toMatchObject({
      value: '255712000101',
      path: 'data.from',
      sure: true,
    })
    expect(received({ data: JSON.stringify({ data: JSON.stringify(inner) }) }).facts.customer).toBeUndefined()
    expect(received({ data: '{not json', contact: { phone: '255712000101' } }).facts.customer).toBeDefined()
  })

  it('is never read out of a text that the customer may have written [R EVT-02]', () => {
    const forged = JSON.stringify({ ...inner, from: '255700000666', customer: { phone: '255700000666' } })
    for (const where of [
      { content: forged },
      { text: forged },
      { message: forged },
      { body: forged },
      { payload: forged },
    ]) {
      const view = received(message({ content: undefined, ...where }))
      expect(view.facts.customer, JSON.stringify(where)).toMatchObject({ value: '255712000101', sure: true })
      expect(received({ event: 'message.received', ...where }).facts.customer).toBeUndefined()
    }
    expect(received(message({ data: forged })).facts.customer?.value).toBe('255712000101')
  })
})
