import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FactMapping } from '../../../../src/bot/inbox/payload/facts.ts'
import { readBody } from '../../../../src/bot/inbox/payload/read-body.ts'
import { growth } from '../../../support/cost.ts'
import { bytesOf, message, NOW, received, refusalOf } from './reading.ts'

const NAMES =
  `__proto__ constructor prototype toString hasOwnProperty id type from to customer contact phone text content
  message messages statuses data payload event object entry changes value interactive button_reply status timestamp
  attachments errors image url wa_message_id fromUserId`.split(/\s+/)

const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(null, true, 0, 2 ** 60, '255712000101', 'US.1349', '{"from":1}', 'message.received', 'wamid.A'),
      fc.string(),
      fc.double(),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie('value')), { maxLength: 8 }).map(fromPairs),
  ),
}))

// As JSON.parse makes them: a member called `__proto__` is a member.
function fromPairs(pairs: [string, unknown][]): unknown {
  return JSON.parse(`{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`)
}

describe('any payload', () => {
  it('is read or refused without throwing, and leaves the prototypes unchanged [R EVT-02]', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort()
    const event = fc.constantFrom('message.received', 'message.status', 'template.status', 'x', '__proto__')
    const mapping = fc.constantFrom(
      undefined,
      JSON.parse('{"text":"data.text","own":"constructor.name","__proto__":"data.id"}') as FactMapping,
    )
    fc.assert(
      fc.property(anyJson, event, mapping, (json, name, mapped) => {
        const context = { event: name, deliveryId: undefined, now: NOW, ...(mapped && { mapping: mapped }) }
        const result = readBody(bytesOf(JSON.stringify(json)), context)
        expect('views' in result ? result.views.length : result.refused.code).toBeTruthy()
      }),
      { numRuns: 1_000 },
    )
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before)
  })

  it('never causes an alarm with a value in it [R EVT-02]', () => {
    const canary = 'canary255'
    const fill = (json: unknown): unknown =>
      JSON.parse(JSON.stringify(json), (_, value: unknown) => (typeof value === 'string' ? canary : value))
    fc.assert(
      fc.property(anyJson, (json) => {
        const result = readBody(bytesOf(fill(json)), { event: 'message.status', deliveryId: undefined, now: NOW })
        expect(JSON.stringify('views' in result ? result.views.map(({ alarms }) => alarms) : result)).not.toContain(
          canary,
        )
      }),
    )
  })

  it('is read in time that grows linearly with its length', () => {
    const bodiesOf = (long: number) => [
      message({ from: ' '.repeat(long) }),
      message({ from: `+${'1'.repeat(long)}` }),
      message({ timestamp: '1'.repeat(long) }),
      message({ media_url: `https://${' '.repeat(long)}` }),
      { ...message(), type: 'a.'.repeat(long / 2) },
      message({ ['aA'.repeat(long / 2)]: 1, ['-'.repeat(long)]: 1 }),
      message(Object.fromEntries(Array.from({ length: long / 8 }, (_, i) => [`Name${i}`, i]))),
      { data: Array.from({ length: long / 40 }, () => ({ messages: [], value: {} })) },
      { data: `{${'"data":{'.repeat(long / 8)}` },
    ]
    const shorter = bodiesOf(10_000)
    const grows = bodiesOf(80_000).map((body, index) => {
      const [smaller, larger] = [() => received(shorter[index]), () => received(body)]
      return growth(smaller, larger)
    })
    expect(Math.max(...grows)).toBeLessThan(32)
  })

  it('is refused as a batch whose envelope would be read for each of its messages [R EVT-02]', () => {
    const around = Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`member_${index}`, index]))
    const messages = Array.from({ length: 12 }, (_, index) => ({ id: `m${index}`, from: '255712000101', type: 'text' }))
    const body = Buffer.from(JSON.stringify({ event: 'message.received', data: { ...around, messages } }))
    const reading = readBody(body, { event: 'message.received', deliveryId: 'd', now: NOW })
    expect(reading).toMatchObject({ refused: { code: 'batch_too_large' } })
  })

  it.each([
    [
      'an object',
      (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, ','])),
      20_000,
    ],
    ['a list', (count: number) => Array.from({ length: count }, () => [',']), 20_000],
  ])('is refused before it is parsed if %s has too many members [R EVT-02]', (_what, of, most) => {
    const fits = bytesOf({ ...message(), more: of(most) })
    expect(refusalOf(fits)).toBeUndefined()
    for (const more of [of(most + 1), { inner: [of(most + 1)] }, of(90_000)])
      expect(refusalOf(bytesOf({ ...message(), more }))).toEqual({ code: 'too_many_members' })
    const large = bytesOf({ ...message(), more: of(90_000) })
    // It costs no more than one that is read.
    expect(
      growth(
        () => refusalOf(fits),
        () => refusalOf(large),
      ),
    ).toBeLessThan(4)
  })
})
