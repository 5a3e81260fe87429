/** A bot as a separate process. Its handler waits until the parent ends it, and reports to the parent. */
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'
import { tellParent } from '../../../../support/tell-parent.ts'

/** With `twice`, each signal comes twice at once, however slow the machine is. */
const [, , signingSecret = '', database = '', twice] = process.argv
const bot = createBot({ signingSecret, database, logger: false })

bot.otherwise(async (ctx) => {
  tellParent({ handling: ctx.message.text })
  if (ctx.message.text === 'wait') await new Promise((end) => process.once('message', end))
})

const { url } = await serve(bot, { port: 0 })
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    tellParent({ stopping: true })
    if (twice) process.kill(process.pid, signal)
  })
tellParent({ url })
