/** The bot: a menu in the customer's language, a person on request, and the way back. */
import { bot, localized } from './base.ts'
import { hours } from './handlers/hours.ts'
import { language } from './handlers/language.ts'
import { menu } from './handlers/menu.ts'
import { people } from './handlers/people.ts'

localized.use(hours)
localized.use(language)
localized.use(people)
localized.use(menu)

localized.onDead((_error, ctx) => ctx.reply(ctx.t.sorry))

export { bot }
