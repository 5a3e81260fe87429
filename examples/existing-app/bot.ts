/** The bot, and how the shop learns the statuses of its messages. */
import { createBot, routes } from 'switchhook'
import type { OrdersService } from './orders-service.ts'

export const bot = createBot()

export function orderRoutes(service: OrdersService) {
  const orders = routes<typeof bot>()
  orders.hears(/^\s*#?(\d{4})\s*$/, async (ctx) => {
    const id = ctx.match[1] ?? ''
    const order = await service.repo.find(id)
    await ctx.reply(order ? `Order ${id}: ${order.state}.` : `We know no order ${id}.`)
  })
  orders.otherwise((ctx) => ctx.reply('Send us the number of your order, for instance 7781.'))

  orders.on('message.status:delivered', (ctx) => ctx.sent?.ref && service.told(ctx.sent.ref, 'delivered'))
  orders.on('message.status:failed', (ctx) => ctx.sent?.ref && service.told(ctx.sent.ref, 'failed'))
  return orders
}
