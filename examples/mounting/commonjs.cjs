/** An Express app in CommonJS: `require` loads the package as it is, from Node 22.14 on. */
const express = require('express')
const { createBot } = require('switchhook')
const { webhook } = require('switchhook/express')

const bot = createBot()
bot.hears('hours', (ctx) => ctx.reply('We are open from 9 to 17.'))
bot.otherwise((ctx) => ctx.reply('Write "hours".'))

const app = express()
app.use('/webhooks/messages', webhook(bot)) // before any body parser: the signature is over the exact bytes
app.use(express.json())
app.get('/', (_request, response) => response.send('the shop'))
app.post('/orders', (request, response) => response.json({ ordered: request.body }))

void bot.start().then(() => {
  const server = app.listen(Number(process.env.PORT ?? 3000))
  // In this order: until it has stopped, the bot still stores what comes.
  process.once('SIGTERM', () => void bot.stop().then(() => server.close()))
})
