import { describe, expect, it } from 'vitest'
import { message, received, status, viewOf } from './reading.ts'

type Body = { data: Record<string, string> }

describe('the app’s mapping', () => {
  it('wins over every guess, is sure, and raises no alarm for the guess [R EVT-02]', () => {
    const body = message({ peer: { tel: '+255 712 000 555' }, customer: { phone: '255712000999' } })
    const view = received(body, { mapping: { customer: 'data.peer.tel' } })
    expect(view.facts.customer).toEqual({ value: '255712000555', path: 'data.peer.tel', how: 'mapped', sure: true })
    expect(view.facts.text).toMatchObject({ value: 'Habari', how: 'guessed' })
    expect(view.alarms).toEqual([])
  })

  it('may be a function of the body [R EVT-02]', () => {
    const mapping = { text: (json: unknown) => (json as Body).data['content']?.toUpperCase() }
    expect(received(message(), { mapping }).facts.text).toEqual({
      value: 'HABARI',
      path: '()',
      how: 'mapped',
      sure: true,
    })
  })

  it('never falls back to a guess if it finds nothing [R EVT-02]', () => {
    for (const mapping of [{ customer: 'data.gone.tel' }, { customer: () => undefined }]) {
      const view = received(message(), { mapping })
      expect(view.facts.customer).toBeUndefined()
      expect(view.alarms).toContainEqual(expect.objectContaining({ code: 'fact_missing', fact: 'customer' }))
    }
  })

  it('raises fact_unreadable if the value has the wrong form, or if the function throws', () => {
    const thrower = () => {
      throw new Error('unexpected')
    }
    for (const customer of ['data.content', thrower]) {
      const view = received(message(), { mapping: { customer } })
      expect(view.facts.customer).toBeUndefined()
      expect(view.alarms).toContainEqual(expect.objectContaining({ code: 'fact_unreadable', fact: 'customer' }))
    }
  })

  it('makes neither our own number nor the digits of a hidden id a customer', () => {
    const ours = received(message({ to: '254711222333' }), { mapping: { customer: 'data.to' } })
    expect(ours.facts.customer).toBeUndefined()
    expect(ours.alarms).toContainEqual({ code: 'fact_conflict', fact: 'customer', path: 'data.to' })
    // Our number in another spelling.
    const sameCustomer = { of: (digits: string) => digits.replace(/^549/, '54') }
    const spelled = { mapping: { customer: 'data.peer' }, sameCustomer }
    for (const [to, peer] of [
      ['5491155550000', '541155550000'],
      ['541155550000', '5491155550000'],
    ])
      expect(received(message({ to, peer }), spelled).facts.customer).toBeUndefined()
    const hidden = received(message({ from: 'US.1349' }), { mapping: { customer: 'data.from' } })
    expect(hidden.facts).toMatchObject({ userId: { value: 'US.1349', how: 'mapped' } })
    expect(hidden.facts.customer).toBeUndefined()
    expect(hidden.alarms).toEqual([{ code: 'customer_number_hidden', fact: 'customer', path: 'data.from' }])
  })

  it('reads every fact in its own form', () => {
    const data = { who: 'a', n: 7, t: '2026-03-04T09:15:21Z', k: 'VOICE', u: 'https://a.test/1', s: 'READ' }
    const mapping = { messageId: 'data.n', at: 'data.t', kind: 'data.k', media: 'data.u', tapped: 'data.who' }
    expect(viewOf('message.received', { data }, { mapping }).facts).toMatchObject({
      messageId: { value: '7', sure: true },
      at: { value: Date.parse(data.t), sure: true },
      kind: { value: 'audio' },
      media: { value: { kind: 'audio', url: data.u } },
      tapped: { value: { id: 'a', title: undefined } },
    })
    const mapped = status(
      { data: { s: 'READ', read_at: data.t, message_id: 'm', to: '255712000101' } },
      { mapping: { status: 'data.s' } },
    )
    expect(mapped.facts).toMatchObject({ status: { value: 'read', how: 'mapped' }, at: { path: 'data.read_at' } })
  })

  it('may name several paths, of which the first with a value counts [R EVT-02]', () => {
    const mapping = { customer: ['data.who', 'data.whom'], text: ['data.a', 'data.b'] }
    const data = { id: 'm-1', who: null, whom: '255712000101', b: 'habari', text: 'a guess' }
    const { facts } = viewOf('message.received', { data }, { mapping })
    expect(facts.customer).toMatchObject({ value: '255712000101', path: 'data.whom', how: 'mapped' })
    expect(facts.text).toMatchObject({ value: 'habari', path: 'data.b', how: 'mapped' })
  })

  it('may name the members of a tap and of a file one by one, and completes them by guesses [R EVT-02]', () => {
    const mapping = { kind: 'k', 'tapped.id': 'jibu.alama', 'tapped.title': 'jibu.jina' }
    expect(received({ k: 'interactive', jibu: { alama: 'a', jina: 'A' } }, { mapping }).facts.tapped).toMatchObject({
      value: { id: 'a', title: 'A' },
      path: 'jibu.alama',
      how: 'mapped',
    })
    const url = 'https://media.example.test/1'
    const media = { 'media.url': 'picha.anwani', 'media.caption': 'picha.maneno', kind: 'k' }
    expect(
      received({ k: 'image', picha: { anwani: url, maneno: 'risiti' } }, { mapping: media }).facts.media?.value,
    ).toEqual({ kind: 'image', url, caption: 'risiti' })
    const guessed = { data: { type: 'image', image: { url, mime_type: 'image/png' } } }
    expect(received(guessed, { mapping: { media: 'data.image.url' } }).facts.media?.value).toEqual({
      kind: 'image',
      url,
      mime: 'image/png',
    })
  })

  it('parks a message or a status that lacks a fact at its path, and one without the content that its kind requires [R EVT-08]', () => {
    const lost = (mapping: Record<string, string | (() => undefined)>, event = 'message.received', data = {}) =>
      viewOf(event, message(data), { mapping }).missing
    expect(lost({ at: 'data.gone' })).toBe('at')
    expect(lost({ status: 'data.gone' }, 'message.status')).toBe('status')
    expect(lost({ text: 'data.gone' })).toBe('text')
    expect(lost({ text: 'data.gone' }, 'message.received', { message_type: 'location' })).toBeUndefined()
    expect(lost({ media: 'data.gone', userId: 'data.gone' })).toBeUndefined()
    // A function may find nothing on purpose; and of other events nobody knows what they must have.
    expect(lost({ at: () => undefined })).toBeUndefined()
    expect(lost({ at: 'data.gone' }, 'order.paid')).toBeUndefined()
  })

  it('of a time without a zone is sure but raises an alarm; of an implausible time it is not sure', () => {
    const at = (timestamp: unknown) => received(message({ timestamp }), { mapping: { at: 'data.timestamp' } })
    expect(at('2026-03-04T09:15:21')).toMatchObject({
      facts: { at: { value: Date.parse('2026-03-04T09:15:21Z'), sure: true } },
      alarms: [{ code: 'fact_assumed', fact: 'at' }],
    })
    expect(at(0)).toMatchObject({ facts: { at: { sure: false } }, alarms: [{ code: 'fact_assumed', fact: 'at' }] })
  })

  it('gives the app’s own facts: texts by path, anything by function [R EVT-02]', () => {
    const body = `{"event":"order.paid","data":{"order":{"id":12345678901234567890,"lines":[{"sku":"a"},{"sku":"b"}]},"total":1200.5}}`
    const mapping = {
      orderId: 'data.order.id',
      second: 'data.order.lines[1].sku',
      total: 'data.total',
      amount: (json: unknown) => (json as { data: { total: number } }).data.total,
      order: 'data.order',
      gone: 'data.gone',
    }
    const view = viewOf('order.paid', body, { mapping })
    expect(Object.fromEntries(Object.entries(view.own ?? {}).map(([name, { value }]) => [name, value]))).toEqual({
      orderId: '12345678901234567890',
      second: 'b',
      total: '1200.5',
      amount: 1200.5,
    })
    expect(view.alarms).toEqual([
      { code: 'unsafe_number', fact: 'orderId', path: 'data.order.id' },
      { code: 'fact_unreadable', fact: 'order', path: 'data.order' },
      { code: 'fact_missing', fact: 'gone', path: 'data.gone' },
    ])
  })

  it('follows only own members', () => {
    const mapping = { a: 'constructor', b: 'data.toString', c: 'data.__proto__.x' }
    const view = viewOf('order.paid', `{"data":{"__proto__":{"x":"1"}}}`, { mapping })
    expect({ ...view.own }).toEqual({ c: { value: '1', path: 'data.__proto__.x', how: 'mapped', sure: true } })
    expect(view.alarms.map(({ code, fact }) => [code, fact])).toEqual([
      ['fact_missing', 'a'],
      ['fact_missing', 'b'],
    ])
  })
})
