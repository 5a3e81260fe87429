/** A Hono app, with the bot at its own path. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { webhook } from 'switchhook/fetch'
import { bot } from './bot.ts'

const receive = webhook(bot)
await bot.start()

const app = new Hono()
app.get('/', (c) => c.text('the shop'))
app.post('/orders', async (c) => c.json({ ordered: await c.req.json() }))
app.all('/webhooks/messages', (c) => receive(c.req.raw))
const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) })

// In this order: until it has stopped, the bot still stores what comes.
process.once('SIGTERM', () => void bot.stop().then(() => server.close()))
