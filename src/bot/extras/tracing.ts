/** Traces of a bot, on the package `@opentelemetry/api`, an optional peer. */
import type { TracerProvider } from '@opentelemetry/api'
import { type AnyBot, internalsOf } from '../in/bot-internals.ts'
import { createTracer } from './tracer.ts'

export interface TracingOptions {
  /** Default: the globally registered provider, even if it is registered later. */
  provider?: TracerProvider
}

/**
 * Traces a bot. Receiving a delivery, its ingest, each attempt at it and each attempt at a send are spans. The trace
 * context is stored with the delivery, so that an attempt in another process belongs to the trace. docs/tracing.md
 * lists the spans and their attributes. Call it before the bot is started. Without an OpenTelemetry SDK nothing is
 * recorded or stored.
 *
 * ```ts
 * traceBot(bot)
 * await bot.start()
 * ```
 *
 * @throws SwitchhookError `options_invalid` if the bot is started.
 */
export function traceBot(bot: AnyBot, { provider }: TracingOptions = {}): void {
  internalsOf(bot).trace(createTracer(provider))
}
