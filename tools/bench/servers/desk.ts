/** A bot that answers each message, beside its desk. A header names who is at the desk. */
import express from 'express'
import { createBot } from 'switchhook'
import { desk } from 'switchhook/desk'
import { webhook } from 'switchhook/express'
import { serve } from '../serve.ts'

const [, , , secret = '', database = '', service = ''] = process.argv
let handled = 0
const bot = createBot({ signingSecret: secret, database, logger: false, baseUrl: service, accessToken: secret })
bot.otherwise(async (ctx) => {
  // One of twenty waits for a person too.
  if (Number(ctx.customer) % 20 === 0) await ctx.askForPerson()
  await ctx.reply('Bei ya viatu ni 35,000. Tunafungua saa tatu asubuhi.')
  handled++
})
await bot.start()
const app = express()
app.use('/webhooks/messages', webhook(bot))
app.use('/desk', desk(bot, { authorize: (request) => personOf(request.headers['x-who']) }))
serve(app, { figures: () => ({ handled }), stop: () => bot.stop() })

function personOf(name: string | string[] | undefined) {
  return typeof name === 'string' && { name, write: true, reveal: true }
}
