import { routes } from 'switchhook'
import type { bot } from '../bot.ts'

const OPEN = 'We are open from 9 to 17, Monday to Saturday.'

export const hours = routes<typeof bot>('hours')

hours.hears(['hours', 'saa'], (ctx) => ctx.reply(OPEN))
hours.tapped('hours', (ctx) => ctx.reply(OPEN))
