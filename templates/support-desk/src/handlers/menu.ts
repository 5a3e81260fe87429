import { buttons, routes } from 'switchhook'
import type { localized } from '../base.ts'
import { type Words, WORDS } from '../words.ts'

export const menu = routes<typeof localized>('menu')

menu.otherwise((ctx) => ctx.reply(menuIn(ctx.t)))

export function menuIn(t: Words) {
  return buttons(t.help, [
    { id: 'hours', title: t.hours },
    { id: 'person', title: t.person },
    { id: `language:${t === WORDS.sw ? 'en' : 'sw'}`, title: t.other },
  ])
}
