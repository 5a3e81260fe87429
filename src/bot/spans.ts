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

export const NO_SPAN: Span = { context: undefined, within: (run) => run(), add() {}, end() {} }

/** A tracer that throws must neither lose a delivery nor stop a lane. Calls `failed` with the first error. */
export function safeTracer(tracer: Tracer, failed: (error: unknown) => void): Tracer {
  let hasFailed = false
  function guarded<T>(call: () => T): T | undefined {
    try {
      return call()
    } catch (error) {
      if (!hasFailed) failed(error)
      hasFailed = true
      return undefined
    }
  }
  return {
    current: () => guarded(() => tracer.current()),
    start(name, o) {
      const span = guarded(() => tracer.start(name, o))
      if (!span || span === NO_SPAN) return NO_SPAN
      return {
        context: span.context,
        within<T>(run: () => T): T {
          // Errors of the work are passed as a value, so that they do not count as errors of the tracer.
          let ended: Ended<T> | undefined
          guarded(() => span.within(() => void (ended = endOf(run))))
          ended ??= endOf(run)
          if ('thrown' in ended) throw ended.thrown
          return ended.result
        },
        add: (members) => guarded(() => span.add(members)),
        end: (members, error) => guarded(() => span.end(members, error)),
      }
    },
  }
}

type Ended<T> = { readonly result: T } | { readonly thrown: unknown }

function endOf<T>(run: () => T): Ended<T> {
  try {
    return { result: run() }
  } catch (thrown) {
    return { thrown }
  }
}
