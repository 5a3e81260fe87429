import { inSlices, type Sliced } from '../base/clock.ts'
import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { type IngestedDelivery, ingestionOf, type IngestRules, withoutItems } from '../ingest/ingest.ts'
import { isLarge, type Store, type StoredDelivery } from '../stores/port/index.ts'

const INGEST_AT_ONCE = 128

export interface Pending {
  underWay(): readonly number[]
  /** Reads what is pending. The answer ingests it, in one commit with what is asked of the store behind it. */
  read(): Promise<() => readonly Promise<void>[]>
  /**
   * Lanes of large deliveries that are being ingested: nothing begins there, since older items than those that can be
   * seen are on their way.
   */
  closed(): readonly string[]
  isClosed(lane: string): boolean
}

/**
 * Ingests pending deliveries: small ones together with a claim, large ones beside the claims, so that other customers
 * do not wait for them.
 *
 * @param o.storeItems stores what was read of a delivery, and reports it.
 * @param o.wake there is more to do.
 */
export function createPending(o: {
  store: Store
  rules: IngestRules
  storeItems: (delivery: StoredDelivery, read: IngestedDelivery) => Promise<void>
  wake: () => void
}): Pending {
  /** By the seq of each large delivery: the lanes of its items. */
  const large = new Map<number, ReadonlySet<string>>()

  const underWay = () => [...large.keys()]

  async function ingest(delivery: StoredDelivery, read: IngestedDelivery): Promise<void> {
    try {
      await o.storeItems(delivery, read)
    } catch (error) {
      if (error instanceof SwitchhookError && error.code === 'store_unavailable') throw error
      // A delivery that cannot be ingested must not hold up the others: it is kept and shown.
      await o.storeItems(delivery, failed(error))
    }
  }

  async function ingestBeside(delivery: StoredDelivery, read: IngestedDelivery): Promise<void> {
    const { state, items } = read.ingested
    const lanes = state === 'ingested' ? items.flatMap(({ lane }) => lane ?? []) : []
    large.set(delivery.seq, new Set(lanes))
    const done = await ingest(delivery, read).then(
      () => true,
      () => false,
    )
    large.delete(delivery.seq)
    // A batch that could not be stored stays pending for the next look.
    if (done) o.wake()
  }

  function* readAll(deliveries: readonly StoredDelivery[]): Sliced<readonly (() => Promise<void>)[]> {
    const small: (() => Promise<void>)[] = []
    for (const delivery of deliveries) {
      const read = yield* readOne(delivery, o.rules)
      if (isLarge(read.ingested)) void ingestBeside(delivery, read)
      else small.push(() => ingest(delivery, read))
      yield
    }
    return small
  }

  return {
    underWay,
    async read() {
      const deliveries = await o.store.pending(INGEST_AT_ONCE, underWay())
      await o.rules.learn?.(deliveries.map(({ subscription }) => subscription))
      const small = deliveries.length === 0 ? [] : await inSlices(readAll(deliveries))
      if (deliveries.length === INGEST_AT_ONCE) o.wake()
      return () => small.map((each) => each())
    },
    closed: () => [...large.values()].flatMap((lanes) => [...lanes]),
    isClosed: (lane) => large.size > 0 && [...large.values()].some((lanes) => lanes.has(lane)),
  }
}

function* readOne(delivery: StoredDelivery, rules: IngestRules): Sliced<IngestedDelivery> {
  try {
    return yield* ingestionOf(delivery, rules)
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): IngestedDelivery {
  return withoutItems('quarantined', `ingest_failed: ${reasonOf(error)}`)
}
