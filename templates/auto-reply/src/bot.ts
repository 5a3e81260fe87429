/** The bot and its handlers, in order: the first that matches a message runs. */
import { createBot } from 'switchhook'
import { callback } from './handlers/callback.ts'
import { hours } from './handlers/hours.ts'
import { menu } from './handlers/menu.ts'
import { orders } from './handlers/orders.ts'
import { WORDS } from './words.ts'

// The rest comes from the environment. Two bots that answer each other come to an end.
export const bot = createBot({ perCustomer: { messages: 30, every: '1m' } })

bot.use(hours)
bot.use(orders)
bot.use(callback)
bot.use(menu)

bot.onDead((_error, ctx) => ctx.reply(WORDS.sorry))
