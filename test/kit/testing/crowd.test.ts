import { expect, it } from 'vitest'
import { createBot } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

it('a crowd writes at once, several messages each: every turn has its own replies, in order', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(`re ${ctx.customer} ${ctx.message.text}`))
  await using s = await scenario(bot)
  const digits = Array.from({ length: 150 }, (_, n) => String(255712000101 + n))
  const turns = await Promise.all(digits.map((one) => s.customer(one).says('a', 'b', 'c')))
  expect(turns.map(({ text }) => text)).toEqual(digits.map((one) => `re ${one} a\nre ${one} b\nre ${one} c`))
})

it('a bot with its own timer sends between the turns and within them, and nothing is lost', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.says('hi')
  const ticks: Promise<unknown>[] = []
  const ten = Promise.withResolvers<void>()
  const clockwork = setInterval(() => {
    ticks.push(bot.to(ASHA).send(`tick ${ticks.length}`, { key: ['tick', ticks.length] }))
    if (ticks.length < 10) return
    clearInterval(clockwork)
    ten.resolve()
  }, 1)
  const turns = [await asha.says('hi'), await asha.says('hi')]
  await ten.promise
  await Promise.all(ticks)
  await s.advance('1s')
  for (const { text } of turns) expect(text).toContain('hello')
  const texts = asha.thread.map(({ text }) => text)
  expect(texts.filter((text) => text.startsWith('tick'))).toHaveLength(ticks.length)
  expect(texts.filter((text) => text === 'hello')).toHaveLength(3)
})
