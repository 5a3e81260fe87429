import { expect, it } from 'vitest'
import { createBot } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

it('a customer who requests the agent in a burst is answered by nobody else [R GEN-07]', async () => {
  const bot = createBot({ burst: { quiet: '1500ms' } })
  bot.otherwise((ctx) => ctx.reply(`${ctx.messages.length} messages`))
  await using s = await scenario(bot)
  expect((await s.customer(ASHA).says('hello', 'BOT')).replies.filter(({ from }) => from === 'app')).toEqual([])
})
