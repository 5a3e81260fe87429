import type { Guard } from './report/guard.ts'

/** The bot's own work, as spans of a trace. */
export type SpanName = 'receive' | 'ingest' | 'attempt' | 'send'

/** Members of a span, by our own names. Absent ones are left out. */
export interface SpanMembers {
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

/** An error without personal data. */
export interface SpanError {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
}

export interface SpanStart extends SpanMembers {
  /** W3C trace context. Without it a new trace begins, or for `receive` the active span is the parent. */
  readonly parent?: string | undefined
  readonly links?: readonly (string | undefined)[]
}

export interface Span {
  /** `traceparent`, and after a space `tracestate` if there is one. Undefined if nothing is recorded. */
  readonly context: string | undefined
  /** Runs work in the span. Spans that the work begins belong to it. */
  within<T>(run: () => T): T
  add(members: SpanMembers): void
  end(members?: SpanMembers, error?: SpanError): void
}

/** Makes spans. Without a tracer the bot makes none. */
export interface Tracer {
  start(name: SpanName, o: SpanStart): Span
  current(): string | undefined
}

/** For a line of the log: `trace_id`, as OpenTelemetry names it there. Nothing without a trace. */
export function traceIdOf(context: string | undefined): { readonly trace_id?: string } {
  const id = context?.split('-', 2)[1]
  return id === undefined ? {} : { trace_id: id }
}

export const NO_SPAN: Span = { context: undefined, within: (run) => run(), add() {}, end() {} }

/** A tracer that throws changes nothing of the work that it traces. */
export function guardedTracer(tracer: Tracer, guard: Guard): Tracer {
  return {
    start(name, o) {
      const span = guard(() => tracer.start(name, o)) ?? NO_SPAN
      return span === NO_SPAN ? span : guardedSpan(span, guard)
    },
    current: () => guard(() => tracer.current()),
  }
}

function guardedSpan(span: Span, guard: Guard): Span {
  return {
    context: guard(() => span.context),
    within<T>(run: () => T): T {
      let ended: (() => T) | undefined
      guard(() => span.within(() => void (ended = outcomeOf(run))))
      return (ended ?? outcomeOf(run))()
    },
    add: (members) => guard(() => span.add(members)),
    end: (members, error) => guard(() => span.end(members, error)),
  }
}

function outcomeOf<T>(run: () => T): () => T {
  try {
    const result = run()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}
