/** The bot's own work, as spans of a trace. */
export type SpanName = 'receive' | 'ingest' | 'attempt' | 'send'

/** Members of a span, in the words of this house; absent ones are left out. */
export interface SpanMembers {
  readonly event?: string | undefined
  readonly deliveryId?: string | undefined
  readonly subscription?: string | undefined
  readonly number?: string | undefined
  readonly route?: string | undefined
  readonly attempt?: number | undefined
  /** How many messages a burst has. */
  readonly messages?: number | undefined
  readonly outcome?: string | undefined
  readonly send?: string | undefined
  readonly via?: string | undefined
  readonly messageId?: string | undefined
  /** HTTP status of the bot's answer. */
  readonly status?: number | undefined
}

/** An error without anything personal. */
export interface SpanError {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
}

export interface SpanStart extends SpanMembers {
  /** The span that it belongs to, as W3C trace context; without it a new trace begins. `receive` belongs to what runs now. */
  readonly parent?: string | undefined
  readonly links?: readonly (string | undefined)[]
}

export interface Span {
  /** W3C trace context: `traceparent`, and behind a space `tracestate` if there is one. Undefined if nobody records. */
  readonly context: string | undefined
  /** Runs work in the span: spans that the work begins belong to it. */
  within<T>(run: () => T): T
  add(members: SpanMembers): void
  end(members?: SpanMembers, error?: SpanError): void
}

/** Makes spans. Without a tracer the bot makes none. */
export interface Tracer {
  start(name: SpanName, o: SpanStart): Span
  /** The context of the span that runs now. */
  current(): string | undefined
}

export const NO_SPAN: Span = { context: undefined, within: (run) => run(), add() {}, end() {} }
