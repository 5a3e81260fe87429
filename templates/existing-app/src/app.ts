/** The shop's app as it was, with the bot in it: a JSON parser in front of everything, and routes of its own. */
import express from 'express'
import { health, keepRawBody, webhook } from 'switchhook/express'
import { bot } from './bot.ts'
import type { OrdersService } from './orders-service.ts'

export function makeApp(orders: OrdersService) {
  const app = express()
  // A signature covers the exact bytes, so the parser, which cannot move, must keep them.
  app.use(express.json({ limit: '1mb', verify: keepRawBody }))

  app.use('/webhooks/messages', webhook(bot)) // at exactly this path, and nowhere below it
  app.get('/health', health(bot)) // 200 while it accepts deliveries

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
