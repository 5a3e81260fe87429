/** The bot with its own service, database and clock, all in this process. */
import { expect, it } from 'vitest'
import { scenario } from 'switchhook/testing'
import { bot } from '../src/bot.ts'
import { WORDS } from '../src/words.ts'
import recorded from './fixtures/hours.json' with { type: 'json' }

it('offers the menu for any other message', async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  expect((await asha.says('good morning')).text).toBe(WORDS.help)
  expect((await asha.taps(WORDS.hours)).text).toBe(WORDS.open)
})

it('tells the opening hours in both languages, today and tomorrow', async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  expect((await asha.says('Hours')).text).toBe(WORDS.open)
  await s.advance('25h')
  expect((await asha.says('saa')).text).toBe(WORDS.open)
})

it('tells how far an order is', async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  await asha.says('hello')
  await asha.taps(WORDS.track)
  expect((await asha.says('#7781')).text).toBe(WORDS.order('7781', WORDS.states.ready))
  expect((await asha.says('9999')).text).toBe(WORDS.unknown('9999'))
})

it('asks when to call, and takes the answer a day later at the latest', async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  expect((await asha.says('call me')).text).toBe(WORDS.when)
  await s.advance('23h')
  expect((await asha.says('at 10')).text).toBe(WORDS.willCall('at 10'))
})

it('replies once, although the answer of the service is lost', async () => {
  await using s = await scenario(bot)
  s.faults.loseNextAnswer()
  expect((await s.customer('255712000101').says('hours')).text).toBe(WORDS.open)
})

it('understands a delivery as it was recorded', async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  await asha.says('good morning') // opens the window for replies
  await s.event(recorded.event, recorded.payload)
  expect(asha.last?.text).toBe(WORDS.open)
})
