import { buttons, routes } from 'switchhook'
import { WORDS } from '../words.ts'

export const menu = routes('menu')

menu.otherwise((ctx) =>
  ctx.reply(
    buttons(WORDS.help, [
      { id: 'hours', title: WORDS.hours },
      { id: 'track', title: WORDS.track },
    ]),
  ),
)
