import { expect, it } from 'vitest'
import { buttons, createBot, media } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

/** A bot that asks what to deliver, with pictures, and whether to continue. */
function asking() {
  const bot = createBot({ burst: { quiet: '1500ms' } })
  const order = bot.conversation(
    'order',
    { version: 1, timeout: '30m', cancelWords: ['stop'], onEnd: (ctx, why) => ctx.reply(`ended: ${why}`) },
    async (chat) => {
      const what = await chat.ask('What shall we bring?')
      const pictures = await chat.ask('Pictures?', { as: media('image', { max: 2, skip: ['no'] }) })
      const sure = await chat.ask(buttons('Sure?', [{ id: 'yes', title: 'Yes' }]))
      await chat.say(`${what.split('\n').join(' | ')}; ${pictures.map(({ caption }) => caption).join()}; ${sure}`)
    },
  )
  bot.hears('order', (ctx) => ctx.enter(order))
  bot.otherwise((ctx) => ctx.reply('?'))
  return bot
}

it('in a conversation a burst is one answer: its texts on separate lines, its pictures up to the maximum', async () => {
  await using s = await scenario(asking())
  const asha = s.customer(ASHA)
  await asha.says('order')
  expect((await asha.says('beans', 'rice', 'and oil')).text).toBe('Pictures?')
  expect((await asha.sends('image', { caption: 'a' }, { caption: 'b' }, { caption: 'c' })).text).toBe('Sure?')
  expect((await asha.taps('Yes')).text).toBe('beans | rice | and oil; a,b; yes')
})

it('an answer that is being gathered when its question expires is in time', async () => {
  await using s = await scenario(asking())
  const asha = s.customer(ASHA)
  await asha.says('order')
  await s.advance('29m59s')
  expect((await asha.says('beans', 'rice')).text).toBe('Pictures?')
  await s.advance('1h')
  expect(asha.last?.text).toBe('ended: timeout')
})

it('a cancel word in a burst cancels, whatever the other texts', async () => {
  await using s = await scenario(asking())
  const asha = s.customer(ASHA)
  await asha.says('order')
  expect((await asha.says('beans', 'stop')).text).toBe('ended: cancelled')
})

it('a crash while an answer is gathered asks nothing twice, and uses the whole answer', async () => {
  await using s = await scenario(asking())
  const asha = s.customer(ASHA)
  await asha.says('order')
  const turn = asha.says('beans', 'rice')
  await s.crash()
  expect((await turn).text).toBe('Pictures?')
  await asha.says('no')
  expect((await asha.taps('Yes')).text).toBe('beans | rice; ; yes')
})
