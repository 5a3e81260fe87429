import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PayloadContext, readBody } from '../../src/payload/index.ts'
import { Plans } from '../../src/payload/plan.ts'
import { bytesOf } from './reading.ts'
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

/** The same members with values of other types at the leaves. */
function retyped(value: unknown, next: () => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => retyped(element, next))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, retyped(member, next)]))
  return next()
}

/** As some services write JSON: with a space behind colons and commas. */
function spaced(body: unknown): string {
  return JSON.stringify(body, undefined, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/([{[]) | ([}\]])/g, '$1$2')
}

/** A reading with its shape made. */
function read(bytes: Uint8Array, context: PayloadContext, plans: Plans): unknown {
  const reading = readBody(bytes, context, plans)
  return 'views' in reading ? { ...reading, shape: reading.shape() } : reading
}

class NoPlans extends Plans {
  override learn(): void {}
}

describe('a plan', () => {
  const context = (event: string) => ({ event, deliveryId: '01JABCDEFGHJKMNPQRSTVWXYZ0', now: NOW })

  it.each(vectors.payloads)('changes nothing of what is read of $name [R EVT-02]', ({ body }) => {
    for (const event of EVENTS) {
      const plans = new Plans()
      const searched = read(bytesOf(body), context(event), plans)
      read(bytesOf(body), context(event), plans)
      expect(read(bytesOf(body), context(event), plans)).toEqual(searched)
    }
  })

  it('changes nothing of what is read of any payload, nor of another one of its shape [R EVT-02]', () => {
    const shared = new Plans()
    const none = new NoPlans()
    fc.assert(
      fc.property(payload, fc.constantFrom(...EVENTS), fc.array(leaf, { minLength: 1 }), (json, event, values) => {
        let at = 0
        const next = () => values[at++ % values.length]
        const other = varied(json, next)
        for (const body of [json, json, json, other, other, varied(json, next), retyped(other, next)])
          for (const bytes of [bytesOf(body), bytesOf(spaced(body))])
            expect(read(bytes, context(event), shared)).toEqual(read(bytes, context(event), none))
      }),
      { numRuns: 500 },
    )
  })

  it('changes nothing of a long batch whose elements are mostly no objects [R EVT-02]', () => {
    const plans = new Plans()
    const batch = {
      messages: [{ id: 'm', from: '255712000101', text: 'hi' }, ...Array.from({ length: 99 }, () => null)],
    }
    const searched = read(bytesOf(batch), context('message.received'), plans)
    read(bytesOf(batch), context('message.received'), plans)
    expect(searched).toMatchObject({ views: { length: 100 } })
    expect(read(bytesOf(batch), context('message.received'), plans)).toEqual(searched)
  })

  /** A shape is learnt as soon as it comes again. */
  const learn = (plans: Plans, body: unknown, event = 'message.received') => {
    for (let times = 0; times < 2; times++) readBody(bytesOf(body), context(event), plans)
  }
  const find = (plans: Plans, body: unknown, event = 'message.received') =>
    plans.find(event, typeof body === 'string' ? body : JSON.stringify(body))

  it('finds a payload of a shape that came before, whatever its values', () => {
    const plans = new Plans()
    const of = (from: string, text: string) => ({ event: 'message.received', data: { id: text, from, text } })
    learn(plans, of('255712000101', 'hi'))
    expect(find(plans, of('255712000102', 'good day'))).toBeDefined()
    expect(find(plans, of('255712000102', 'say "good"\n 😀'))?.values).toContain('say "good"\n 😀')
    expect(find(plans, of('255712000102', ''))).toBeUndefined()
    expect(find(plans, { ...of('255712000102', 'x'), extra: 1 })).toBeUndefined()
    expect(find(plans, of('255712000102', 'x'), 'message.sent')).toBeUndefined()
  })

  it('fits no text that is not JSON, and none that JSON reads in another way [R EVT-02]', () => {
    const plans = new Plans()
    const text = '{"data":{"id":"m","from":"255712000101","text":"hi","n":5,"seen":true}}'
    learn(plans, text)
    expect(find(plans, text)).toBeDefined()
    for (const [part, other] of [
      ['hi', 'h\u0000i'],
      ['hi', 'h\ni'],
      ['hi', 'h\\x'],
      ['hi', 'h\\u12'],
      ['hi', 'hi\\'],
      [':5', ':05'],
      [':5', ':5.'],
      [':5', ':.5'],
      [':5', ':+5'],
      [':5', ':NaN'],
      ['true', 'True'],
      ['true', 'null'],
      ['}}', '}'],
      ['}}', '}}}'],
      ['{"data', ' {"data'],
      ['"id":"m"', '"id":"m","id":"n"'],
    ] as const)
      expect(find(plans, text.replace(part, other)), other).toBeUndefined()
    const twice = '{"data":{"id":"m","from":"255712000101","from":"255712000102","text":"hi"}}'
    learn(plans, twice)
    expect(find(plans, twice)).toBeUndefined()
  })

  it('looks at the types alone of what the search does not look into, since a shape has them', () => {
    const plans = new Plans()
    const of = (context: unknown) => ({ data: { id: 'm', from: '255712000101', text: 'hi', context } })
    learn(plans, of({ a: 1, b: [{ c: 'x' }] }))
    expect(find(plans, of({ a: 2, b: [{ c: 'message.sent' }] }))).toBeDefined()
    expect(find(plans, of({ a: 2, b: [{ c: '' }] }))).toBeDefined()
    for (const other of [
      { a: 1, b: [] },
      { a: 1, b: [{ c: null }] },
      { a: '1', b: [{ c: 'x' }] },
    ])
      expect(find(plans, of(other))).toBeUndefined()
    const values = ['x', 1, true, null, '{"from":"255712000102"}', {}, []]
    for (const [i, data] of values.entries()) {
      const one = new Plans()
      learn(one, of({ data }))
      const others = values.filter((_, at) => at !== i)
      for (const other of others) expect(find(one, of({ data: other })), JSON.stringify([data, other])).toBeUndefined()
    }
  })

  it('is made when a shape comes again: one that comes once costs no more than a search', () => {
    const plans = new Plans()
    const body = { data: { from: '255712000101', text: 'hi' } }
    readBody(bytesOf(body), context('message.received'), plans)
    expect(plans.size).toBe(0)
    readBody(bytesOf({ data: { from: '255712000102', text: 'good day' } }), context('message.received'), plans)
    expect(plans.size).toBe(1)
  })

  it('is kept for a bounded number of shapes, so that a hostile sender fills no memory', () => {
    const plans = new Plans()
    for (let i = 0; i < 3_000; i++)
      learn(plans, { data: { from: '255712000101', [`member${i}`]: i } }, `event.${i % 500}`)
    expect(plans.size).toBeLessThanOrEqual(16 * 16)
    const wide = { messages: Array.from({ length: 500 }, (_, i) => ({ id: `m${i}`, from: '255712000101', text: 'x' })) }
    const long = { data: { from: '255712000101', text: 'x' }, errors: Array.from({ length: 5_000 }, (_, i) => i) }
    for (const body of [wide, long]) {
      const fresh = new Plans()
      learn(fresh, body)
      expect(fresh.size).toBe(0)
    }
  })

  it('is no longer made for each new shape, if shapes are always new: making one costs more than it saves', () => {
    const plans = new Plans()
    const of = (i: number) => ({ data: { from: '255712000101', [`member${i}`]: i } })
    for (let i = 0; i < 400; i++) learn(plans, of(i))
    expect(find(plans, of(399))).toBeUndefined()
    for (let i = 0; i < 40_000 && !find(plans, of(0)); i++) learn(plans, of(0))
    expect(find(plans, of(0))).toBeDefined()
  })
})
