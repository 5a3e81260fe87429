import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stdSerializers } from 'pino'
import { describe, expect, it } from 'vitest'
import { SwitchhookError } from '../../../src/base/errors.ts'
import { ApiError } from '../../../src/client/client.ts'
import { ruleOf } from '../../../src/service/contract.ts'
import { decideItem } from '../../../src/bot/work/failed-attempt.ts'
import { redactError, redactedFrames } from '../../../src/bot/work/redacted-error.ts'
import { RetryIn } from '../../../src/bot/routes/routes.ts'
import { RefusedAlone, Unstorable } from '../../../src/store/database/engine.ts'

const NOW = 1_800_000_000_000
const limits = { max: 8, withinMs: 24 * 3_600_000, deadlineMs: 30_000 }
const settle = (error: unknown, attempt = 1, random = 1, createdAt = NOW) =>
  decideItem(error, { attempt, createdAt, completedHandlers: [] }, { limits, now: NOW, random: () => random })

const waitAfter = (attempt: number, random: number) => {
  const item = { attempt, createdAt: 0, completedHandlers: [] }
  const settlement = decideItem(new Error('x'), item, { limits: { ...limits, max: 99 }, now: 0, random: () => random })
  return settlement.as === 'retry' ? settlement.at : undefined
}

const refusedBy = (status: number, code: string) =>
  new ApiError({ message: code, status, code, rule: ruleOf(status, code) })

describe('a failed attempt', () => {
  it('is tried again after a second, then two, four …, at most ten minutes [F-56]', () => {
    expect([1, 2, 3, 4, 9, 20].map((attempt) => waitAfter(attempt, 1))).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 600_000,
    ])
  })

  it('waits a random part of that, so that a storm spreads out [F-56]', () => {
    expect(waitAfter(4, 0.25)).toBe(2_000)
    expect(waitAfter(4, 0)).toBe(0)
  })

  it('blocks its lane for a short wait, and lets the rest continue in a longer one', () => {
    expect(settle(new Error('x'), 5)).toMatchObject({ as: 'retry', at: NOW + 16_000, blocksLane: true })
    expect(settle(new Error('x'), 6)).toMatchObject({ as: 'retry', at: NOW + 32_000, blocksLane: false })
  })

  it('is given up after the last attempt, and after 24 hours [F-56]', () => {
    expect(settle(new Error('x'), 7)).toMatchObject({ as: 'retry' })
    expect(settle(new Error('x'), 8)).toEqual({ as: 'dead', reason: 'x', completedHandlers: [] })
    expect(settle(new Error('x'), 2, 1, NOW - 24 * 3_600_000)).toMatchObject({ as: 'dead' })
    expect(settle(new Error('x'), 1, 1, NOW - 24 * 3_600_000 + 1_000)).toMatchObject({ as: 'retry' })
  })

  it('that comes to no other attempt says why, even the first one [F-56]', () => {
    const reason = expect.stringMatching(/^RetryIn: the shop is closed .*attempts\.within/)
    expect(settle(new RetryIn('25h', 'the shop is closed'))).toMatchObject({ as: 'dead', reason })
    expect(settle(new RetryIn('24h', 'the shop is closed'))).toMatchObject({ as: 'retry' })
  })

  it('is given up at once if another attempt would only repeat it', () => {
    for (const code of ['content_invalid', 'options_invalid', 'outside_window'] as const)
      expect(settle(new SwitchhookError(code, 'x'))).toMatchObject({ as: 'dead' })
    expect(settle(refusedBy(422, 'validation_error'))).toMatchObject({ as: 'dead' })
    expect(settle(refusedBy(400, 'invalid_template'))).toMatchObject({ as: 'dead' })
  })

  it('is tried again if the service may answer otherwise', () => {
    for (const error of [
      refusedBy(429, 'rate_limited'),
      refusedBy(500, 'internal_error'),
      refusedBy(502, 'send_failed'),
    ])
      expect(settle(error)).toMatchObject({ as: 'retry' })
  })

  it('is given up at once for what the database refuses for its own values, and tried again for what it refuses now [R DEL-03]', () => {
    expect(settle(new Unstorable('the database did not take a write: (22001)', undefined))).toMatchObject({
      as: 'dead',
      reason: expect.stringContaining('22001'),
    })
    expect(settle(new RefusedAlone('it takes longer than the server lets it', undefined)).as).toBe('retry')
    expect(settle(new SwitchhookError('store_unavailable', 'the store is closed')).as).toBe('retry')
  })

  it('is parked if a fact is missing [R EVT-02]', () => {
    expect(settle(new SwitchhookError('recipient_not_confirmed', 'x'))).toMatchObject({ as: 'parked' })
    expect(settle(new SwitchhookError('fact_missing', 'x'))).toMatchObject({ as: 'parked' })
  })

  it('has a readable and short reason, whatever was thrown', () => {
    expect(settle('a text', 8)).toMatchObject({ as: 'dead', reason: 'a text' })
    expect(settle(undefined, 8)).toMatchObject({ as: 'dead', reason: 'undefined' })
    expect(settle(Object.create(null), 8)).toMatchObject({ as: 'dead', reason: expect.stringContaining('no text') })
    expect(settle(new TypeError('y'), 8)).toMatchObject({ as: 'dead', reason: 'TypeError: y' })
    expect((settle(new Error('z'.repeat(9_000)), 8) as { reason: string }).reason).toHaveLength(500)
  })
})

