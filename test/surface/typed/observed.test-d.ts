/** Bots of any type are measured and traced. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { trace } from '@opentelemetry/api'
import { register, type Registry } from 'prom-client'
import { createBot, type Observed } from 'switchhook'
import { collectMetrics } from 'switchhook/metrics'
import { traceBot } from 'switchhook/tracing'
import { z } from 'zod'

const plain = createBot()
const bot = createBot({ session: z.object({ lang: z.string() }), numbers: { sales: {}, care: {} } })

const own: Registry = collectMetrics(plain).register
const { handler } = collectMetrics(bot, { register })
const listener: (request: IncomingMessage, response: ServerResponse) => void = handler
traceBot(plain)
traceBot(bot, { provider: trace.getTracerProvider() })
// @ts-expect-error -- a registry of prom-client, and nothing that is called like one
collectMetrics(bot, { register: {} })

bot.observe({
  handled({ route, attempt, waitedMs, durationMs }: Observed) {
    const numbers: (number | undefined)[] = [attempt, waitedMs, durationMs]
    return void [route?.startsWith('hears:'), numbers, own, listener]
  },
  send_retried: ({ via }) => via === 'template',
})
