import { expect, it } from 'vitest'
import { buttons, createBot, template } from 'switchhook'
import { scenario, type TurnMatchers, turnMatchers } from 'switchhook/testing'
import { ASHA } from '../support/people.ts'

declare module 'vitest' {
  interface Matchers<R, T> extends TurnMatchers<R> {}
}

expect.extend(turnMatchers)

async function turn() {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
  await using s = await scenario(bot)
  return await s.customer(ASHA).says('hi')
}

it('toHaveReplied takes a whole text, an expression, or members of a reply', async () => {
  const said = await turn()
  expect(said).toHaveReplied('How can we help?')
  const global = /help/g
  expect(said).toHaveReplied(global)
  expect(said).toHaveReplied(global)
  expect(said).toHaveReplied({ kind: 'interactive' })
  expect(said).not.toHaveReplied('How can we')
  expect(said).not.toHaveReplied({ kind: 'interactive', text: 'x' })
})

it('toHaveOffered takes an id or a title', async () => {
  const said = await turn()
  expect(said).toHaveOffered('track')
  expect(said).toHaveOffered('Track order')
  expect(said).not.toHaveOffered('pay')
})

it('a matcher that fails lists refused sends if a reply is missing', async () => {
  const bot = createBot()
  bot.on('order.paid', async (ctx) => {
    await ctx.to(ASHA).send('Paid', { outsideWindow: template('paid', 'en', { body: ['7'] }) })
  })
  await using s = await scenario(bot, { templates: [{ name: 'paid', language: 'en', body: 'You paid {{1}}.' }] })
  const said = await s.event('order.paid', {})
  expect(() => expect(said).toHaveReplied('Paid')).toThrow(
    `expected a reply like "Paid"; there came:\n- template "You paid 7."\n- to ${ASHA}, refused as outside_messaging_window: text "Paid"`,
  )
})

it('a matcher that fails lists the replies', async () => {
  const said = await turn()
  expect(() => expect(said).toHaveReplied(/9 to 17/)).toThrow(
    'expected a reply like /9 to 17/; there came:\n- interactive "How can we help?" [Track order: track]',
  )
  expect(() => expect({ replies: [], text: '', options: [], sent: [] }).toHaveOffered('pay')).toThrow(
    'expected an option "pay"; there came: nothing',
  )
})
