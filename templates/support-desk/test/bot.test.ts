/** The desk with its own service, database and clock, all in this process. */
import { expect, it } from 'vitest'
import { scenario } from 'switchhook/testing'
import { bot } from '../src/bot.ts'
import { WORDS } from '../src/words.ts'
import recorded from './fixtures/person.json' with { type: 'json' }

const NOON = '2026-03-04T12:00:00+03:00' // a Wednesday
const NIGHT = '2026-03-04T22:00:00+03:00'
const first = WORDS.en
/** The language that the customer chooses. */
const other = WORDS.sw

it("talks in the customer's language, and remembers it", async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  expect((await asha.says('habari')).text).toBe(first.help)
  expect((await asha.taps(first.other)).text).toBe(other.help)
  expect((await asha.taps(other.hours)).text).toBe(other.open)
  await s.advance('7d')
  expect((await asha.says('hello again')).text).toBe(other.help)
})

it('hands over to a person, and is silent until the customer comes back', async () => {
  await using s = await scenario(bot, { at: NOON })
  const asha = s.customer('255712000101')
  expect((await asha.says('mtu')).text).toBe(first.wait)
  expect((await asha.says('my shoes are too small')).text).toBe('')
  expect((await asha.says('Menu')).text).toBe(first.help)
})

it('takes the customer back after four hours', async () => {
  await using s = await scenario(bot, { at: NOON })
  const asha = s.customer('255712000101')
  await asha.says('person')
  await s.advance('4h')
  expect((await asha.says('hello?')).text).toBe(first.help)
})

it('sends no news after STOP, until START', async () => {
  await using s = await scenario(bot)
  const asha = s.customer('255712000101')
  const news = (key: string) => bot.to('255712000101').send('New shoes!', { key, kind: 'marketing' })
  expect((await asha.says('Acha')).text).toBe(first.stopped)
  expect(await news('monday')).toEqual({ via: 'skipped', why: 'opted_out' })
  expect((await asha.says('Start!')).text).toBe(first.started)
  expect(await news('tuesday')).toMatchObject({ via: 'freeform' })
})

it('says at night that nobody is there, and continues to answer', async () => {
  await using s = await scenario(bot, { at: NIGHT })
  const asha = s.customer('255712000101')
  await asha.says('habari')
  expect((await asha.taps(first.person)).text).toBe(first.closed)
  expect((await asha.says('habari')).text).toBe(first.help)
})

it('understands a tap as it was recorded', async () => {
  await using s = await scenario(bot, { at: NOON })
  const asha = s.customer('255712000101')
  await asha.says('habari') // opens the window for replies
  await s.event(recorded.event, recorded.payload)
  expect(asha.last?.text).toBe(first.wait)
})
