import { afterThisTurn } from '../../base/clock.ts'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { NO_SPAN, type Span, type Tracer } from '../spans.ts'
import { type Attempt, beginAttempt } from './attempt.ts'
import { redactError } from './failure.ts'
import type { Observation } from './observation.ts'
import type { AttemptDeps } from './attempt-types.ts'
import { ingestDelivery, type IngestedDelivery, type IngestRules, readArrival, withoutItems } from '../in/ingest.ts'
import { LARGEST_BATCH } from '../in/payload/locate.ts'
import type { KeptFacts } from '../in/kept-facts.ts'
import type { ReadableDelivery } from '../in/read-item.ts'
import { LEASE_MS, type ProcessLease } from '../lanes/lease.ts'
import { Bag, createLaneRunner, type LaneRunner, type Turn } from '../lanes/runner.ts'
import type { Store } from '../../store/store.ts'
import type {
  Acceptance,
  Accepted,
  Claim,
  Claimed,
  Fence,
  Held,
  Ingested,
  IngestOutcome,
  NewDelivery,
  NewShape,
  Room,
  Settlement,
  StartedItem,
  StoredDelivery,
} from '../../store/types/types.ts'

interface DispatchDeps extends AttemptDeps {
  readonly lease: ProcessLease
  readonly lanes: number
  readonly numbers: number
  /** False in a process that only receives: what it stores is left to others. */
  readonly begins: boolean
  readonly ingest: IngestRules
  readonly report: DispatchReport
  readonly observation: Pick<Observation, 'read'>
}

export interface DispatchReport {
  ingested(delivery: ReadableDelivery, ingested: Ingested, outcomes: readonly IngestOutcome[]): void
  alarm(delivery: ReadableDelivery, code: string, fact: string | undefined): void
  settled(ended: EndedAttempt): void
  laneLost(item: StartedItem): void
  newShape(shape: NewShape): void
}

export interface EndedAttempt {
  readonly item: StartedItem
  readonly settlement: Settlement
  readonly error: unknown
  readonly route: string | undefined
  /** Milliseconds from the receipt of the delivery to the begin of the attempt, by wall time: it may be another process's. */
  readonly waitedMs: number
  readonly durationMs: number
  readonly behind: number | undefined
}

interface Work {
  readonly item: StartedItem
  /** Its facts if they were read in this process, so that they are not read again from their JSON. */
  readonly facts?: KeptFacts | undefined
  /** How often its handlers have run again in this attempt, since the session was changed from outside meanwhile. */
  readonly reruns?: number
}

/** The part of a drain's time that is kept for the settlements of attempts that are given back. */
const GIVE_BACK_MS = 2_000

interface Dispatcher extends Pick<LaneRunner<Work>, 'wake' | 'running'> {
  /**
   * Stores a delivery; resolves when it is on disk, before any handler starts.
   *
   * @param waitMs milliseconds for which it may wait while another process writes.
   */
  accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance>
  /**
   * Begins nothing more. Resolves with true when all running work has ended, or with false after `drainMs`.
   *
   * @param arriving resolves when the deliveries that have come by now are accepted: they are waited for too.
   */
  stop(drainMs: number, arriving: Promise<void>): Promise<boolean>
}

