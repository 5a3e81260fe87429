/** Prometheus metrics of a bot, on the package `prom-client`, an optional peer. */
export { collectMetrics, type Metrics, type MetricsOptions, type Observable } from './collect-metrics.ts'
