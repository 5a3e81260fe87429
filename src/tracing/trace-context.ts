import { createTraceState, type SpanContext } from '@opentelemetry/api'

const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?: (.+))?$/

/** W3C trace context in one text: `traceparent`, and `tracestate` behind a space, which the package keeps below 512 characters. */
export function traceContextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): string {
  const parent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const state = traceState?.serialize() ?? ''
  return state === '' ? parent : `${parent} ${state}`
}

/** Undefined if the text is none. */
export function spanContextOf(text: string | undefined): SpanContext | undefined {
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
