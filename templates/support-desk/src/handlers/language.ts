import { routes } from 'switchhook'
import type { localized } from '../base.ts'
import { WORDS } from '../words.ts'
import { menuIn } from './menu.ts'

export const language = routes<typeof localized>('language')

language.tapped('language:{to}', (ctx) => {
  ctx.session.language = ctx.params.to === 'en' ? 'en' : 'sw'
  return ctx.reply(menuIn(WORDS[ctx.session.language]))
})
