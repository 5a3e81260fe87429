/** Traces of a bot, on the package `@opentelemetry/api`, an optional peer. */
import type { TracerProvider } from '@opentelemetry/api'
import { type AnyBot, internalsOf } from '../receive/bot-internals.ts'
import { createTracer } from './tracer.ts'

export interface TracingOptions {
  /** Default: the provider that is registered globally, also if that comes later. */
  provider?: TracerProvider
}

/**
 * Traces a bot: receiving a delivery, its ingest, each attempt at it and each attempt at a send are spans. The trace goes with
 * the delivery through the database, so that an attempt in another process belongs to it; docs/tracing.md lists the spans and
 * their attributes. Call it before the bot is started. Where no SDK is registered nothing is recorded and nothing is stored.
 *
 * @throws SwitchhookError `options_invalid` if the bot is started.
 */
export function traceBot(bot: AnyBot, { provider }: TracingOptions = {}): void {
  internalsOf(bot).trace(createTracer(provider))
}
