/** A bot at the port of `PORT`, over the database of `SWITCHHOOK_DATABASE`. With `BROKEN` it never listens. */
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'

const bot = createBot({ logger: false })
bot.otherwise(() => {})
if (process.env['BROKEN']) setInterval(() => {}, 60_000)
else await serve(bot, { port: Number(process.env['PORT']) })
