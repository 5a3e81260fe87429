/** A bot for recordings, as a separate process. */
import { buttons, createBot, template } from 'switchhook'
import { serve } from 'switchhook/node'

const HOUR_MS = 3_600_000

const bot = createBot()
bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
bot.hears('remind me', async (ctx) => {
  const at = new Date(ctx.now().getTime() + HOUR_MS)
  await ctx.reply('I will')
  await ctx.to(ctx.customer).send('The hour is over', { at })
})
bot.hears('silence', () => {})
bot.tapped('track', (ctx) => ctx.reply('On its way'))
bot.received('image', (ctx) => ctx.reply(`What a ${ctx.message.media.caption}!`))
bot.on('order.ready', async (ctx) => {
  await ctx.to('255712000102').send('It is ready.', { outsideWindow: template('ready', 'sw', { body: ['7781'] }) })
})
bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))

await serve(bot, { port: Number(process.env['PORT']) })
