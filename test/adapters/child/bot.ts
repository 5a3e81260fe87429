/** A bot as a process of its own. Its handler waits until the parent ends it; the parent is told what happens. */
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'

const [, , signingSecret = '', database = ''] = process.argv
const bot = createBot({ signingSecret, database, logger: false })

bot.otherwise(async (ctx) => {
  process.send?.({ handling: ctx.message.text })
  if (ctx.message.text === 'wait') await new Promise((end) => process.once('message', end))
})

const { url } = await serve(bot, { port: 0 })
process.once('SIGTERM', () => process.send?.({ stopping: true }))
process.once('SIGINT', () => process.send?.({ stopping: true }))
process.send?.({ url })
