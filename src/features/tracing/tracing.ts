/** Traces a bot with the package `@opentelemetry/api`, an optional peer dependency. */
import type { TracerProvider } from '@opentelemetry/api'
import { type AnyBot, internalsOf } from '../../bot/bot-internals.ts'
import { createTracer } from './spans.ts'

export interface TracingOptions {
  /** Default: the globally registered provider, even if it is registered later. */
  provider?: TracerProvider
}

/**
 * Makes spans of a bot's work: docs/tracing.md lists them. Call it before the bot is started. Without an OpenTelemetry
 * SDK nothing is recorded or stored.
 *
 * ```ts
 * traceBot(bot)
 * await bot.start()
 * ```
 *
 * @throws SwitchhookError `options_invalid` if the bot is started.
 */
export function traceBot(bot: AnyBot, { provider }: TracingOptions = {}): void {
  internalsOf(bot).add({ name: 'traceBot', watcher: createTracer(provider) })
}
