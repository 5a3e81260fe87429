/** A bot as a separate process. Its handler waits until the parent ends it, and reports to the parent. */
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'
import { tellParent } from '../../../../support/tell-parent.ts'

const [, , signingSecret = '', database = ''] = process.argv
const bot = createBot({ signingSecret, database, logger: false })

bot.otherwise(async (ctx) => {
  tellParent({ handling: ctx.message.text })
  if (ctx.message.text === 'wait') await new Promise((end) => process.once('message', end))
})

const { url } = await serve(bot, { port: 0 })
process.once('SIGTERM', () => tellParent({ stopping: true }))
tellParent({ url })
