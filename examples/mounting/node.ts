/** A server of plain `node:http`, with the bot at its own path. */
import { createServer } from 'node:http'
import { webhook } from 'switchhook/node'
import { bot } from './bot.ts'

const receive = webhook(bot)
await bot.start()

const server = createServer((request, response) => {
  if (request.url?.split('?')[0] === '/webhooks/messages') return receive(request, response)
  response.end('the shop')
})
server.listen(Number(process.env['PORT'] ?? 3000))

// In this order: until it has stopped, the bot still stores what comes.
process.once('SIGTERM', () => void bot.stop().then(() => server.close()))
