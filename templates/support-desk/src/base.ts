/** The bot without its handlers: they need its type. */
import { createBot } from 'switchhook'
import { optOuts, quietWhilePeopleWrite } from 'switchhook/comfort'
import { z } from 'zod'
import { WORDS } from './words.ts'

export const bot = createBot({
  perCustomer: { messages: 30, every: '1m' }, // two bots that answer each other come to an end
  session: z.object({ language: z.enum(['sw', 'en']).default('en') }), // remembered for each customer
  staleAfter: '12h', // older messages, as after an outage, are not answered
})
quietWhilePeopleWrite(bot, { for: '1h' }) // the bot is silent while a person answers from the dashboard
// STOP and START, in every situation: news with `kind: 'marketing'`, and announcements, skip who wrote STOP.
optOuts(bot, {
  stopped: (ctx) => WORDS[ctx.session.language].stopped,
  started: (ctx) => WORDS[ctx.session.language].started,
})

/** Every handler has `ctx.t`: the texts in the customer's language. */
export const localized = bot.with((ctx) => ({ t: WORDS[ctx.session.language] }))
