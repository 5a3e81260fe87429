import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPayload } from '../../src/payload/index.ts'
import { Plans } from '../../src/payload/plan.ts'
import vectors from '../vectors/payloads.json' with { type: 'json' }

const NOW = Date.UTC(2026, 2, 4, 9)
const EVENTS = ['message.received', 'message.status', 'message.sent', 'template.status', 'account.error', 'order.paid']

const names = `from to id type kind status timestamp text body data message messages contacts wa_id customer phone event
  event_type interactive reply option_id media_url image url at direction metadata phone_number_id items changes`
const key = fc.constantFrom(...names.trim().split(/\s+/), 'messageId', 'a.b', 'x[0]', 'unknown')
const leaf = fc.oneof(
  fc.constantFrom<unknown>('', null, true, 5, '255712000101', '255700000001', 'wamid.HBg', 'message.received', 'sent'),
  fc.constantFrom<unknown>(
    '2026-03-04T08:59:00Z',
    1_772_614_740,
    '{"from":"255712000101","text":"hi"}',
    'hello',
    {},
    [],
  ),
)
const payload = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, tie('object'), fc.array(tie('object'), { maxLength: 3 })),
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
})).object

/** The same shape with other values at the leaves. */
function varied(value: unknown, next: () => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => varied(element, next))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, varied(member, next)]))
  return typeof value === 'string' ? next() : value
}

describe('a plan', () => {
  const context = (event: string) => ({ event, deliveryId: '01JABCDEFGHJKMNPQRSTVWXYZ0', now: NOW })

  it.each(vectors.payloads)('changes nothing of what is read of $name [R EVT-02]', ({ body }) => {
    const json: unknown = JSON.parse(body)
    for (const event of EVENTS) {
      const plans = new Plans()
      const searched = readPayload(json, context(event), undefined, plans)
      expect(readPayload(json, context(event), undefined, plans)).toEqual(searched)
    }
  })

  it('changes nothing of what is read of any payload, nor of another one of its shape [R EVT-02]', () => {
    const shared = new Plans()
    fc.assert(
      fc.property(payload, fc.constantFrom(...EVENTS), fc.array(leaf, { minLength: 1 }), (json, event, values) => {
        let at = 0
        const next = () => values[at++ % values.length]
        for (const body of [json, json, varied(json, next), varied(json, next)])
          expect(readPayload(body, context(event), undefined, shared)).toEqual(
            readPayload(body, context(event), undefined, new Plans()),
          )
      }),
      { numRuns: 2_000 },
    )
  })

  it('changes nothing of a long batch whose elements are mostly no objects [R EVT-02]', () => {
    const plans = new Plans()
    const batch = {
      messages: [{ id: 'm', from: '255712000101', text: 'hi' }, ...Array.from({ length: 99 }, () => null)],
    }
    const searched = readPayload(batch, context('message.received'), undefined, plans)
    expect(searched).toMatchObject({ views: { length: 100 } })
    expect(readPayload(batch, context('message.received'), undefined, plans)).toEqual(searched)
  })

  it('finds a payload of a shape that came before, whatever its values', () => {
    const plans = new Plans()
    const of = (from: string, text: string) => ({ event: 'message.received', data: { id: text, from, text } })
    readPayload(of('255712000101', 'hi'), context('message.received'), undefined, plans)
    expect(plans.find('message.received', of('255712000102', 'good day'))).toBeDefined()
    expect(plans.find('message.received', of('255712000102', ''))).toBeUndefined()
    expect(plans.find('message.received', { ...of('255712000102', 'x'), extra: 1 })).toBeUndefined()
    expect(plans.find('message.sent', of('255712000102', 'x'))).toBeUndefined()
  })

  it('looks at no member that the search does not look into', () => {
    const plans = new Plans()
    const of = (context: unknown) => ({ data: { id: 'm', from: '255712000101', text: 'hi', context } })
    readPayload(of({ a: 1 }), context('message.received'), undefined, plans)
    expect(plans.find('message.received', of({ b: { c: 'other' } }))).toBeDefined()
  })

  it('is kept for a bounded number of shapes, so that a hostile sender fills no memory', () => {
    const plans = new Plans()
    for (let i = 0; i < 5_000; i++)
      readPayload({ data: { from: '255712000101', [`member${i}`]: i } }, context(`event.${i % 500}`), undefined, plans)
    expect(plans.size).toBeLessThanOrEqual(16 * 32)
    const wide = { messages: Array.from({ length: 500 }, (_, i) => ({ id: `m${i}`, from: '255712000101', text: 'x' })) }
    readPayload(wide, context('message.received'), undefined, plans)
    expect(plans.find('message.received', wide)).toBeUndefined()
    const long = { data: { from: '255712000101', text: 'x' }, errors: Array.from({ length: 5_000 }, (_, i) => i) }
    readPayload(long, context('message.status'), undefined, plans)
    expect(plans.find('message.status', long)).toBeUndefined()
  })
})
