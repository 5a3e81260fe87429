/** The shop's app with its own JSON parser and routes, and the bot before them. */
import express from 'express'
import { health, webhook } from 'switchhook/express'
import { bot } from './bot.ts'
import type { OrdersService } from './orders-service.ts'

export function makeApp(orders: OrdersService) {
  const app = express()
  // Before the parser: a signature covers the exact bytes, and not every signed delivery is JSON.
  app.use('/webhooks/messages', webhook(bot)) // at exactly this path, and nowhere below it
  app.get('/health', health(bot)) // 200 while it accepts deliveries

  app.use(express.json()) // as before

  app.post('/webhooks/payments', (_request, response) => void response.sendStatus(200)) // as before
  app.get('/orders/:id', async (request, response) => {
    response.json(await orders.find(request.params.id))
  })
  app.post('/orders/:id/ready', async (request, response) => {
    await orders.ready(request.params.id)
    response.sendStatus(202)
  })
  app.post('/orders/:id/collected', async (request, response) => {
    await orders.collected(request.params.id)
    response.sendStatus(202)
  })
  return app
}
