/** The desk: a menu in the customer's language, a person on request, and the way back. */
import { bot, desk } from './desk.ts'
import { hours } from './handlers/hours.ts'
import { language } from './handlers/language.ts'
import { menu } from './handlers/menu.ts'
import { people } from './handlers/people.ts'

desk.use(hours)
desk.use(language)
desk.use(people)
desk.use(menu)

desk.onDead((_error, ctx) => ctx.reply(ctx.t.sorry))

export { bot }
