/** The bot that each of the servers beside this file mounts. */
import { createBot } from 'switchhook'

export const bot = createBot()

bot.hears('hours', (ctx) => ctx.reply('We are open from 9 to 17.'))
bot.otherwise((ctx) => ctx.reply('Write "hours".'))
