import { routes } from 'switchhook'
import type { desk } from '../desk.ts'
import { WORDS } from '../words.ts'
import { menuIn } from './menu.ts'

export const language = routes<typeof desk>('language')

language.tapped('language:{to}', (ctx) => {
  ctx.session.language = ctx.params.to === 'en' ? 'en' : 'sw'
  return ctx.reply(menuIn(WORDS[ctx.session.language]))
})
