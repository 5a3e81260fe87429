import { routes } from 'switchhook'
import type { bot } from '../bot.ts'
import { WORDS } from '../words.ts'

export const hours = routes<typeof bot>('hours')

hours.hears(['hours', 'saa'], (ctx) => ctx.reply(WORDS.open))
hours.tapped('hours', (ctx) => ctx.reply(WORDS.open))
