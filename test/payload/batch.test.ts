import { describe, expect, it } from 'vitest'
import type { View } from '../../src/payload/index.ts'
import { message, received, views } from './reading.ts'

const one = { id: 'm-1', from: '255712000101', type: 'text', text: 'Moja', timestamp: 1772615721 }
const two = { id: 'm-2', from: '255712000102', type: 'text', text: 'Mbili', timestamp: 1772615722 }

const said = (all: readonly View[]) => all.map(({ facts }) => [facts.customer?.value, facts.text?.value])

describe('a batch', () => {
  it('gives a view for each message, with its own index, and says so [R EVT-02]', () => {
    for (const body of [
      { messages: [one, two] },
      { event: 'message.received', data: [one, two] },
      { data: { results: [one, two] } },
      { data: { items: [{ message: one }, { message: two }] } },
    ]) {
      const all = views('message.received', body)
      expect(said(all), JSON.stringify(body)).toEqual([
        ['255712000101', 'Moja'],
        ['255712000102', 'Mbili'],
      ])
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
    expect(said(views('message.received', { entry: [value([one]), value([two])] }))).toEqual([
      ['255712000101', 'Moja'],
      ['255712000102', 'Mbili'],
    ])
  })

  it('holds messages or statuses, as the header says, where a payload has both', () => {
    const statuses = [1, 2].map((n) => ({ id: `wamid.${n}`, recipient_id: '255712000201', status: 'read' }))
    const body = { value: { messages: [one], statuses } }
    expect(said(views('message.received', body))).toEqual([['255712000101', 'Moja']])
    expect(views('message.status', body).map(({ facts }) => facts.upstreamId?.value)).toEqual(['wamid.1', 'wamid.2'])
  })

  it('of one is a message like any other', () => {
    expect(received({ messages: [one] })).toMatchObject({ facts: { messageId: { sure: true } }, alarms: [] })
  })

  it('lends no message the id of the whole [R EVT-02]', () => {
    const bare = (text: string) => ({ from: '255712000101', type: 'text', text })
    const all = views('message.received', {
      data: { message_id: 'm-0', wa_message_id: 'wamid.0', messages: [bare('a'), bare('b')] },
    })
    for (const { facts, alarms } of all) {
      expect(facts.messageId ?? facts.upstreamId).toBeUndefined()
      expect(alarms).toContainEqual({ code: 'fact_missing', fact: 'messageId' })
    }
  })

  it('loses no element that cannot be read', () => {
    const all = views('message.received', { messages: [one, null, 'x', {}] })
    expect(all).toHaveLength(4)
    for (const view of all.slice(1)) expect(view.alarms).toContainEqual({ code: 'fact_missing', fact: 'customer' })
  })

  it('is found beside the names of those who talk, which hold for each', () => {
    const all = views('message.received', {
      from: '255712000101',
      to: '254711222333',
      messages: [
        { text: 'a', type: 'text' },
        { text: 'b', type: 'text' },
      ],
    })
    expect(said(all)).toEqual([
      ['255712000101', 'a'],
      ['255712000101', 'b'],
    ])
  })

  it('is no list inside a message: things ordered, or an older conversation', () => {
    const view = received(message({ items: [one, two], messages: [one, two] }))
    expect(view.facts.messageId?.value).toBe('m-1')
    expect(view.facts.text?.value).toBe('Habari')
  })

  it('is no list of things without a message among them', () => {
    expect(received({ from: '255712000101', results: [{ a: 1 }, { a: 2 }] }).facts.customer?.value).toBe('255712000101')
  })

  it('maps each message as though it had come alone', () => {
    const mapping = {
      customer: 'data.list[0].who',
      text: (json: unknown) => (json as { data: { list: { say: string }[] } }).data.list[0]?.say,
    }
    const list = [
      { who: '255712000101', say: 'Moja', id: 'm-1', from: 'x', type: 'text' },
      { who: '255712000102', say: 'Mbili', id: 'm-2', from: 'x', type: 'text' },
    ]
    const body = { data: { messages: list } }
    const renamed = { customer: mapping.customer.replace('list', 'messages'), text: 'data.messages[0].say' }
    expect(said(views('message.received', body, { mapping: renamed }))).toEqual([
      ['255712000101', 'Moja'],
      ['255712000102', 'Mbili'],
    ])
    const byFunction = {
      text: (json: unknown) => mapping.text({ data: { list: (json as typeof body).data.messages } }),
    }
    expect(views('message.received', body, { mapping: byFunction }).map(({ facts }) => facts.text?.value)).toEqual([
      'Moja',
      'Mbili',
    ])
  })
})
