/**
 * A shop's number that answers automatically: how do I build auto-replies?
 *
 * `npm start` runs it beside an emulator of the service, where you are the customer.
 */
import { buttons, createBot, template } from 'switchhook'
import { serve } from 'switchhook/node'
import { READY, stateOf } from './orders.ts'

const bot = createBot() // everything from the environment

const menu = buttons('How can we help?', [
  { id: 'hours', title: 'Opening hours' },
  { id: 'track', title: 'Track order' },
  { id: 'person', title: 'Talk to a person' },
])

bot.hears(['hours', 'saa'], (ctx) => ctx.reply('We are open from 9 to 17, Monday to Saturday.'))
bot.tapped('hours', (ctx) => ctx.reply('We are open from 9 to 17, Monday to Saturday.'))

bot.tapped('track', (ctx) => ctx.reply('Send us the number of your order, for instance 7781.'))
bot.hears(/^\s*#?(\d{4})\s*$/, async (ctx) => {
  const order = ctx.match[1] ?? ''
  const state = await stateOf(order)
  if (state === undefined) return ctx.reply(`We know no order ${order}.`)
  await ctx.reply(`Order ${order} is ${state}.`)
  if (state === READY) return
  // Tomorrow the window of 24 hours is closed, so the template goes out. Move the clock by 25 hours to see it.
  await ctx.to(ctx.customer).send(`Order ${order} is ready to be picked up.`, {
    at: '25h',
    outsideWindow: template('order_ready', 'en', { body: [order] }),
  })
})

bot.tapped('person', (ctx) => ctx.reply('Somebody will answer you here in a moment.'))

bot.otherwise((ctx) => ctx.reply(menu))

const { url } = await serve(bot, { port: Number(process.env['PORT'] ?? 3000) })
console.error(`The bot listens at ${url}`)
