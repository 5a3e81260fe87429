import { buttons, routes } from 'switchhook'
import type { bot } from '../bot.ts'

export const menu = routes<typeof bot>('menu')

menu.otherwise((ctx) =>
  ctx.reply(
    buttons('How can we help?', [
      { id: 'hours', title: 'Opening hours' },
      { id: 'track', title: 'Track order' },
    ]),
  ),
)
