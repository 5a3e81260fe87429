import { buttons, routes } from 'switchhook'
import type { bot } from '../bot.ts'
import { WORDS } from '../words.ts'

export const menu = routes<typeof bot>('menu')

menu.otherwise((ctx) =>
  ctx.reply(
    buttons(WORDS.help, [
      { id: 'hours', title: WORDS.hours },
      { id: 'track', title: WORDS.track },
    ]),
  ),
)
