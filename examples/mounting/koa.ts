/** A Koa app, with the bot at its own path. */
import Koa from 'koa'
import { webhook } from 'switchhook/node'
import { bot } from './bot.ts'

const receive = webhook(bot)
await bot.start()

const app = new Koa()
// Before any body parser: the signature is over the exact bytes.
app.use((ctx, next) => {
  if (ctx.path !== '/webhooks/messages') return next()
  ctx.respond = false // otherwise Koa answers 404, though the delivery is stored
  receive(ctx.req, ctx.res)
})
app.use((ctx) => {
  ctx.body = 'the shop'
})
const server = app.listen(Number(process.env['PORT'] ?? 3000))

// In this order: until it has stopped, the bot still stores what comes.
process.once('SIGTERM', () => void bot.stop().then(() => server.close()))
