import type { Bot } from 'switchhook'

/** A conversation of the shop's, which a customer enters, or another one has them enter. */
export function addFitting(bot: Bot, { word, keep }: { readonly word: string; readonly keep: () => string }): void {
  const fitting = bot.conversation('fitting', { version: 1, timeout: '1d' }, async (chat) => {
    const size = await chat.ask('Which size?')
    await chat.say(`We keep ${await chat.once('keep', keep)} in ${size}.`)
  })
  bot.hears(word, (ctx) => ctx.enter(fitting))
  bot.hears('gift', async (ctx) => {
    await ctx.to(FRIEND).enter(fitting)
  })
}

export const FRIEND = '255712000102'
