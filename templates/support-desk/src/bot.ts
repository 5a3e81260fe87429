/** The desk: a menu in the customer's language, a person on request, and the way back. */
import { createBot } from 'switchhook'
import { quietWhilePeopleWrite } from 'switchhook/comfort'
import { z } from 'zod'
import { hours } from './handlers/hours.ts'
import { language } from './handlers/language.ts'
import { menu } from './handlers/menu.ts'
import { people } from './handlers/people.ts'
import { WORDS } from './words.ts'

export const bot = createBot({
  session: z.object({ language: z.enum(['sw', 'en']).default('sw') }), // what is remembered of each customer
  staleAfter: '12h', // who wrote longer ago than that, as after an outage, is not answered
})
quietWhilePeopleWrite(bot, { for: '1h' }) // whoever answers from the dashboard is not talked over

/** Everything on the desk has `ctx.t`: the words in the customer's language. */
export const desk = bot.with((ctx) => ({ t: WORDS[ctx.session.language] }))

desk.use(hours)
desk.use(language)
desk.use(people)
desk.use(menu)

desk.onDead((_error, ctx) => ctx.reply(ctx.t.sorry))
