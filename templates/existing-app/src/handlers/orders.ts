/** Customers' questions about their orders, and the statuses of messages about them. */
import { routes } from 'switchhook'
import type { bot } from '../bot.ts'
import type { OrdersService } from '../orders-service.ts'
import { WORDS } from '../words.ts'

export function orderRoutes(orders: OrdersService) {
  const made = routes<typeof bot>('orders')

  made.hears(/^\s*#?(\d{4})\s*$/, async (ctx) => {
    const id = ctx.match[1] ?? ''
    const order = await orders.find(id)
    await ctx.reply(order ? WORDS.order(id, WORDS.states[order.state]) : WORDS.unknown(id))
  })
  made.otherwise((ctx) => ctx.reply(WORDS.which))

  made.on('message.status:delivered', (ctx) => ctx.sent?.ref && orders.told(ctx.sent.ref, 'delivered'))
  made.on('message.status:failed', (ctx) => ctx.sent?.ref && orders.told(ctx.sent.ref, 'failed'))
  return made
}
