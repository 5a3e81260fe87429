/**
 * One contender as a process of its own: `ours` is the mounted, durable, dispatching receiver; `plain` is Express
 * with express.raw and an HMAC, which stores nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createBot } from 'switchhook'
import { webhook } from 'switchhook/express'

const [, , contender, secret = '', database = ''] = process.argv
const app = express()
let handled = 0

if (contender === 'ours') {
  const bot = createBot({ signingSecret: secret, database, logger: false })
  bot.otherwise(() => {
    handled++
  })
  await bot.start()
  app.use('/webhooks/messages', webhook(bot))
} else {
  app.post('/webhooks/messages', express.raw({ type: () => true, limit: '1mb' }), (request, response) => {
    const timestamp = String(request.headers['x-service-timestamp'])
    const given = Buffer.from(String(request.headers['x-service-signature']).slice(7), 'hex')
    const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(request.body).digest()
    const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
    if (!fresh || given.length !== mac.length || !timingSafeEqual(given, mac)) return response.sendStatus(401)
    handled++
    return response.status(200).json({ status: 'accepted' })
  })
}

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})

process.on('message', () => process.send?.({ handled, cpu: process.cpuUsage() }))
// The bench has gone, however it went.
process.on('disconnect', () => process.exit())
