/** A process that serves, in an app with an open timer. `how`: what else the app has. */
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'
import { tellParent } from '../../../../support/tell-parent.ts'

const [, , signingSecret = '', database = '', how = ''] = process.argv

const app = setInterval(() => {}, 60_000)
const close = () => {
  tellParent({ stopping: true })
  process.once('message', () => clearInterval(app))
}
if (how === 'listens before') process.once('SIGTERM', close)

const served = [await serveOn(database, 'first')]
if (how === 'two') served.push(await serveOn(`${database}.second`, 'second'))
if (how === 'listens') process.once('SIGTERM', close)
tellParent({ url: served[0] ?? '' })

async function serveOn(file: string, name: string): Promise<string> {
  const nothing = () => {}
  const info = (about: unknown, message?: string) => {
    if (message === 'stopped') tellParent({ stopped: name })
    if (message?.includes('lives on')) tellParent({ kept: about as object })
  }
  const logger = { debug: nothing, info, warn: nothing, error: nothing }
  const bot = createBot({ signingSecret, database: file, logger })
  bot.otherwise(async (ctx) => {
    tellParent({ handling: ctx.message.text })
    await new Promise((end) => process.once('message', end))
  })
  return (await serve(bot, { port: 0 })).url
}