/**
 * Takes deliveries from their acceptance through ingest, lane, attempt and settlement. In the ordinary case `accept`
 * stores a delivery, ingests it and begins its item in one commit, and hands the item to its attempt from memory. The
 * tables are enough without that: the lane runner calls `claim` whenever there may be work, and then `run` for each turn
 * of a lane, and it does not matter which process stored a delivery, or whether that process still lives.
 */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { store, report } = deps
  const running = new Bag<Attempt>()
  let suspects = 0
  /** The time of the drain is over: attempts are given back, also those whose items have only just begun. */
  let givesBack = false
  const runner = createLaneRunner({ ...deps, work: { claim, run, putOff } })
  const ingesting = {
    store,
    rules: deps.ingest,
    storeItems: (delivery: StoredDelivery, read: IngestedDelivery) => storeItems(delivery, read, deps),
    wake: runner.wake,
  }

  /** Answers as soon as the store has the delivery; the item that has begun with it starts after the answer. */
  function accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance> {
    const read = readArrival(delivery, deps.ingest)
    return new Promise((answer, refuse) => {
      let accepted: Accepted | undefined
      const accept = async (room: Room) => {
        const now = deps.clock.wall()
        const begin = deps.begins && { begin: { owner: deps.lease.owner, now, leaseMs: LEASE_MS, room } }
        const store = () => deps.store.accept(delivery, { waitMs, ...(read && { ingested: read.ingested, ...begin }) })
        accepted = await (read ? inIngestSpan(delivery, deps.tracer, store) : store())
        answer(accepted.as)
        const { started } = accepted
        return started ? [{ fence: started.fence, work: { item: started.work, facts: read?.facts[0] } }] : []
      }
      const afterAnswer = async () => {
        await afterThisTurn()
        if (read && accepted?.ingested) reportIngest(delivery as ReadableDelivery, read, accepted.ingested, deps)
      }
      runner.begin(accept, afterAnswer).catch(refuse)
    })
  }

  async function claim(request: Claim): Promise<Claimed<Work>> {
    const claimed = await claimItems({ ...request, unlessUnread: true })
    const { held, ...rest } = claimed.unread ? await ingestAndClaim(request) : claimed
    return { ...rest, held: held.map(({ fence, work }) => ({ fence, work: { item: work } })) }
  }

  async function ingestAndClaim(request: Claim): Promise<Claimed<StartedItem>> {
    const ingest = await readUnread(ingesting)
    // Ingest is begun first, so that the claim in the same commit finds the new items.
    const ingests = ingest()
    const [claimed] = await Promise.allSettled([claimItems(request), ...ingests])
    // A delivery that could not be ingested stays unread for the next claim. What was claimed runs anyway.
    if (claimed.status === 'rejected') throw claimed.reason
    return claimed.value
  }

  function claimItems(request: Claim): Promise<Claimed<StartedItem>> {
    const serviceNow = deps.clock.service()
    return store.claimItems({ ...request, serviceNow, suspects: suspects === 0 })
  }

  async function run(fence: Fence, work: Work, turn: Turn): Promise<Held<Work> | undefined> {
    const { item, facts, reruns = 0 } = work
    const waitedMs = Math.max(0, deps.clock.wall() - item.delivery.receivedAt)
    const beganAt = deps.clock.monotonic()
    const span = attemptSpan(item, deps.tracer)
    const given = { facts, stopped: givesBack, reruns, trace: span.context, keepLane: turn.keepLane }
    const attempt = span.within(() => beginAttempt(item, fence, deps, given))
    const ended = running.add(attempt)
    if (item.suspect) suspects++
    const settlement = await attempt.settlement
    const durationMs = deps.clock.monotonic() - beganAt
    ended()
    endAttemptSpan(span, item, settlement, attempt.outcome())
    if (item.suspect) {
      suspects--
      runner.wake() // The next one may wait.
    }
    const { goOn, room } = turn.end()
    const next = { now: deps.clock.wall(), room, goOn }
    const settled = await store.settleItem(fence, item.id, settlement, next)
    if (settled.sessionChanged) {
      if (room.take(item.number)) return { fence, work: { ...work, reruns: reruns + 1 } }
      const { completedHandlers } = item
      await store.settleItem(fence, item.id, { as: 'released', completedHandlers }, { ...next, goOn: false })
      return undefined
    }
    const { behind } = settled
    if (settled.held) report.settled({ item, settlement, ...attempt.outcome(), waitedMs, durationMs, behind })
    else report.laneLost(item)
    return settled.next && { fence: settled.next.fence, work: { item: settled.next.work } }
  }

  function putOff({ fence, work: { item } }: Held<Work>, at: number): Promise<unknown> {
    const { id, completedHandlers } = item
    const retry = { as: 'retry', reason: 'not_settled', at, blocksLane: true, completedHandlers } as const
    return store.settleItem(fence, id, retry, { now: deps.clock.wall(), goOn: false })
  }

  return {
    accept,
    wake: runner.wake,
    running: runner.running,
    async stop(drainMs, arriving) {
      void runner.begin(() => arriving.then(() => []))
      const drained = await runner.stop(Math.max(0, drainMs - GIVE_BACK_MS))
      if (drained) return true
      givesBack = true
      for (const attempt of running.all()) attempt.giveBack()
      return runner.stop(GIVE_BACK_MS)
    },
  }
}

