import { routes } from 'switchhook'
import type { bot } from '../bot.ts'
import { stateOf } from '../orders.ts'

export const orders = routes<typeof bot>('orders')

orders.tapped('track', (ctx) => ctx.reply('Send us the number of your order, for instance 7781.'))

orders.hears(/^\s*#?(\d{4})\s*$/, async (ctx) => {
  const order = ctx.match[1] ?? ''
  const state = await stateOf(order)
  await ctx.reply(state ? `Order ${order} is ${state}.` : `We know no order ${order}.`)
})
