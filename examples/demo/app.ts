/** The demo's shop: Express, a bot, and an office that reports when an order is ready. */
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { buttons, createBot, template } from 'switchhook'
import { webhook } from 'switchhook/express'

const bot = createBot()

bot.hears('hours', async (ctx) => {
  note('hours', ctx.attempt)
  await ctx.reply('We are open from 9 to 17.')
})
bot.tapped('track', (ctx) => ctx.reply('Order 7781 is being packed.'))

// A bug after the reply: the handler runs again, the reply does not.
bot.hears('price', async (ctx) => {
  note('price', ctx.attempt)
  await ctx.reply('The shoes are 45,000.')
  if (ctx.attempt === 1) throw new Error('a bug in the code behind the reply')
})

// Slow enough that the process can be killed between the acknowledgement and the reply.
bot.hears('are you there', async (ctx) => {
  note('are you there', ctx.attempt)
  if (ctx.attempt === 1) await wait(5_000)
  await ctx.reply('Yes, here we are.')
})

bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
await bot.start()

const app = express()
app.use('/webhooks/messages', webhook(bot)) // before express.json()
app.use(express.json())
app.post('/orders/:id/ready', async (request, response) => {
  const { id } = request.params
  const result = await bot.to(String(request.body.customer)).send(`Order ${id} is ready.`, {
    key: ['order', id, 'ready'],
    outsideWindow: template('order_ready', 'en', { body: [id] }),
  })
  response.json({ via: result.via })
})

const server = app.listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  // In this order: until it has stopped, the bot still stores what comes.
  void bot.stop().then(() => server.close())
})

/** Handlers write down that they ran, so that the demo can count runs beside replies. */
function note(what: string, attempt: number): void {
  appendFileSync(process.env['DEMO_NOTES'] ?? '/dev/null', `${what} ${attempt}\n`)
}
