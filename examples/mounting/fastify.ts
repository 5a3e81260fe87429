/** A Fastify app, with the bot at its own path. */
import Fastify from 'fastify'
import { webhook } from 'switchhook/node'
import { bot } from './bot.ts'

const receive = webhook(bot)
await bot.start()

const app = Fastify()
app.get('/', async () => 'the shop')
app.post('/orders', async (request) => ({ ordered: request.body }))

// In its own scope Fastify leaves the body unread: the signature is over the exact bytes.
await app.register(async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  scope.all('/webhooks/messages', (request, reply) => {
    reply.hijack()
    receive(request.raw, reply.raw)
  })
})
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

// In this order: until it has stopped, the bot still stores what comes.
process.once('SIGTERM', () => void bot.stop().then(() => app.close()))
