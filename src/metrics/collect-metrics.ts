import type { IncomingMessage, ServerResponse } from 'node:http'
import { Registry } from 'prom-client'
import { type AnyBot, internalsOf } from '../receive/bot-internals.ts'
import type { Hooks } from '../report/index.ts'
import { eventMetrics } from './event-metrics.ts'
import { registerGauges } from './gauges.ts'

/** Accepts any bot. */
export interface Observable extends AnyBot {
  observe(hooks: Hooks): unknown
}

export interface MetricsOptions {
  /** The app's own registry; default: one of the bot's own. A registry holds the metrics of one bot. */
  register?: Registry
}

export interface Metrics {
  readonly register: Registry
  /** Answers a scrape, as Express middleware or in a server of `node:http`. */
  handler(request: IncomingMessage, response: ServerResponse): void
}

/**
 * Collects the metrics of a bot: counters and histograms of what its hooks hear from now on, and gauges that are read at each
 * scrape. Call it once for a bot, before or after its start. docs/metrics.md lists them all.
 *
 * ```ts
 * const metrics = collectMetrics(bot)
 * app.get('/metrics', metrics.handler)
 * ```
 *
 * @throws Error of `prom-client` if the registry has metrics of these names already.
 */
export function collectMetrics(bot: Observable, { register = new Registry() }: MetricsOptions = {}): Metrics {
  const internals = internalsOf(bot)
  registerGauges(internals, register)
  bot.observe(eventMetrics(register))
  return { register, handler: (_request, response) => void answerScrape(register, response) }
}

async function answerScrape(register: Registry, response: ServerResponse): Promise<void> {
  try {
    const text = await register.metrics()
    response.setHeader('content-type', register.contentType)
    // A connection that is kept, and asked at each second, would keep the process of a bot that has stopped.
    response.shouldKeepAlive = false
    response.end(text)
  } catch {
    // A metric of the app's own failed; what it says is not for whoever scrapes.
    response.statusCode = 500
    response.end()
  }
}
