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
import { UNWATCHED, type WatchedWork, type Watcher, type Watching, type WorkName } from '../../bot/watcher.ts'
import { whyOf } from '../../bot/outbox/outcome.ts'
import { redactError } from '../../bot/work/redacted-error.ts'

export function createTracer(provider: TracerProvider | undefined): Watcher {
  const tracer = (provider ?? trace).getTracer(NAME)
  let hasSdk = provider !== undefined
  return {
    begins<W extends WorkName>(work: W, of: WatchedWork[W]['of']): Watching<W> {
      // Without an OpenTelemetry SDK, tracing must cost nothing, so make no span.
      hasSdk ||= isRegistered()
      if (!hasSdk) return UNWATCHED
      const { parent, links = [], ...members } = BEGINNING[work](of)
      const parentContext = parentOf(work, parent)
      const span = tracer.startSpan(
        nameOf(work, members),
        { kind: KINDS[work], attributes: attributesOf(work, members), links: linksTo(links) },
        parentContext,
      )
      const isRecorded = isSpanContextValid(span.spanContext())
      return isRecorded ? opened(work, of, span, trace.setSpan(parentContext, span)) : UNWATCHED
    },
    current() {
      if (!hasSdk) return undefined
      const span = trace.getActiveSpan()?.spanContext()
      return span && isSpanContextValid(span) ? traceContextOf(span) : undefined
    },
  }
}

/** The content of a span, by our own names. */
interface SpanMembers {
  readonly event?: string | undefined
  readonly deliveryId?: string | undefined
  readonly subscription?: string | undefined
  readonly number?: string | undefined
  readonly route?: string | undefined
  readonly attempt?: number | undefined
  readonly messages?: number | undefined
  readonly outcome?: string | undefined
  readonly send?: string | undefined
  readonly via?: string | undefined
  readonly messageId?: string | undefined
  readonly status?: number | undefined
}

interface SpanStart extends SpanMembers {
  /** W3C trace context. Without it a new trace begins. For `receive` the active span is the parent instead. */
  readonly parent?: string | undefined
  readonly links?: readonly (string | undefined)[]
}

const BEGINNING: { readonly [W in WorkName]: (of: WatchedWork[W]['of']) => SpanStart } = {
  receive: () => ({}),
  ingest: ({ event, deliveryId, trace: parent }) => ({ parent, event, deliveryId }),
  // A retry links to the failed attempt before it, and a bundle to the deliveries of its other messages.
  attempt({ delivery, number, attempt, earlier, failedTrace }) {
    const { event, deliveryId, subscription, trace: parent } = delivery
    const links = [failedTrace, ...earlier.map(({ trace }) => trace)]
    const messages = earlier.length === 0 ? undefined : earlier.length + 1
    return { parent, links, event, deliveryId, subscription, number, attempt, messages }
  },
  send({ id, number, delivery: deliveryId, attempts, via, trace: parent }) {
    return { parent, number, send: id, deliveryId, attempt: attempts, via }
  },
}

/** An error without personal data. */
interface SpanError {
  readonly name: string
  readonly message: string
  /** The stack; undefined if the error is not a handler's. */
  readonly stack?: string | undefined
}

type Ending = readonly [members: SpanMembers, error?: SpanError | undefined]

const ENDING: {
  readonly [W in WorkName]: (end: WatchedWork[W]['end'] | undefined, of: WatchedWork[W]['of']) => Ending
} = {
  receive(answer) {
    if (answer === undefined) return [{}, { name: 'Error', message: 'the body could not be read' }]
    const { status } = answer
    return [{ status }, status >= 500 ? { name: 'unavailable', message: NOT_STORED } : undefined]
  },
  ingest: (stored) => [{}, stored === undefined ? { name: 'Error', message: NOT_STORED } : undefined],
  attempt(ended, item) {
    if (ended === undefined) return [{}]
    const { settlement, route, error } = ended
    return [{ route, outcome: settlement.as }, error === undefined ? undefined : redactError(error, item)]
  },
  send(result = { unknown: '' }) {
    if ('message' in result) return [{ outcome: 'accepted', messageId: result.message.id }]
    // Only the code, because the service's own message may contain a customer's number.
    const code = 'unknown' in result ? 'unknown' : (whyOf(result).code ?? 'unknown')
    return [{ outcome: 'failed' }, { name: code, message: code }]
  },
}

const NOT_STORED = 'the delivery could not be stored'

const NAME = 'switchhook'

function isRegistered(): boolean {
  const registered = trace.getTracerProvider()
  return !(registered instanceof ProxyTracerProvider) || registered.getDelegateTracer(NAME) !== undefined
}

const KINDS: Readonly<Record<WorkName, SpanKind>> = {
  receive: SpanKind.CONSUMER,
  ingest: SpanKind.INTERNAL,
  attempt: SpanKind.CONSUMER,
  send: SpanKind.CLIENT,
}

/** Only `receive` has the active span as its parent: other work may run while another delivery's span is active. */
function parentOf(work: WorkName, parent: string | undefined) {
  if (work === 'receive') return context.active()
  const remote = spanContextOf(parent)
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
}

function linksTo(links: readonly (string | undefined)[]): Link[] {
  return links.flatMap((link) => {
    const linked = spanContextOf(link)
    return linked ? [{ context: linked }] : []
  })
}

function opened<W extends WorkName>(
  work: W,
  of: WatchedWork[W]['of'],
  span: OpenTelemetrySpan,
  within: ReturnType<typeof trace.setSpan>,
): Watching<W> {
  return {
    context: traceContextOf(span.spanContext()),
    within: (run) => context.with(within, run),
    reads({ event, deliveryId, subscription }) {
      span.setAttributes(attributesOf(work, { event, deliveryId, subscription }))
      if (event !== undefined) span.updateName(nameOf(work, { event }))
    },
    ends(end) {
      const [members, failed] = ENDING[work](end, of)
      span.setAttributes(attributesOf(work, members))
      if (failed) {
        const { name, message, stack } = failed
        span.setStatus({ code: SpanStatusCode.ERROR, message })
        span.setAttributes({ 'error.type': name } satisfies Attributes)
        if (stack !== undefined) span.recordException({ name, message, stack })
      }
      span.end()
    },
  }
}

/** The types of operations in OpenTelemetry's messaging conventions, which have none for ingest. */
const OPERATION_TYPES: Readonly<Record<WorkName, string | undefined>> = {
  receive: 'receive',
  ingest: undefined,
  attempt: 'process',
  send: 'send',
}

/**
 * Names attributes by the messaging conventions if they have a name, otherwise with the prefix `switchhook.`. None
 * contains a customer or a text.
 */
function attributesOf(name: WorkName, members: SpanMembers): Attributes {
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

function nameOf(name: WorkName, { event, number }: SpanMembers): string {
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
