/** A shop's bot, of which VERSION is the version. */
import { appendFileSync } from 'node:fs'
import { type Bot, createBot } from 'switchhook'
import { serve } from 'switchhook/node'
import { addFitting } from './backtest-fitting.ts'

const VERSION = process.env['VERSION'] ?? 'first'
const bot = createBot({ attempts: { max: 1 } })

bot.hears('hours', (ctx) => ctx.reply(VERSION === 'text' ? 'We are open from 8 to 17.' : 'We are open from 9 to 17.'))
bot.hears(VERSION === 'route' ? 'nothing' : 'hats', (ctx) => ctx.reply('Hats are 12.'))
bot.hears('buy', async (ctx) => {
  // An effect of the app's own: it must be seen how often it runs.
  const order = await ctx.once('order', () => {
    appendFileSync(process.env['EFFECTS'] ?? '', 'ordered\n')
    return 'order-9'
  })
  await ctx.reply(`Bought: ${order}.`)
})
addFitting(bot as unknown as Bot, {
  word: VERSION === 'route' ? 'FIT' : 'fit',
  keep() {
    appendFileSync(process.env['EFFECTS'] ?? '', 'kept\n')
    return 'hat-9'
  },
})
bot.hears('pay', async (ctx) => {
  const answer = await fetch('http://203.0.113.7/pay').catch((error: Error) => (error.cause as { code?: string }).code)
  await ctx.reply(`Paying: ${typeof answer === 'string' ? answer : 'answered'}.`)
})
bot.hears('where', (ctx) => ctx.reply(`${bot.backtesting} ${process.env['SWITCHHOOK_BASE_URL']}`))
bot.hears('dice', (ctx) => ctx.reply(`You threw ${process.pid}.`))
bot.hears('price', (ctx) => {
  if (VERSION === 'throws') throw new TypeError('no price of Asha')
  return ctx.reply('The price is 3.')
})
bot.otherwise((ctx) => ctx.reply('Hats are 12.'))

await serve(bot, { port: 3000 })