const ALARM_OF = { reused: 'identity_reused', conflict: 'conflict' } as const

async function storeItems(delivery: StoredDelivery, read: IngestedDelivery, deps: DispatchDeps): Promise<void> {
  const store = () => deps.store.ingest(delivery.seq, read.ingested, deps.clock.wall())
  const outcomes = await inIngestSpan(delivery, deps.tracer, store)
  reportIngest(delivery, read, outcomes, deps)
}

function reportIngest(
  delivery: ReadableDelivery,
  { ingested, alarms, reading }: IngestedDelivery,
  outcomes: readonly IngestOutcome[],
  { report, observation }: Pick<DispatchDeps, 'report' | 'observation'>,
): void {
  report.ingested(delivery, ingested, outcomes)
  for (const { code, fact } of alarms) report.alarm(delivery, code, fact)
  for (const { identity } of outcomes)
    if (identity !== 'same_message') report.alarm(delivery, ALARM_OF[identity], undefined)
  if (reading) observation.read(delivery.event, reading)
}

/**
 * The span of an attempt belongs to the one that received its delivery. A rerun names the attempt that failed before it, and a
 * burst the deliveries of its other messages.
 */
function attemptSpan(item: StartedItem, tracer: Tracer | undefined): Span {
  if (!tracer) return NO_SPAN
  const { delivery, number, attempt, earlier, failedTrace } = item
  const { event, deliveryId, subscription, trace: parent } = delivery
  const links = [failedTrace, ...earlier.map(({ trace }) => trace)]
  const messages = earlier.length === 0 ? undefined : earlier.length + 1
  return tracer.start('attempt', { parent, links, event, deliveryId, subscription, number, attempt, messages })
}

function endAttemptSpan(
  span: Span,
  item: StartedItem,
  { as: outcome }: Settlement,
  { route, error }: { readonly route: string | undefined; readonly error: unknown },
): void {
  if (span !== NO_SPAN) span.end({ route, outcome }, error === undefined ? undefined : redactError(error, item))
}

async function inIngestSpan<T>(
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

const MOST_DELIVERIES = 128

/** Reads deliveries that are unread, as much as one commit should take. The answer ingests it, before what is asked of the store behind it. */
async function readUnread(o: {
  store: Pick<Store, 'unread'>
  rules: IngestRules
  storeItems: (delivery: StoredDelivery, read: IngestedDelivery) => Promise<void>
  /** There is more to do. */
  wake: () => void
}): Promise<() => readonly Promise<void>[]> {
  const deliveries = await o.store.unread(MOST_DELIVERIES)
  await o.rules.learn?.(deliveries.map(({ subscription }) => subscription))
  const read: { readonly delivery: StoredDelivery; readonly as: IngestedDelivery }[] = []
  let items = 0
  for (const delivery of deliveries) {
    if (items >= LARGEST_BATCH) break
    const as = readOne(delivery, o.rules)
    read.push({ delivery, as })
    items += as.ingested.items.length
  }
  if (read.length < deliveries.length || deliveries.length === MOST_DELIVERIES) o.wake()
  return () => read.map(({ delivery, as }) => ingest(delivery, as, o.storeItems))
}

async function ingest(
  delivery: StoredDelivery,
  read: IngestedDelivery,
  storeItems: Parameters<typeof readUnread>[0]['storeItems'],
): Promise<void> {
  try {
    await storeItems(delivery, read)
  } catch (error) {
    if (error instanceof SwitchhookError && error.code === 'store_unavailable') throw error
    // A delivery that cannot be ingested must not hold up the others: it is kept and shown.
    await storeItems(delivery, failed(error))
  }
}

function readOne(delivery: StoredDelivery, rules: IngestRules): IngestedDelivery {
  try {
    return ingestDelivery(delivery, rules)
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): IngestedDelivery {
  return withoutItems('quarantined', `ingest_failed: ${reasonOf(error)}`)
}
