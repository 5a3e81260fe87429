import { describe, expect, it } from 'vitest'
import { Observations, readBody, shapeOf } from '../../src/payload/index.ts'
import type { PayloadContext } from '../../src/payload/index.ts'
import { bytesOf, message, NOW } from './reading.ts'

const EVENT = 'message.received'

/** Counts these payloads, one each millisecond. */
function observed(payloads: readonly unknown[], given: { event?: string; more?: Partial<PayloadContext> } = {}) {
  const observations = new Observations()
  const { event = EVENT } = given
  const fresh = payloads.map((payload, i) => {
    const reading = readBody(bytesOf(payload), { event, deliveryId: undefined, now: NOW, ...given.more })
    if ('refused' in reading) throw new Error(reading.refused.code)
    return observations.add(event, reading, NOW + i)
  })
  return { observations, fresh, ...observations.take() }
}

const customers = (facts: ReturnType<typeof observed>['facts']) => facts.filter(({ fact }) => fact === 'customer')

describe('what is observed of payloads', () => {
  it('is how often a shape came, and in how many messages each fact was found, where and how surely [R EVT-07]', () => {
    const elsewhere = { event: EVENT, data: { id: 'm', text: 'hi', sender: '255712000101' } }
    const { shapes, facts, fresh } = observed([message(), elsewhere, message({ from: '255712000102' })])
    const { paths, fingerprint } = shapeOf(message())
    expect(shapes[0]).toEqual({
      event: EVENT,
      fingerprint,
      paths,
      truncated: false,
      deliveries: 2,
      messages: 2,
      firstAt: NOW,
      lastAt: NOW + 2,
    })
    expect(shapes).toHaveLength(2)
    expect(fresh).toEqual([true, true, false])
    const about = { event: EVENT, fact: 'customer', how: 'guessed' }
    expect(customers(facts)).toEqual([
      { ...about, path: 'data.from', seen: 2, sure: 2, firstAt: NOW, lastAt: NOW + 2 },
      { ...about, path: 'data.sender', seen: 1, sure: 0, firstAt: NOW + 1, lastAt: NOW + 1 },
    ])
  })

  it('is also which facts are in doubt, and the path of the doubt [R EVT-07]', () => {
    const { facts } = observed([
      message({ contact: { phone: '255712000999' } }),
      message({ timestamp: '2026-03-04T09:15:21' }),
    ])
    const doubts = facts.filter(({ how }) => how !== 'guessed').map(({ fact, path, how }) => [fact, path, how])
    expect(doubts).toEqual([
      ['customer', 'data.contact.phone', 'conflict'],
      ['at', 'data.timestamp', 'assumed'],
    ])
  })

  it('counts each message of a batch, and names no index [R EVT-07]', () => {
    const { shapes, facts } = observed([{ messages: [1, 2, 3].map((id) => ({ id, from: '255712000101', text: 'x' })) }])
    expect(shapes).toMatchObject([{ deliveries: 1, messages: 3 }])
    expect(customers(facts)).toMatchObject([{ path: 'messages[].from', seen: 3 }])
  })

  it('has the facts that the app maps, its own ones too, by the path of the mapping [R EVT-07]', () => {
    const mapping = { customer: 'data.who', orderId: () => 'o-1' }
    const { facts } = observed([message({ who: '255712000101' })], { more: { mapping } })
    expect(facts.filter(({ how }) => how === 'mapped').map(({ fact, path }) => [fact, path])).toEqual([
      ['customer', 'data.who'],
      ['orderId', '()'],
    ])
  })

  it('holds nothing that was in a payload: no number, no name, no text, no id, in whatever place [R EVT-07]', () => {
    const canaries = ['255712000101', 'Mwanaidi Kisongo', 'My loan was refused', 'wamid.HBgMMjU1NzEy', 'TZ.1349120865']
    const places = ['from', 'text', 'id', 'name', 'contact', 'media_url', 'status', 'caption', 'wa_message_id']
    const payloads = canaries.flatMap((canary) => [
      ...places.map((place) => message({ [place]: canary })),
      ...places.map((place) => message({ [place]: { [canary]: canary, [place]: [canary, { [canary]: 1 }] } })),
      { [canary]: message({ [canary]: canary }) },
      { ...message(), event: EVENT, [canary]: [canary] },
      {
        messages: [
          { ...message().data, [canary]: canary },
          { text: canary, from: canary, [`${canary}x`]: {} },
        ],
      },
    ])
    for (const event of [EVENT, 'message.status', 'order.paid']) {
      const { shapes, facts } = observed(
        payloads.map((payload) => ({ ...payload, event })),
        { event },
      )
      const all = JSON.stringify([shapes, facts])
      for (const canary of canaries) expect(all).not.toContain(canary)
      expect(all).not.toContain('Kisongo')
    }
  })

  it('is bounded against a sender whose shapes and events are always new [R EVT-07]', () => {
    const observations = new Observations()
    const word = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    let last = 0
    for (let i = 0; i < 20_000; i++) {
      const body = message({ [word(i)]: i })
      const reading = { shape: () => shapeOf(body), eventName: undefined, hasEscapes: false, views: [] }
      const facts = { customer: { value: 'x', path: `data.${word(i)}`, how: 'guessed' as const, sure: true } }
      observations.add(`event.${word(i % 100)}`, { ...reading, views: [{ facts, alarms: [] }] }, ++last)
    }
    const { shapes, facts } = observations.take()
    expect(shapes.length).toBeLessThanOrEqual(33 * 65)
    expect(facts.length).toBeLessThanOrEqual(33 * 257)
    expect(shapes.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(20_000)
    expect(facts.reduce((sum, { seen }) => sum + seen, 0)).toBe(20_000)
    expect(shapes.filter(({ fingerprint }) => fingerprint === '').every(({ paths }) => paths.length === 0)).toBe(true)
  })

  it('is taken once', () => {
    const { observations } = observed([message()])
    expect(observations.isEmpty).toBe(true)
    expect(observations.take()).toEqual({ shapes: [], facts: [] })
  })
})
