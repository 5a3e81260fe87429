import { routes } from 'switchhook'
import { WORDS } from '../words.ts'

export const hours = routes('hours')

hours.hears(['hours', 'saa'], (ctx) => ctx.reply(WORDS.open))
hours.tapped('hours', (ctx) => ctx.reply(WORDS.open))
