/** Starts the shop, and stops it in the right order. */
import { makeApp } from './app.ts'
import { bot, orderRoutes } from './bot.ts'
import { ordersInMemory } from './orders.ts'
import { OrdersService } from './orders-service.ts'

const repo = ordersInMemory([
  { id: '7781', phone: '255712000101', state: 'packing', told: 'no' },
  { id: '7782', phone: '255712000102', state: 'packing', told: 'no' },
])
const service = new OrdersService(repo, bot)
bot.use(orderRoutes(service))
await bot.start()

const port = Number(process.env['PORT'] ?? 3000)
const server = makeApp(service).listen(port, '127.0.0.1', (error) => {
  if (error) throw error // another program has the port: end, rather than run without one
  console.error(`The shop listens at port ${port}.`)
})

async function stop() {
  // In this order: until it has stopped, the bot still stores what comes.
  await bot.stop()
  server.close()
}
process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())
