import { routes } from 'switchhook'
import { stateOf } from '../orders.ts'
import { WORDS } from '../words.ts'

export const orders = routes('orders')

orders.tapped('track', (ctx) => ctx.reply(WORDS.which))

orders.hears(/^\s*#?(\d{4})\s*$/, async (ctx) => {
  const order = ctx.match[1] ?? ''
  const state = await stateOf(order)
  await ctx.reply(state ? WORDS.order(order, WORDS.states[state]) : WORDS.unknown(order))
})
