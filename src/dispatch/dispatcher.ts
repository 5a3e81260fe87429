import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { createLaneRunner, type LaneRunner } from '../lanes/runner.ts'
import type { Claim, Claimed, Fence, Settlement, Ingested, StartedItem, StoredDelivery } from '../stores/port/index.ts'
import { type Attempt, beginAttempt } from './attempt.ts'
import type { AttemptDeps } from './types.ts'
import { atRest, type IngestedDelivery, ingestDelivery, type IngestRules } from '../ingest/ingest.ts'

export interface DispatchDeps extends AttemptDeps {
  readonly owner: string
  readonly lanes: number
  readonly ingest: IngestRules
  readonly report: DispatchReport
}

/** Hears what becomes of deliveries after their answer. */
export interface DispatchReport {
  ingested(delivery: StoredDelivery, sorted: Ingested): void
  alarm(delivery: StoredDelivery, code: string, fact: string | undefined): void
  /** `error`: what a failed attempt failed with. */
  settled(item: StartedItem, settlement: Settlement, error: unknown): void
  laneLost(item: StartedItem): void
}

const ALARM_OF = { reused: 'identity_reused', conflict: 'conflict' } as const

/** How many stored deliveries one commit sorts. */
const SORT_AT_ONCE = 128
/** How long the settlements of attempts that are given back may take; part of the time that a drain has. */
const GIVE_BACK_MS = 2_000

/**
 * The way of a delivery after its answer: sort, lane, attempt, settlement. All work is taken from the tables, so
 * that it does not matter which process stored it, or whether that one still lives.
 */
export function createDispatcher(room: DispatchDeps): LaneRunner {
  const running = new Set<Attempt>()
  let suspects = 0
  const runner = createLaneRunner({ ...room, work: { claim, run } })

  /** Sorts what is unsorted and claims lanes, in one commit. */
  async function claim(claiming: Claim): Promise<Claimed<StartedItem>> {
    const deliveries = await room.store.pending(SORT_AT_ONCE)
    const sorts = Promise.allSettled(deliveries.map((delivery) => sort(delivery)))
    const [claimed] = await Promise.allSettled([
      room.store.claimItems({ ...claiming, suspects: suspects === 0 }),
      sorts,
    ])
    if (deliveries.length === SORT_AT_ONCE) runner.wake()
    // What could not be sorted stays unsorted, and is looked at again; lanes that were claimed are in hand.
    if (claimed.status === 'rejected') throw claimed.reason
    return claimed.value
  }

  async function sort(delivery: StoredDelivery): Promise<void> {
    try {
      await store(delivery, ingestDelivery(delivery, room.ingest))
    } catch (error) {
      if (error instanceof SwitchhookError && error.code === 'store_unavailable') throw error
      // What cannot be sorted must not hold up the others: it is kept and shown.
      await store(delivery, atRest('quarantined', `sort_failed: ${reasonOf(error)}`))
    }
  }

  async function store(delivery: StoredDelivery, { ingested, alarms }: IngestedDelivery): Promise<void> {
    const outcomes = await room.store.ingest(delivery.seq, ingested, room.clock.wall())
    room.report.ingested(delivery, ingested)
    for (const { code, fact } of alarms) room.report.alarm(delivery, code, fact)
    for (const { identity } of outcomes)
      if (identity !== 'same_message') room.report.alarm(delivery, ALARM_OF[identity], undefined)
  }

  /** One turn of a lane: an attempt, its settlement, and the lane's next item. */
  async function run(fence: Fence, item: StartedItem, goOn: () => boolean): Promise<StartedItem | undefined> {
    const attempt = beginAttempt(item, fence, room)
    running.add(attempt)
    if (item.suspect) suspects++
    const settlement = await attempt.settlement
    running.delete(attempt)
    if (item.suspect) suspects--
    const next = { now: room.clock.wall(), goOn: goOn() }
    const settled = await room.store.settleItem(fence, item.id, settlement, next)
    if (settled.held) room.report.settled(item, settlement, attempt.failure())
    else room.report.laneLost(item)
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
