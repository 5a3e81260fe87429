import { expect, it } from 'vitest'
import { createBot } from 'switchhook'
import { HANDSETS, scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

/** A bot that answers everything, and the statuses that it heard of. */
function answering() {
  const heard: string[] = []
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('Karibu'))
  for (const status of ['delivered', 'failed'] as const)
    bot.on(`message.status:${status}`, () => void heard.push(status))
  return { bot, heard }
}

it('a handset that is offline gets waiting messages when it is online again [E SEND-24]', async () => {
  const { bot, heard } = answering()
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.says('hi')
  await asha.goesOffline()
  heard.length = 0
  await bot.to(ASHA).send('ready', { key: 'k' })
  await s.advance('1h')
  expect([asha.last?.status, heard]).toEqual(['sent', []])
  await asha.comesOnline()
  expect([asha.last?.status, heard]).toEqual(['delivered', ['delivered']])
})

it('a handset that blocks gets nothing until it stops blocking [E SEND-24]', async () => {
  const { bot, heard } = answering()
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.says('hi')
  heard.length = 0
  await asha.blocks()
  await bot.to(ASHA).send('one', { key: 'one' })
  await s.advance('1h')
  expect(heard).not.toContain('delivered')
  await asha.unblocks()
  await bot.to(ASHA).send('two', { key: 'two' })
  await s.advance('1h')
  expect(heard.at(-1)).toBe('delivered')
})

it.each([
  ['fails', 'failed', ['failed']],
  ['unreachable', 'sent', []],
] as const)('the handset called %s accepts, and then its message is %s [E SEND-24]', async (name, status, told) => {
  const { bot, heard } = answering()
  await using s = await scenario(bot)
  const customer = s.customer(HANDSETS[name])
  await customer.says('hi')
  await s.advance('1h')
  expect(s.sent).toMatchObject([{ to: HANDSETS[name], text: 'Karibu', status }])
  expect(heard).toEqual(told)
})
