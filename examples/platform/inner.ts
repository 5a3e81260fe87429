/** The port that only the platform's own machines reach: for Prometheus, and for the probes that keep the processes alive. */
import express from 'express'
import { health } from 'switchhook/express'
import { collectMetrics } from 'switchhook/metrics'
import type { Platform } from './bot.ts'

export function serveInner(bot: Platform) {
  const app = express()
  app.get('/metrics', collectMetrics(bot).handler)
  app.get('/health', health(bot))
  return app.listen(Number(process.env['INNER_PORT'] ?? 9090))
}
