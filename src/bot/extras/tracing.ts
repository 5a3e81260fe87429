/** Traces of a bot, on the package `@opentelemetry/api`, an optional peer. */
import {
  type TracerProvider,
  type Attributes,
  context,
  createTraceState,
  isSpanContextValid,
  type Link,
  ProxyTracerProvider,
  type SpanContext,
  type Span as OpenTelemetrySpan,
  SpanKind,
  SpanStatusCode,
  trace,
  ROOT_CONTEXT,
} from '@opentelemetry/api'
import { type AnyBot, internalsOf } from '../inbox/bot-internals.ts'
import { NO_SPAN, type Span, type SpanMembers, type SpanName, type SpanStart, type Tracer } from '../spans.ts'

export interface TracingOptions {
  /** Default: the globally registered provider, even if it is registered later. */
  provider?: TracerProvider
}

/**
 * Makes spans of a bot's work: docs/tracing.md lists them. Call it before the bot is started. Without an OpenTelemetry SDK
 * nothing is recorded or stored.
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

export function createTracer(provider: TracerProvider | undefined): Tracer {
  const tracer = (provider ?? trace).getTracer(NAME)
  let hasSdk = provider !== undefined
  return {
    start(name, o) {
      // Without an SDK a delivery must cost nothing.
      hasSdk ||= isRegistered()
      if (!hasSdk) return NO_SPAN
      const parent = parentOf(name, o)
      const span = tracer.startSpan(
        nameOf(name, o),
        { kind: KINDS[name], attributes: attributesOf(name, o), links: linksOf(o) },
        parent,
      )
      return isSpanContextValid(span.spanContext()) ? opened(name, span, trace.setSpan(parent, span)) : NO_SPAN
    },
    current() {
      if (!hasSdk) return undefined
      const span = trace.getActiveSpan()?.spanContext()
      return span && isSpanContextValid(span) ? traceContextOf(span) : undefined
    },
  }
}

const NAME = 'switchhook'

function isRegistered(): boolean {
  const registered = trace.getTracerProvider()
  return !(registered instanceof ProxyTracerProvider) || registered.getDelegateTracer(NAME) !== undefined
}

const KINDS: Readonly<Record<SpanName, SpanKind>> = {
  receive: SpanKind.CONSUMER,
  ingest: SpanKind.INTERNAL,
  attempt: SpanKind.CONSUMER,
  send: SpanKind.CLIENT,
}

/** Except when a request arrives, the active span may belong to another delivery. */
function parentOf(name: SpanName, { parent }: SpanStart) {
  if (name === 'receive') return context.active()
  const remote = spanContextOf(parent)
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
}

function linksOf({ links = [] }: SpanStart): Link[] {
  return links.flatMap((link) => {
    const linked = spanContextOf(link)
    return linked ? [{ context: linked }] : []
  })
}

function opened(name: SpanName, span: OpenTelemetrySpan, within: ReturnType<typeof trace.setSpan>): Span {
  return {
    context: traceContextOf(span.spanContext()),
    within: (run) => context.with(within, run),
    add(members) {
      span.setAttributes(attributesOf(name, members))
      if (members.event !== undefined) span.updateName(nameOf(name, members))
    },
    end(members, error) {
      if (members) span.setAttributes(attributesOf(name, members))
      const failed = error ?? (members?.status !== undefined && members.status >= 500 ? UNAVAILABLE : undefined)
      if (failed) {
        const { message } = failed
        span.setStatus({ code: SpanStatusCode.ERROR, message })
        span.setAttributes({ 'error.type': failed.name } satisfies Attributes)
        if (error?.stack !== undefined) span.recordException({ name: error.name, message, stack: error.stack })
      }
      span.end()
    },
  }
}

const UNAVAILABLE = { name: 'unavailable', message: 'the delivery could not be stored' }

/** The operations in OpenTelemetry's messaging conventions. Ingest has none. */
const OPERATION_TYPES: Readonly<Record<SpanName, string | undefined>> = {
  receive: 'receive',
  ingest: undefined,
  attempt: 'process',
  send: 'send',
}

/** By the messaging conventions if they have a name, else with the prefix `switchhook.`. None contains a customer or a text. */
function attributesOf(name: SpanName, members: SpanMembers): Attributes {
  const { event, deliveryId, messageId, number } = members
  const attributes: Attributes = {
    'messaging.system': 'switchhook',
    'messaging.operation.name': name,
    'messaging.operation.type': OPERATION_TYPES[name],
    'messaging.destination.name': name === 'send' ? number : event,
    'messaging.message.id': name === 'send' ? messageId : deliveryId,
    'messaging.batch.message_count': members.messages,
    'http.response.status_code': members.status,
    'switchhook.delivery': name === 'send' ? deliveryId : undefined,
    'switchhook.subscription': members.subscription,
    'switchhook.number': number,
    'switchhook.route': members.route,
    'switchhook.attempt': members.attempt,
    'switchhook.outcome': members.outcome,
    'switchhook.send': members.send,
    'switchhook.via': members.via,
  }
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}

function nameOf(name: SpanName, { event, number }: SpanMembers): string {
  const destination = name === 'send' ? number : event
  return destination === undefined ? name : `${name} ${destination}`
}

const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?: (.+))?$/

/** W3C trace context in one text: `traceparent`, and after a space `tracestate`. */
function traceContextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): string {
  const parent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const state = traceState?.serialize() ?? ''
  return state === '' ? parent : `${parent} ${state}`
}

function spanContextOf(text: string | undefined): SpanContext | undefined {
  const parts = text === undefined ? null : FORM.exec(text)
  if (!parts) return undefined
  const [, traceId = '', spanId = '', flags = '', state] = parts
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  }
}
