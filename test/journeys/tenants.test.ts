import { expect, it } from 'vitest'
import { createBot } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../support/people.ts'

it('a signed status or echo of one tenant that names another’s message gives its handlers no fact of that message, and does not suppress its own events [B EVT-04]', async () => {
  const bot = createBot({
    numbers: { a: { accessToken: 'x', signingSecret: 'one' }, b: { accessToken: 'y', signingSecret: 'two' } },
  })
  const told: string[] = []
  bot.otherwise(() => {})
  bot.on('message.status:read', (ctx) => void told.push(`${ctx.number} read ${ctx.sent?.ref}`))
  bot.on('message.status:failed', (ctx) => void told.push(`${ctx.number} failed ${ctx.sent?.ref}`))
  bot.on('message.sent', async (ctx) => void told.push(`${ctx.number} sent by ${await ctx.sentBy()}`))
  await using s = await scenario(bot)
  await s.customer(ASHA, { number: 'b' }).says('hi')
  const sent = await bot.number('b').to(ASHA).send('news', { key: 'news', ref: 'secret' })
  await s.advance('1m')
  told.length = 0
  const payload = (status: string) => ({ message_id: 'send' in sent && sent.send.messageId, status, phone: ASHA })
  await s.event('message.status', payload('failed'), { number: 'a' })
  await s.event('message.status', payload('read'), { number: 'a' })
  await s.event('message.sent', payload('sent'), { number: 'a' })
  await s.advance('1m')
  await s.event('message.status', payload('read'), { number: 'b' })
  await s.advance('1m')
  expect(new Set(told)).toEqual(new Set(['a read undefined', 'a failed undefined', 'a sent by other', 'b read secret']))
  expect(told).toHaveLength(4)
})
