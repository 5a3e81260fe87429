import type { Clock } from '../../base/clock.ts'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { fitsAtOnce } from '../../store/inbox/arrive.ts'
import { RefusedAlone } from '../../store/database/engine.ts'
import type { Store } from '../../store/store.ts'
import { watch, type Watcher } from '../watcher.ts'
import { LARGEST_BATCH } from './payload/locate.ts'
import {
  type DeliveryReading,
  type IngestReport,
  type IngestRules,
  readDelivery,
  withoutItems,
} from './read-delivery.ts'
import type { StoredDelivery } from '../../store/inbox/unread.ts'

export interface IngestDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ingest: IngestRules
  readonly report: IngestReport
  readonly watcher?: Watcher | undefined
}

/**
 * Reads deliveries that were stored unread, and stores their items. Meanwhile claims begin nothing of their numbers. A
 * claim reports the subscriptions with unread deliveries. The next claim begins items of subscriptions read since then.
 */
export class UnreadDeliveries {
  readonly #deps: IngestDeps
  readonly #runner: { wake(): void; track(task: Promise<unknown>): void }
  /** The subscriptions whose items are being stored. */
  readonly #reading = new Set<string>()
  /** Subscriptions that were read for the next claim. Deliveries that arrive meanwhile do not delay them again. */
  readonly #readForClaim: string[] = []
  #round: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  #arrivedMeanwhile = false

  constructor(deps: IngestDeps, runner: { wake(): void; track(task: Promise<unknown>): void }) {
    this.#deps = deps
    this.#runner = runner
  }

  /** Returns the subscriptions whose items the claim may begin. @throws if reading has failed since the last claim. */
  readForThisClaim(): readonly string[] {
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
    return this.#readForClaim.splice(0)
  }

  /** @param unread the subscriptions of unread deliveries. */
  read(unread: readonly string[]): void {
    this.#arrivedMeanwhile ||= unread.some((subscription) => this.#reading.has(subscription))
    if (this.#round || unread.every((subscription) => this.#reading.has(subscription))) return
    this.#round = this.#readAll().catch((error: unknown) => void (this.#failure = { error }))
    this.#runner.track(this.#round)
  }

  async #readAll(): Promise<void> {
    try {
      for (const { subscription, large, store: begin } of await readUnread(this.#deps, this.#reading)) {
        this.#reading.add(subscription)
        const stored = Promise.allSettled(begin())
        // The next claim may share the commit that stores these items. If they take several commits (`large`), the
        // claim must wait for all, or it would begin a message before an older one of its customer.
        if (!large) this.#readForClaim.push(subscription)
        const ended = stored.then((all) =>
          this.#end(
            subscription,
            large,
            all.every(({ status }) => status === 'fulfilled'),
          ),
        )
        this.#runner.track(ended)
      }
    } finally {
      this.#round = undefined
    }
    this.#runner.wake()
  }

  /** Ends the reading of a subscription. A delivery whose items could not be stored is read again at the next poll. */
  #end(subscription: string, large: boolean, isWhole: boolean): void {
    this.#reading.delete(subscription)
    if (large) this.#readForClaim.push(subscription)
    if (!isWhole || (!large && !this.#arrivedMeanwhile)) return
    this.#arrivedMeanwhile = false
    this.#runner.wake()
  }
}

const MOST_DELIVERIES = 128

/**
 * Reads the oldest unread deliveries, as many as fit into one commit, by subscription. `large`: the items of one
 * delivery take several commits.
 */
export async function readUnread(deps: IngestDeps, except: ReadonlySet<string>) {
  const deliveries = await deps.store.unread(MOST_DELIVERIES, except)
  await deps.ingest.learn?.(deliveries.map(({ subscription }) => subscription))
  const read: (readonly [StoredDelivery, DeliveryReading])[] = []
  let items = 0
  for (const delivery of deliveries) {
    if (items >= LARGEST_BATCH) break
    const one = readOne(delivery, deps.ingest)
    read.push([delivery, one])
    items += one.ingested.items.length
  }
  return [...Map.groupBy(read, ([{ subscription }]) => subscription)].map(([subscription, its]) => ({
    subscription,
    large: its.some(([, { ingested }]) => !fitsAtOnce(ingested)),
    store: () => its.map(([delivery, one]) => storeItemsOrFailure(delivery, one, deps)),
  }))
}

function readOne(delivery: StoredDelivery, rules: IngestRules): DeliveryReading {
  try {
    return readDelivery(delivery, rules)
  } catch (error) {
    return failed(error)
  }
}

async function storeItemsOrFailure(delivery: StoredDelivery, read: DeliveryReading, deps: IngestDeps): Promise<void> {
  try {
    await storeItems(delivery, read, deps)
  } catch (error) {
    const isOut = error instanceof SwitchhookError && error.code === 'store_unavailable'
    if (isOut && !(error instanceof RefusedAlone)) throw error
    // One delivery that cannot be ingested must not delay the others: it is kept and shown.
    await storeItems(delivery, failed(error), deps)
  }
}

async function storeItems(delivery: StoredDelivery, read: DeliveryReading, deps: IngestDeps): Promise<void> {
  const store = () => deps.store.ingest(delivery.seq, read.ingested, deps.clock.wall())
  const outcomes = await watch(deps.watcher, ['ingest', delivery], store)
  deps.report.ingested(delivery, read, outcomes)
}

function failed(error: unknown): DeliveryReading {
  return withoutItems('quarantined', `ingest_failed: ${reasonOf(error)}`)
}
