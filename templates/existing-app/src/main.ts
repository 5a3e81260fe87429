/** Starts the shop, and stops it in the right order. */
import type { AddressInfo } from 'node:net'
import { makeApp } from './app.ts'
import { bot } from './bot.ts'
import { readEnvironment } from './environment.ts'
import { orderRoutes } from './handlers/orders.ts'
import { OrdersService } from './orders-service.ts'
import { ordersInMemory } from './orders.ts'

const { PORT } = readEnvironment(process.env)

const orders = new OrdersService(ordersInMemory(), bot)
bot.use(orderRoutes(orders))
await bot.start()

const server = makeApp(orders).listen(PORT, (error) => {
  if (error) throw error // another program has the port: end, rather than run without one
  console.error(`The shop listens at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

async function stop() {
  await bot.stop() // first: until it has stopped, the bot stores what comes
  server.close()
}
process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())
