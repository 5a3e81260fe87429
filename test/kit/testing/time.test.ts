import { expect, it } from 'vitest'
import { createBot, RetryIn } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

const HOUR_MS = 3_600_000

it('begins at a fixed time by default, and ctx.now() returns it', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(ctx.now().toISOString()))
  {
    await using s = await scenario(bot)
    expect((await s.customer(ASHA).says('now')).text).toBe('2026-03-04T09:00:00.000Z')
  }
  await using s = await scenario(bot, { at: '2027-12-31T23:59:30+03:00' })
  const asha = s.customer(ASHA)
  expect((await asha.says('now')).text).toBe('2027-12-31T20:59:30.000Z')
  await s.advance('1m')
  expect((await asha.says('now')).text).toBe('2027-12-31T21:00:30.000Z')
})

it('sends scheduled messages at their times and in order', async () => {
  const at: string[] = []
  const bot = createBot()
  bot.otherwise(() => {})
  bot.on('message.status:sent', (ctx) => void at.push(`${ctx.sent?.ref} ${ctx.now().toISOString()}`))
  await using s = await scenario(bot, { at: '2026-03-04T09:00:00Z' })
  await s.customer(ASHA).says('hi')
  const later = async (ref: string, hours: number) =>
    bot.to(ASHA).send(ref, { key: ref, ref, at: new Date(s.now().getTime() + hours * HOUR_MS) })
  await later('third', 10)
  await later('first', 2)
  await later('second', 5)
  await s.advance('1h')
  expect(at).toEqual([])
  await s.advance('5h')
  expect(at).toEqual(['first 2026-03-04T11:00:00.000Z', 'second 2026-03-04T14:00:00.000Z'])
  await s.advance('4h')
  expect(at[2]).toBe('third 2026-03-04T19:00:00.000Z')
  expect(s.now().toISOString()).toBe('2026-03-04T19:00:00.000Z')
})

it('lets a conversation sleep and time out at its times, however long one jump is', async () => {
  const bot = createBot()
  const at = () => s.now().toISOString().slice(11, 16)
  const talk = bot.conversation(
    'talk',
    { version: 1, timeout: '5m', onEnd: (ctx, why) => ctx.reply(`${why} ${at()}`) },
    async (chat) => {
      await chat.sleep('1h')
      await chat.say(chat.now().toISOString().slice(11, 16))
      await chat.ask('well?')
    },
  )
  bot.hears('talk', (ctx) => ctx.enter(talk))
  await using s = await scenario(bot)
  expect((await s.customer(ASHA).says('talk')).text).toBe('')
  expect((await s.advance('2h')).text).toBe('10:00\nwell?\ntimeout 10:05')
})

it('a handler that fails at first runs again within the turn, after its back-off', async () => {
  const runs: number[] = []
  const bot = createBot()
  bot.hears('pay', async (ctx) => {
    runs.push(ctx.now().getTime())
    if (runs.length < 3) throw new Error('the cash desk is closed')
    await ctx.reply('paid')
  })
  await using s = await scenario(bot)
  const start = s.now().getTime()
  expect((await s.customer(ASHA).says('pay')).text).toBe('paid')
  // Half of 1 s and half of 2 s, by the fixed jitter.
  expect(runs.map((at) => at - start)).toEqual([0, 500, 1_500])
})

it('an attempt that is postponed for long waits for advance()', async () => {
  let open = false
  const bot = createBot()
  bot.hears('pay', async (ctx) => {
    if (!open) throw new RetryIn('2h', 'the cash desk is closed')
    await ctx.reply('paid')
  })
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  const before = s.now().getTime()
  expect((await asha.says('pay')).text).toBe('')
  expect(s.now().getTime()).toBe(before)
  open = true
  await s.advance('119m')
  expect(asha.last).toBeUndefined()
  await s.advance('1m')
  expect(asha.last?.text).toBe('paid')
})

it('refuses an invalid time and an invalid span', async () => {
  const bot = createBot()
  await expect(scenario(bot, { at: 'tomorrow' })).rejects.toMatchObject({ code: 'options_invalid' })
  await using s = await scenario(bot)
  await expect(s.advance('25 hours' as never)).rejects.toThrow('advance: expected a span')
})
