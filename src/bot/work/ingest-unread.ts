import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Clock } from '../../base/clock.ts'
import { fitsAtOnce } from '../../store/inbox/ingest.ts'
import { type Store, TakesTooLong } from '../../store/store.ts'
import type { Ingested, IngestOutcome, NewDelivery, StoredDelivery } from '../../store/types/types.ts'
import {
  ingestDelivery,
  type IngestedDelivery,
  type IngestRules,
  type ReadableDelivery,
  withoutItems,
} from '../in/ingest.ts'
import { LARGEST_BATCH } from '../in/payload/locate.ts'
import type { Tracer } from '../spans.ts'
import type { Observation } from './observation.ts'

export interface IngestDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ingest: IngestRules
  readonly report: IngestReport
  readonly observation: Pick<Observation, 'read'>
  readonly tracer?: Tracer | undefined
}

export interface IngestReport {
  ingested(delivery: ReadableDelivery, ingested: Ingested, outcomes: readonly IngestOutcome[]): void
  alarm(delivery: ReadableDelivery, code: string, fact: string | undefined): void
}

const MOST_DELIVERIES = 128

/**
 * Reads the oldest unread deliveries, as many as fit into one commit. The returned function begins to store their
 * items: call it directly before the claim that is to find them. `more`: there are others to read; `large`: the items of one
 * take several commits.
 */
export async function ingestUnread(
  deps: IngestDeps,
): Promise<{ readonly more: boolean; readonly large: boolean; store(): Promise<void>[] }> {
  const deliveries = await deps.store.unread(MOST_DELIVERIES)
  await deps.ingest.learn?.(deliveries.map(({ subscription }) => subscription))
  const read: (readonly [StoredDelivery, IngestedDelivery])[] = []
  let items = 0
  for (const delivery of deliveries) {
    if (items >= LARGEST_BATCH) break
    const one = readOne(delivery, deps.ingest)
    read.push([delivery, one])
    items += one.ingested.items.length
  }
  return {
    large: read.some(([, { ingested }]) => !fitsAtOnce(ingested)),
    more: read.length < deliveries.length || deliveries.length === MOST_DELIVERIES,
    store: () => read.map(([delivery, one]) => storeItemsOrFailure(delivery, one, deps)),
  }
}

function readOne(delivery: StoredDelivery, rules: IngestRules): IngestedDelivery {
  try {
    return ingestDelivery(delivery, rules)
  } catch (error) {
    return failed(error)
  }
}

async function storeItemsOrFailure(delivery: StoredDelivery, read: IngestedDelivery, deps: IngestDeps): Promise<void> {
  try {
    await storeItems(delivery, read, deps)
  } catch (error) {
    const isOut = error instanceof SwitchhookError && error.code === 'store_unavailable'
    if (isOut && !(error instanceof TakesTooLong)) throw error
    // One delivery that cannot be ingested must not delay the others: it is kept and shown.
    await storeItems(delivery, failed(error), deps)
  }
}

async function storeItems(delivery: StoredDelivery, read: IngestedDelivery, deps: IngestDeps): Promise<void> {
  const store = () => deps.store.ingest(delivery.seq, read.ingested, deps.clock.wall())
  const outcomes = await inIngestSpan(delivery, deps.tracer, store)
  reportIngest(delivery, read, outcomes, deps)
}

function failed(error: unknown): IngestedDelivery {
  return withoutItems('quarantined', `ingest_failed: ${reasonOf(error)}`)
}

const ALARM_OF = { reused: 'identity_reused', conflict: 'conflict' } as const

export function reportIngest(
  delivery: ReadableDelivery,
  { ingested, alarms, reading }: IngestedDelivery,
  outcomes: readonly IngestOutcome[],
  { report, observation }: Pick<IngestDeps, 'report' | 'observation'>,
): void {
  report.ingested(delivery, ingested, outcomes)
  for (const { code, fact } of alarms) report.alarm(delivery, code, fact)
  for (const { identity } of outcomes)
    if (identity !== 'same_message') report.alarm(delivery, ALARM_OF[identity], undefined)
  if (reading) observation.read(delivery.event, reading)
}

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
