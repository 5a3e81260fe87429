import { describe, expect, it } from 'vitest'
import type { View } from '../../../../src/bot/inbox/payload/facts.ts'
import { message, received, views } from './reading.ts'

const inner = { id: 'm-1', from: '255712000101', type: 'text', text: 'Habari', timestamp: 1772615721 }

describe('the message object', () => {
  it('is found inside every wrapper [R EVT-02]', () => {
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

  it('is not an envelope with its own type and time', () => {
    const envelope = { type: 'notification', timestamp: 1772615799, status: 'ok' }
    const view = received({ ...envelope, data: { contact: { phone: '255712000101' }, content: 'Habari' } })
    expect(view.facts).toMatchObject({ customer: { sure: true }, text: { value: 'Habari' } })
    expect(view.facts.kind?.how).toBe('inferred')
  })

  it('does not read generic names around it', () => {
    const view = received({ id: 'evt_1', type: 'image', status: 'read', data: { ...inner, type: null, id: null } })
    expect(view.facts.messageId).toBeUndefined()
    expect(view.facts.kind).toMatchObject({ value: 'text', how: 'inferred' })
  })

  it('is never read from a text that the customer may have written [R EVT-02]', () => {
    const forged = JSON.stringify({ ...inner, from: '255700000666', customer: { phone: '255700000666' } })
    for (const name of ['content', 'text', 'message', 'body', 'payload']) {
      const members = { [name]: forged }
      const view = received(message({ content: undefined, ...members }))
      expect(view.facts.customer, name).toMatchObject({ value: '255712000101', sure: true })
      expect(received({ event: 'message.received', ...members }).facts.customer).toBeUndefined()
    }
    expect(received(message({ data: forged })).facts.customer?.value).toBe('255712000101')
  })
})

const one = { id: 'm-1', from: '255712000101', type: 'text', text: 'Moja', timestamp: 1772615721 }
const two = { id: 'm-2', from: '255712000102', type: 'text', text: 'Mbili', timestamp: 1772615722 }
const BOTH = [
  ['255712000101', 'Moja'],
  ['255712000102', 'Mbili'],
]

const said = (all: readonly View[]) => all.map(({ facts }) => [facts.customer?.value, facts.text?.value])

describe('a batch', () => {
  it('gives a view for each message, with its own index, and raises an alarm [R EVT-02]', () => {
    for (const body of [
      { messages: [one, two] },
      { event: 'message.received', data: [one, two] },
      { data: { results: [one, two] } },
      { data: { items: [{ message: one }, { message: two }] } },
    ]) {
      const all = views('message.received', body)
      expect(said(all), JSON.stringify(body)).toEqual(BOTH)
      for (const [i, view] of all.entries()) {
        expect(view.facts.messageId).toMatchObject({ value: `m-${i + 1}`, sure: true })
        expect(view.facts.messageId?.path).toContain(`[${i}].`)
        expect(view.alarms).toEqual([{ code: 'batch' }])
      }
    }
  })

  it('is found in the upstream form that a service kept, and in lists of lists', () => {
    const value = (messages: object[]) => ({ changes: [{ value: { messages } }] })
    expect(said(views('message.received', { entry: [value([one, two])] }))).toHaveLength(2)
    expect(said(views('message.received', { entry: [value([one]), value([two])] }))).toEqual(BOTH)
  })

  it('contains messages or statuses, as the header says, if a payload has both', () => {
    const statuses = [1, 2].map((n) => ({ id: `wamid.${n}`, recipient_id: '255712000201', status: 'read' }))
    const body = { value: { messages: [one], statuses } }
    expect(said(views('message.received', body))).toEqual([['255712000101', 'Moja']])
    expect(views('message.status', body).map(({ facts }) => facts.upstreamId?.value)).toEqual(['wamid.1', 'wamid.2'])
  })

  it('gives no message the id around it [R EVT-02]', () => {
    const bare = (text: string) => ({ from: '255712000101', type: 'text', text })
    const all = views('message.received', {
      data: { message_id: 'm-0', wa_message_id: 'wamid.0', messages: [bare('a'), bare('b')] },
    })
    for (const { facts, alarms } of all) {
      expect(facts.messageId ?? facts.upstreamId).toBeUndefined()
      expect(alarms).toContainEqual({ code: 'fact_missing', fact: 'messageId' })
    }
  })

  it('is found beside sender and recipient, which apply to each message', () => {
    const messages = ['a', 'b'].map((text) => ({ text, type: 'text' }))
    const all = views('message.received', { from: '255712000101', to: '254711222333', messages })
    expect(said(all)).toEqual(['a', 'b'].map((text) => ['255712000101', text]))
  })

  it('is not a list inside a message, such as things ordered or an older conversation', () => {
    const view = received(message({ items: [one, two], messages: [one, two] }))
    expect(view.facts.messageId?.value).toBe('m-1')
    expect(view.facts.text?.value).toBe('Habari')
  })

  it('maps each message as if it had arrived alone', () => {
    const messages = [
      { who: '255712000101', say: 'Moja', id: 'm-1', from: 'x', type: 'text' },
      { who: '255712000102', say: 'Mbili', id: 'm-2', from: 'x', type: 'text' },
    ]
    const body = { data: { messages } }
    const byPath = 'data.messages[0].say'
    const byFunction = (json: unknown) => (json as typeof body).data.messages[0]?.say
    for (const text of [byPath, byFunction]) {
      const mapping = { customer: 'data.messages[0].who', text }
      expect(said(views('message.received', body, { mapping }))).toEqual(BOTH)
    }
  })
})
