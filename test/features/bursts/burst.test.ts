import { expect, it } from 'vitest'
import type { KeptFacts } from '../../../src/bot/inbox/read-delivery.ts'
import { createBot } from '../../../src/bot/switchhook.ts'
import { burst } from '../../../src/features/bursts/burst.ts'

it.each<[object, string]>([
  [{}, "burst.quiet: expected a span such as '1500ms', got a value of type undefined"],
  [{ quiet: '2s', max: '1s' }, 'burst.max: expected no less than quiet, got a shorter span'],
  [{ quiet: '2s', maxMessages: 0 }, 'burst.maxMessages: expected a whole number from 1 on'],
  [{ quiet: '2s', most: 3 }, 'burst.most: this option does not exist; the options are quiet, max, maxMessages'],
])('a wrong option is refused by name: %j', (given, message) => {
  expect(() => createBot({ burst: given as never })).toThrow(message)
})

const CUSTOMER = '255712000101'

it('gathers messages by its rules, and no tap, no message of a guessed customer, none of a route that opted out', () => {
  const gathers = burst.gathers?.({ quiet: '2s', maxMessages: 3 }, { isHandledAlone: ({ text }) => text === 'stop' })
  const howOf = (values: KeptFacts['values'], sure = ['customer']) =>
    gathers?.({ values: { customer: CUSTOMER, ...values }, sure, mapped: [], own: {} })
  expect(howOf({ text: 'hi' })).toEqual({ quietMs: 2_000, maxMs: 10_000, maxMessages: 3 })
  expect(howOf({ text: 'hi' })).toBe(howOf({ text: 'there' }))
  expect(howOf({ text: 'stop' })).toBe('flushes')
  expect(howOf({ text: 'Hats', tapped: { id: 'hats', title: 'Hats' } })).toBe('flushes')
  expect(howOf({ text: 'hi' }, [])).toBe('flushes')
})
