/** A bot with its desk, in its own process; a header names who is at the desk. */
import express from 'express'
import { createBot } from 'switchhook'
import { desk } from 'switchhook/desk'
import { webhook } from 'switchhook/express'
import { tellParent } from '../support/tell-parent.ts'

const bot = createBot({ logger: false })
bot.hears('person', (ctx) => ctx.handOver({ for: '4h' }))
await bot.start()
const app = express()
app.use('/webhooks/messages', webhook(bot))
app.use(
  '/desk',
  desk(bot, { authorize: ({ headers }) => ({ name: String(headers['x-who']), write: true, reveal: true }) }),
)
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  tellParent({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` })
})
process.once('disconnect', () => process.exit())
