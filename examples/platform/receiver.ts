/** A receiver: it stores what comes for any tenant, and answers. */
import express from 'express'
import { health, webhook } from 'switchhook/express'
import { createPlatform } from './bot.ts'
import { openDatabase } from './database.ts'
import { serveInner } from './inner.ts'

const pool = await openDatabase()
const bot = createPlatform(pool)
const inner = serveInner(bot)
await bot.start({ role: 'receive' })

const app = express()
// An endpoint for each tenant: a delivery is tried against that tenant's secrets alone.
app.use('/hooks/:number', webhook(bot, { number: (request) => request.params['number'] }))
app.get('/health', health(bot))
const server = app.listen(Number(process.env['PORT'] ?? 3000))

process.once('SIGTERM', () => void stop())

/** In this order: until it has stopped, the bot still stores what comes. */
async function stop(): Promise<void> {
  await bot.stop()
  server.close()
  inner.close()
  await pool.end()
}
