import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { withoutItems, type IngestedDelivery, ingestDelivery, type IngestRules } from '../ingest/ingest.ts'
import { createLaneRunner, type LaneRunner } from '../lanes/runner.ts'
import type { Claim, Claimed, Fence, Ingested, Settlement, StartedItem, StoredDelivery } from '../stores/port/index.ts'
import { type Attempt, beginAttempt } from './attempt.ts'
import type { AttemptDeps } from './types.ts'

export interface DispatchDeps extends AttemptDeps {
  readonly owner: string
  readonly lanes: number
  readonly ingest: IngestRules
  readonly report: DispatchReport
}

/** Log, hooks and metrics about deliveries after their answer. */
export interface DispatchReport {
  ingested(delivery: StoredDelivery, ingested: Ingested): void
  alarm(delivery: StoredDelivery, code: string, fact: string | undefined): void
  /** @param error the error of a failed attempt. */
  settled(item: StartedItem, settlement: Settlement, error: unknown): void
  laneLost(item: StartedItem): void
}

/** How many stored deliveries one commit ingests. */
const INGEST_AT_ONCE = 128
/** The part of a drain's time that is kept for the settlements of attempts that are given back. */
const GIVE_BACK_MS = 2_000

/**
 * Takes deliveries after their answer through ingest, lane, attempt and settlement. The lane runner calls `claim`
 * whenever there may be work, and then `run` for each turn of a claimed lane. All work is taken from the tables, so it
 * does not matter which process stored a delivery, or whether that process still lives.
 */
export function createDispatcher(deps: DispatchDeps): LaneRunner {
  const { store, report } = deps
  const running = new Set<Attempt>()
  let suspects = 0
  const runner = createLaneRunner({ ...deps, work: { claim, run } })

  /** Ingests pending deliveries and claims lanes, in one commit. */
  async function claim(request: Claim): Promise<Claimed<StartedItem>> {
    const deliveries = await store.pending(INGEST_AT_ONCE)
    // Ingest is begun first, so that the claim in the same commit finds the new items.
    const ingesting = deliveries.map((delivery) => ingest(delivery, deps))
    const claiming = store.claimItems({ ...request, suspects: suspects === 0 })
    const [claimed] = await Promise.allSettled([claiming, ...ingesting])
    if (deliveries.length === INGEST_AT_ONCE) runner.wake()
    // A delivery that could not be ingested stays pending for the next claim. The lanes that were claimed are held
    // anyway.
    if (claimed.status === 'rejected') throw claimed.reason
    return claimed.value
  }

  /** One turn of a lane: an attempt and its settlement. The answer is the lane's next item. */
  async function run(fence: Fence, item: StartedItem, mayContinue: () => boolean): Promise<StartedItem | undefined> {
    const attempt = beginAttempt(item, fence, deps)
    running.add(attempt)
    if (item.suspect) suspects++
    const settlement = await attempt.settlement
    running.delete(attempt)
    if (item.suspect) suspects--
    const settled = await store.settleItem(fence, item.id, settlement, { now: deps.clock.wall(), goOn: mayContinue() })
    if (settled.held) report.settled(item, settlement, attempt.failure())
    else report.laneLost(item)
    return settled.next
  }

  return {
    wake: runner.wake,
    heldLeases: runner.heldLeases,
    async stop(drainMs) {
      const drained = await runner.stop(Math.max(0, drainMs - GIVE_BACK_MS))
      if (drained) return true
      for (const attempt of running) attempt.giveBack()
      return runner.stop(GIVE_BACK_MS)
    },
  }
}

async function ingest(delivery: StoredDelivery, deps: DispatchDeps): Promise<void> {
  try {
    await storeItems(delivery, ingestDelivery(delivery, deps.ingest), deps)
  } catch (error) {
    if (error instanceof SwitchhookError && error.code === 'store_unavailable') throw error
    // A delivery that cannot be ingested must not hold up the others: it is kept and shown.
    await storeItems(delivery, withoutItems('quarantined', `ingest_failed: ${reasonOf(error)}`), deps)
  }
}

const ALARM_OF = { reused: 'identity_reused', conflict: 'conflict' } as const

async function storeItems(
  delivery: StoredDelivery,
  { ingested, alarms }: IngestedDelivery,
  { store, clock, report }: DispatchDeps,
): Promise<void> {
  const outcomes = await store.ingest(delivery.seq, ingested, clock.wall())
  report.ingested(delivery, ingested)
  for (const { code, fact } of alarms) report.alarm(delivery, code, fact)
  for (const { identity } of outcomes)
    if (identity !== 'same_message') report.alarm(delivery, ALARM_OF[identity], undefined)
}
