import { expect, it } from 'vitest'
import { createBot, template } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

function greeter() {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('hello'))
  return bot
}

it('a lost answer does not double the reply', async () => {
  await using s = await scenario(greeter())
  s.faults.loseNextAnswer()
  const start = s.now().getTime()
  expect((await s.customer(ASHA).says('hi')).text).toBe('hello')
  expect(s.now().getTime(), 'a repeat took its time').toBeGreaterThan(start)
})

it('open questions of the specification are answered by the scenario’s assumptions', async () => {
  await using s = await scenario(greeter(), { assumptions: { keysRememberedFor: 'until_settled', upstreamMs: 700 } })
  s.faults.loseNextAnswer()
  const start = s.now().getTime()
  expect((await s.customer(ASHA).says('hi')).text).toBe('hello\nhello')
  expect(s.now().getTime() - start).toBeGreaterThanOrEqual(2 * 700)
  const wrong = { keysRememberedFor: 'a week' } as object
  await expect(scenario(greeter(), { assumptions: wrong })).rejects.toMatchObject({ code: 'options_invalid' })
})

it.each([429, 500, 502])('a service that answers %i gets a retry within the turn', async (status) => {
  await using s = await scenario(greeter())
  s.faults.next(status)
  expect((await s.customer(ASHA).says('hi')).text).toBe('hello')
})

it('faults apply to one send each, in the order of the calls', async () => {
  const bot = createBot()
  const via: unknown[] = []
  bot.observe({ send_refused: ({ reason }) => void via.push(reason), send_accepted: () => void via.push('accepted') })
  bot.hears('three', async (ctx) => {
    for (const slot of ['a', 'b', 'c'])
      await ctx.reply(slot, { slot }).catch((error: { code: string }) => via.push(error.code))
  })
  await using s = await scenario(bot)
  s.faults.next(422)
  s.faults.next(409)
  expect((await s.customer(ASHA).says('three')).text).toBe('c')
  expect(via).toEqual([
    'validation_error',
    'validation_error',
    'outside_messaging_window',
    'outside_window',
    'accepted',
  ])
})

it('refuses a status that the service does not answer with', async () => {
  await using s = await scenario(greeter())
  expect(() => s.faults.next(418)).toThrow("faults: must be a status of the service's errors")
})

it('a service that is out of reach for hours leaves the phone empty, and the reply comes once when it is back', async () => {
  await using s = await scenario(greeter())
  s.faults.down('2h')
  expect((await s.customer(ASHA).says('hi')).sent).toEqual([])
  expect((await s.advance('2h')).text).toBe('hello')
  expect(s.customer(ASHA).thread).toHaveLength(2)
})

it('the list of templates is out of reach too, which a reply with a fallback requests first', async () => {
  const bot = createBot()
  const outsideWindow = template('ready', 'sw', { body: ['7'] })
  bot.otherwise(async (ctx) => {
    await ctx.reply('hello', { outsideWindow })
    await ctx.to(ctx.customer).send('later', { at: '26h', outsideWindow })
  })
  await using s = await scenario(bot, { templates: [{ name: 'ready', language: 'sw', body: 'Oda {{1}}' }] })
  s.faults.down('2h')
  expect((await s.customer(ASHA).says('hi')).sent).toEqual([])
  expect((await s.advance('2h')).text).toBe('hello')
  expect((await s.advance('26h')).text).toBe('Oda 7')
})
