/** For a line of the log: `trace_id`, as OpenTelemetry names it there. Nothing without a W3C trace context. */
export function traceIdOf(context: string | undefined): { readonly trace_id?: string } {
  const id = context?.split('-', 2)[1]
  return id === undefined ? {} : { trace_id: id }
}
