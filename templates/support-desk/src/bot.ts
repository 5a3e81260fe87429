/** The desk: a menu in the customer's language, a person on request, and the way back. */
import { createBot } from 'switchhook'
import { quietWhilePeopleWrite } from 'switchhook/comfort'
import { z } from 'zod'
import { FIRST_LANGUAGE } from './first-language.ts'
import { hours } from './handlers/hours.ts'
import { language } from './handlers/language.ts'
import { menu } from './handlers/menu.ts'
import { news } from './handlers/news.ts'
import { people } from './handlers/people.ts'
import { WORDS } from './words.ts'

export const bot = createBot({
  session: z.object({ language: z.enum(['sw', 'en']).default(FIRST_LANGUAGE) }), // remembered for each customer
  staleAfter: '12h', // older messages, as after an outage, are not answered
})
quietWhilePeopleWrite(bot, { for: '1h' }) // the bot is silent while a person answers from the dashboard

/** Every handler of the desk has `ctx.t`: the texts in the customer's language. */
export const desk = bot.with((ctx) => ({ t: WORDS[ctx.session.language] }))

desk.use(hours)
desk.use(language)
desk.use(news)
desk.use(people)
desk.use(menu)

desk.onDead((_error, ctx) => ctx.reply(ctx.t.sorry))
