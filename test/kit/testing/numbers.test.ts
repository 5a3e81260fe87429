import { describe, expect, it } from 'vitest'
import { createBot, SwitchhookError } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

function shop() {
  const bot = createBot({
    numbers: {
      retail: { accessToken: () => process.env['NOBODY_SET_THIS'] as string, signingSecret: ['new', 'old'] },
      wholesale: { accessToken: 'x', signingSecret: 'y', phoneNumberId: '55501' },
    },
  })
  bot.otherwise((ctx) => ctx.reply(`${ctx.number}: ${ctx.message.text}`))
  return bot
}

it('a customer writes to one of several numbers, and gets the reply from it', async () => {
  await using s = await scenario(shop())
  const [retail, wholesale] = [s.customer(ASHA, { number: 'retail' }), s.customer(ASHA, { number: 'wholesale' })]
  expect((await retail.says('one')).text).toBe('retail: one')
  expect((await wholesale.says('two')).text).toBe('wholesale: two')
  expect((await s.customer(ASHA).says('three')).text, 'the first, where none is named').toBe('retail: three')
  expect(retail.thread).toHaveLength(4)
  expect(wholesale.thread).toHaveLength(2)
})

it('an event goes to the named number', async () => {
  const heard: unknown[] = []
  const bot = shop()
  bot.on('order.paid', (ctx) => void heard.push(ctx.number))
  await using s = await scenario(bot)
  await s.event('order.paid', {})
  await s.event('order.paid', {}, { number: 'wholesale' })
  expect(heard).toEqual(['retail', 'wholesale'])
})

it('messages of two numbers are never confused, neither the customer’s nor the bot’s', async () => {
  const ids: (string | undefined)[] = []
  const told: string[] = []
  const bot = shop()
  bot.use((ctx, next) => {
    ids.push(ctx.message.id)
    return next()
  })
  bot.on('message.status:delivered', (ctx) => void told.push(`${ctx.number} ${ctx.sent?.number} ${ctx.sent?.ref}`))
  await using s = await scenario(bot)
  for (const number of ['retail', 'wholesale'] as const) {
    await s.customer(ASHA, { number }).says('hi')
    await bot
      .number(number)
      .to(ASHA)
      .send('news', { key: 'news', ref: `to ${number}` })
    await s.advance('1s')
  }
  expect(new Set(ids).size).toBe(2)
  expect(told.filter((line) => line.includes('to '))).toEqual([
    'retail retail to retail',
    'wholesale wholesale to wholesale',
  ])
})

it('refuses a customer without valid digits', async () => {
  await using s = await scenario(shop())
  expect(() => s.customer('+255 712')).toThrow(SwitchhookError)
})

it('refuses an unknown number of the bot, and names the known ones', async () => {
  await using s = await scenario(shop())
  expect(() => s.customer(ASHA, { number: 'resale' })).toThrow(
    'the number "resale" does not exist; the bot has retail, wholesale',
  )
})

describe('a bot whose numbers come from a source', () => {
  const platform = () => {
    const asked: string[] = []
    const bot = createBot({ numbers: { find: async (name) => void asked.push(name) } })
    bot.otherwise((ctx) => ctx.reply(`${ctx.number}: ${ctx.message.text}`))
    return { bot, asked }
  }

  it('has the numbers that the scenario names, and its source is not queried', async () => {
    const { bot, asked } = platform()
    await using s = await scenario(bot, { numbers: ['shop-1', 'shop-2'] })
    expect((await s.customer(ASHA, { number: 'shop-2' }).says('hi')).text).toBe('shop-2: hi')
    expect(await bot.number('shop-2').to(ASHA).send('news', { key: 'news' })).toMatchObject({ via: 'freeform' })
    expect(asked).toEqual([])
  })

  it('is refused without their names, and another bot is refused with names', async () => {
    await expect(scenario(platform().bot)).rejects.toThrow("scenario(bot, { numbers: ['shop-1'] })")
    await expect(scenario(platform().bot, { numbers: ['a/b'] })).rejects.toMatchObject({ code: 'options_invalid' })
    await expect(scenario(shop(), { numbers: ['retail'] })).rejects.toMatchObject({ code: 'options_invalid' })
  })
})