it('an error shows neither the customer’s number, however it is written, nor the message: not in its text, not in its stack [F-87]', () => {
  const facts = JSON.stringify({ values: { text: 'my secret order' } })
  for (const written of ['255712000101', '+255 712 000 101', '(255) 712-000-101', '255.712.000.101']) {
    const orders = { [written]: () => new Error(`no order "my secret order" of ${written}`) }
    const error = orders[written]?.()
    const { message, stack } = redactError(error, { customer: '255712000101', facts, earlier: [] })
    for (const shown of [message, stack]) {
      expect(shown).not.toContain('my secret order')
      expect(shown?.replaceAll(/\D/g, '')).not.toContain('255712000101')
    }
    expect(message).toContain('no order "[text]" of ')
  }
})

it('an error shows no text fact of the message as a whole, in whatever case it is written [F-87]', () => {
  const media = { kind: 'image', url: 'https://media.example/7f3a', caption: 'My (sore) knee', filename: 'knee.PNG' }
  const facts = JSON.stringify({
    values: { text: 'hello  there', media },
    sure: [],
    mapped: [],
    own: { name: 'Zuhura', order: '7781', home: [{ street: 'Uhuru 4' }] },
  })
  const said = 'HELLO THERE, zuhura: my (SORE) knee in Knee.png at https://media.example/7f3a, order 7781 to uhuru 4'
  const error = new Error(said)
  const { message, stack } = redactError(error, { customer: undefined, facts, earlier: [] })
  expect(message).toBe('[text], [text]: [text] in [text] at [text], order 7781 to [text]')
  expect(stack).not.toMatch(/zuhura|knee/i)
})

it('a text that is too long for a pattern is removed with all that follows it', () => {
  const text = `begin ${'x'.repeat(100_000)}`
  const facts = JSON.stringify({ values: { text } })
  const { message } = redactError(new Error(`no ${text} here`), { customer: undefined, facts, earlier: [] })
  expect(message).toBe('no [text]')
})

it.each([
  new TypeError('no price'),
  new SwitchhookError('fact_missing', 'no price'),
  new (class Lost extends Error {
    override readonly name = 'Lost'
  })('no price'),
])('pino logs %s under its own name', (error) => {
  const about = redactError(error, { customer: undefined, facts: '{}', earlier: [] })
  expect(stdSerializers.err(about as Error)).toMatchObject({ type: error.name, message: 'no price' })
})

const url = (file: string) => pathToFileURL(join(process.cwd(), file)).href
const subject = { customer: '255712000101', facts: '{"values":{}}', earlier: [] }

it('an error’s frames name files from the working directory, and show no number and no line of its message [F-87]', () => {
  const error = new Error('he wrote:\n    at my house (by the river:1:2)')
  error.stack = [
    `Error: ${error.message}`,
    `    at find (${url('bot/orders.ts')}:3:9)`,
    `    at async ${join(process.cwd(), 'bot/index.ts')}:20:5`,
    '    at Object.255712000101 (/app/src/255712000101.js:3:5)',
  ].join('\n')
  expect(redactedFrames(error, subject)).toEqual([
    'at find (bot/orders.ts:3:9)',
    'at async bot/index.ts:20:5',
    'at Object.…101 (/app/src/…101.js:3:5)',
  ])
  for (const thrown of ['a text', undefined, null, { stack: 5 }]) expect(redactedFrames(thrown, subject)).toEqual([])
})
