/** Traces of a bot, on the package `@opentelemetry/api`, an optional peer. */
export { traceBot, type TracingOptions } from './trace-bot.ts'
