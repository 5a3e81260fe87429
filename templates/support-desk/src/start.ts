/** Starts the bot and its server, and stops them in the right order. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RequestHandler } from 'express'
import { makeApp } from './app.ts'
import { bot } from './bot.ts'
import { readEnvironment } from './environment.ts'

/** Resolves with the server's address. */
export async function start(variables: NodeJS.ProcessEnv, before?: RequestHandler): Promise<string> {
  const { PORT, DESK_PEOPLE: people, SESSION_SECRET: sessionSecret, NODE_ENV } = readEnvironment(variables)
  const app = makeApp({ people, sessionSecret, isProduction: NODE_ENV === 'production', ...(before && { before }) })
  await bot.start()
  const server = createServer(app).listen(PORT)
  await once(server, 'listening') // rejects if another program has the port

  async function stop() {
    await bot.stop() // first: until it has stopped, the bot stores what comes
    server.close()
    server.closeAllConnections() // open desks connect again, to the next process
  }
  process.once('SIGTERM', () => void stop())
  process.once('SIGINT', () => void stop())

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.error(`The bot listens at ${url}/webhooks/messages`)
  console.error(`People answer customers at ${url}/desk/`)
  return url
}
