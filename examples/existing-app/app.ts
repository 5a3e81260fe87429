/** The shop's app: its own JSON parser and routes, and the bot before them. */
import { randomInt, randomUUID } from 'node:crypto'
import express from 'express'
import { health, webhook } from 'switchhook/express'
import { collectMetrics } from 'switchhook/metrics'
import { bot } from './bot.ts'
import type { OrdersService } from './orders-service.ts'

export function makeApp(service: OrdersService) {
  const app = express()
  // Before the parser: a signature covers the exact bytes, and not every signed delivery is JSON.
  app.use('/webhooks/messages', webhook(bot))
  app.get('/health', health(bot))
  // For Prometheus: the proxy in front of the app must keep this path from everybody else.
  app.get('/metrics', collectMetrics(bot).handler)
  app.use(express.json())

  app.post('/webhooks/payments', (_request, response) => void response.sendStatus(200))
  app.get('/orders/:id', async (request, response) => {
    response.json((await service.repo.find(request.params.id)) ?? null)
  })
  app.post('/orders/:id/ready', async (request, response) => {
    await service.ready(request.params.id)
    response.sendStatus(202)
  })
  app.post('/orders/:id/collected', async (request, response) => {
    await service.collected(request.params.id)
    response.sendStatus(202)
  })

  const logins = new Map<string, string>()
  app.post('/logins', async (request, response) => {
    const login = randomUUID()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    logins.set(login, code)
    await service.sendLoginCode(String(request.body.phone), code, login)
    response.status(201).json({ login })
  })
  // One try each. A real one also counts tries by phone, and forgets a code after some minutes.
  app.post('/logins/:login', (request, response) => {
    const code = logins.get(request.params.login)
    logins.delete(request.params.login)
    // A login that nobody began has no code, and a missing code must not match it.
    const right = code !== undefined && code === request.body?.code
    response.sendStatus(right ? 204 : 401)
  })
  return app
}
