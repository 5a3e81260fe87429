import compression from 'compression'
import cors from 'cors'
import express5 from 'express'
import express4 from 'express4'
import helmet from 'helmet'
import { webhook } from 'switchhook/express'
import { ask, listenOn } from '../bot/in/adapters/http.ts'
import { botOn } from '../bot/in/bot.ts'
import { headersOf, MESSAGE } from '../bot/in/signing.ts'
import { manualTimers } from '../bot/in/time.ts'

export const PATH = '/webhooks/messages'
export const DEADLINE_MS = 10_000

export const VERSIONS = { 'Express 5': express5, 'Express 4': express4 }
export type Express = typeof express5
export type App = ReturnType<Express>
export type Hook = ReturnType<typeof webhook>

/** The middleware that many apps put in front; here compression takes even the shortest answer. */
export function dress(app: App): void {
  app.use(helmet())
  app.use(cors())
  app.use(compression({ threshold: 0 }))
}

/** An app with its own routes and a started bot. No time passes, so that nothing can wait for a deadline. */
export async function hostOn(express: Express, wire: (app: App, hook: Hook) => void) {
  const time = manualTimers()
  const on = botOn({ overrides: { timers: time.timers } })
  await on.bot.start()
  const app = express()
  wire(app, webhook(on.bot))
  const { port } = await listenOn(app)
  const post = (path: string = PATH, o: Parameters<typeof ask>[2] = {}) => {
    const body = o.body ?? MESSAGE
    return ask(port, path, { ...o, headers: { ...headersOf(body), ...o.headers }, body })
  }
  const rows = async () => Object.values((await on.counts()).deliveries).reduce((sum, count) => sum + count, 0)
  return { ...on, app, port, post, rows, timers: time }
}
