import { expect, it } from 'vitest'
import { createBot, type Bot, type Sender } from 'switchhook'
import { scenario, type Scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

/** A bot that crashes in its first run of `pay`. */
function dying(where: (bot: Bot & Sender, die: () => Promise<void>) => void) {
  const bot = createBot() as Bot & Sender
  let scenarioNow: Scenario | undefined
  let died = false
  where(bot, async () => {
    if (died) return
    died = true
    await scenarioNow?.crash()
  })
  return { bot, watch: (s: Scenario) => (scenarioNow = s) }
}

it('after a crash between reply and settlement the handler runs again, counted, and its reply is sent once', async () => {
  const attempts: number[] = []
  const { bot, watch } = dying((it, die) =>
    it.hears('pay', async (ctx) => {
      attempts.push(ctx.attempt)
      await ctx.reply('paid', { slot: 'paid' })
      await die()
      await ctx.reply('thanks', { slot: 'thanks' })
    }),
  )
  await using s = await scenario(bot)
  watch(s)
  expect((await s.customer(ASHA).says('pay')).text).toBe('paid\nthanks')
  expect(attempts).toEqual([1, 2])
})

it('a dead process changes nothing any more: no reply, no session, no once', async () => {
  const results: string[] = []
  let release = () => {}
  const { bot, watch } = dying((it, die) =>
    it.hears('pay', async (ctx) => {
      if (ctx.attempt === 1) {
        await die()
        await new Promise<void>((resolve) => (release = resolve))
        await ctx.once('invoice', () => 'of the dead')
        await ctx.reply('from the dead')
      } else await ctx.reply(await ctx.once('invoice', () => 'of the living'))
    }),
  )
  bot.onError((error) => void results.push(String(error)))
  await using s = await scenario(bot)
  watch(s)
  expect((await s.customer(ASHA).says('pay')).text).toBe('of the living')
  release()
  await s.advance('1h')
  expect(s.customer(ASHA).thread).toHaveLength(2)
  expect(results).toEqual([])
})

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'a crash %i turns of the event loop into a reply neither loses nor doubles it',
  async (turns) => {
    const { bot, watch } = dying((it, die) =>
      it.hears('pay', async (ctx) => {
        const reply = ctx.reply('paid')
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => void setImmediate(resolve))
        await die()
        await reply
      }),
    )
    await using s = await scenario(bot)
    watch(s)
    expect((await s.customer(ASHA).says('pay')).text).toBe('paid')
    expect(s.customer(ASHA).thread).toHaveLength(2)
  },
)

it('a handler that crashes the process each time is given up', async () => {
  let runs = 0
  const bot = createBot({ attempts: { max: 3 } })
  let s: Scenario
  bot.hears('poison', () => {
    runs++
    return s.crash()
  })
  await using open = await scenario(bot)
  s = open
  await expect(s.customer(ASHA).says('poison')).rejects.toThrow('GiveUp: the process ended during each of its attempts')
  expect(runs).toBe(3)
})

it('a bot that the app stops and starts again continues over the same database', async () => {
  const bot = createBot()
  const runs: string[] = []
  bot.hears('count', async (ctx) => void runs.push(await ctx.once('n', () => 'one')))
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using s = await scenario(bot)
  await s.customer(ASHA).says('hi')
  await bot.to(ASHA).send('news', { key: 'news' })
  await bot.stop()
  await bot.start()
  const again = await bot.to(ASHA).send('news', { key: 'news' })
  expect(again).toMatchObject({ via: 'freeform', replayed: true })
  expect((await s.customer(ASHA).says('hi')).text).toBe('hello')
})
