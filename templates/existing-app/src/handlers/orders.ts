/** Customers' questions about their orders, and the statuses of messages about them. */
import { routes } from 'switchhook'
import type { bot } from '../bot.ts'
import type { OrdersService } from '../orders-service.ts'

export function orderRoutes(orders: OrdersService) {
  const made = routes<typeof bot>('orders')

  made.hears(/^\s*#?(\d{4})\s*$/, async (ctx) => {
    const id = ctx.match[1] ?? ''
    const order = await orders.find(id)
    await ctx.reply(order ? `Order ${id}: ${order.state}.` : `We know no order ${id}.`)
  })
  made.otherwise((ctx) => ctx.reply('Send us the number of your order, for instance 7781.'))

  made.on('message.status:delivered', (ctx) => ctx.sent?.ref && orders.told(ctx.sent.ref, 'delivered'))
  made.on('message.status:failed', (ctx) => ctx.sent?.ref && orders.told(ctx.sent.ref, 'failed'))
  return made
}
