import { NO_SPAN, type Span, type Tracer } from '../base/tracer.ts'
import type { NewDelivery, Settlement, StartedItem } from '../stores/port/index.ts'
import { redactError } from './failure.ts'

/**
 * The span of an attempt belongs to the one that received its delivery. A rerun names the attempt that failed before it, and a
 * burst the deliveries of its other messages.
 */
export function attemptSpan(item: StartedItem, tracer: Tracer | undefined): Span {
  if (!tracer) return NO_SPAN
  const { delivery, number, attempt, earlier, failedTrace } = item
  const { event, deliveryId, subscription, trace: parent } = delivery
  const links = [failedTrace, ...earlier.map(({ trace }) => trace)]
  const messages = earlier.length === 0 ? undefined : earlier.length + 1
  return tracer.start('attempt', { parent, links, event, deliveryId, subscription, number, attempt, messages })
}

export function endAttemptSpan(
  span: Span,
  item: StartedItem,
  { as: outcome }: Settlement,
  { route, error }: { readonly route: string | undefined; readonly error: unknown },
): void {
  if (span !== NO_SPAN) span.end({ route, outcome }, error === undefined ? undefined : redactError(error, item))
}

/** Runs what makes items of a delivery in a span of that delivery. */
export async function inIngestSpan<T>(
  { event, deliveryId, trace: parent }: Pick<NewDelivery, 'event' | 'deliveryId' | 'trace'>,
  tracer: Tracer | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (!tracer) return run()
  const span = tracer.start('ingest', { parent, event, deliveryId })
  try {
    const result = await span.within(run)
    span.end()
    return result
  } catch (error) {
    span.end({}, { name: 'Error', message: 'the delivery could not be stored' })
    throw error
  }
}
