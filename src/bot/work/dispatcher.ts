import { afterThisTurn, type Clock } from '../../base/clock.ts'
import { NO_SPAN, type Span, type Tracer } from '../spans.ts'
import { beginAttempt } from './attempt.ts'
import { redactError } from './failure.ts'
import type { AttemptDeps } from './attempt-types.ts'
import {
  type KeptFacts,
  type ReadableDelivery,
  readArrival,
  ingestDelivery,
  type IngestedDelivery,
  type IngestRules,
  withoutItems,
} from '../in/ingest.ts'
import { LEASE_MS, type ProcessLease } from '../lanes/lease.ts'
import { createLaneRunner, type Turn } from '../lanes/runner.ts'
import type {
  Acceptance,
  Accepted,
  Claim,
  Claimed,
  Fence,
  Begun,
  NewDelivery,
  Settlement,
  StartedItem,
  Ingested,
  IngestOutcome,
  StoredDelivery,
} from '../../store/types/types.ts'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { fitsAtOnce } from '../../store/inbox/ingest.ts'
import { type Store, TakesTooLong } from '../../store/store.ts'
import { LARGEST_BATCH } from '../in/payload/locate.ts'

interface DispatchDeps extends AttemptDeps, Omit<IngestDeps, keyof AttemptDeps> {
  readonly lease: ProcessLease
  readonly lanes: number
  readonly numbers: number
  /** False in a process that only receives: it leaves what it stores to others. */
  readonly begins: boolean
  readonly report: DispatchReport
}

export interface DispatchReport extends IngestReport {
  settled(ended: EndedAttempt): void
  laneLost(item: StartedItem): void
}

export interface EndedAttempt {
  readonly item: StartedItem
  readonly settlement: Settlement
  readonly error: unknown
  readonly route: string | undefined
  /** Milliseconds from the receipt of the delivery to the beginning of the attempt. */
  readonly waitedMs: number
  readonly durationMs: number
  readonly behind: number | undefined
}

interface Work {
  readonly item: StartedItem
  /** Set if this process has read the delivery. */
  readonly facts?: KeptFacts | undefined
  /** How often the handlers ran again because the session was changed from outside. */
  readonly reruns?: number
}

/** The last part of a drain: attempts that still run are given back. */
const GIVE_BACK_MS = 2_000

/**
 * The way of a delivery, after `receive` (`in/receiver.ts`) has verified its bytes:
 *
 * | step | here | which calls |
 * |---|---|---|
 * | read its facts | `accept` | `readArrival`, `in/ingest.ts` |
 * | store it, and begin its item if the lane is free: one commit | `accept` | `accept`, `store/inbox/accept.ts` |
 * | answer | `accept` resolves | |
 * | run the handlers | `handle` | `beginAttempt`, `attempt.ts` |
 * | settle, and begin the lane's next item: one commit | `handle` | `settleItem`, `store/work/settle.ts` |
 *
 * An item that cannot begin at once stays in its table. The lane runner claims it (`claim`) when there is room, in
 * whichever process that is. So the tables are enough after a crash:
 *
 * - before the first commit, nothing is stored and the service has no 200: it posts the delivery again.
 * - between the commit and the answer, it posts again too, and the inbox finds a duplicate.
 * - while handlers run, the item is marked as running by this process, whose lease ends within 10 s. The next claim of
 *   another process, or the next start of this one, puts the item first in its lane again. Its next run has a higher
 *   number. Results of `once` are not computed again, and replies are found under their keys.
 * - during the last commit, the item is either settled with all its effects, or runs again.
 */
export function createDispatcher(deps: DispatchDeps) {
  const { store, report } = deps
  /** A list, for the reason of `begunHere` in `lanes/runner.ts`. */
  const running: ReturnType<typeof beginAttempt>[] = []
  let suspects = 0
  /** The drain is over: attempts are given back, also those that have only just begun. */
  let givesBack = false
  const runner = createLaneRunner({
    ...deps,
    work: {
      claim,
      run: handle,
      putOff,
      marked: (owner) => store.runsOf('work', owner),
      free: (runs, now) => store.freeRuns('work', runs, now),
    },
  })

  /** Resolves when it is on disk, before handlers start. `waitMs`: for how long another process may keep it waiting. */
  async function accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance> {
    const read = readArrival(delivery, deps.ingest)
    const { room, run } = runner.open()
    let accepted: Accepted | undefined
    try {
      const begin = deps.begins && {
        begin: { owner: deps.lease.owner, now: deps.clock.wall(), leaseMs: LEASE_MS, room },
      }
      const stored = () => deps.store.accept(delivery, { waitMs, ...(read && { ingested: read.ingested, ...begin }) })
      accepted = await (read ? inIngestSpan(delivery, deps.tracer, stored) : stored())
      return accepted.as
    } finally {
      const started = accepted?.started
      const first = started && { fence: started.fence, work: { item: started.work, facts: read?.facts[0] } }
      const reportLater = () => {
        if (read && accepted?.ingested) reportIngest(delivery as ReadableDelivery, read, accepted.ingested, deps)
      }
      run(first ? [first] : [], afterThisTurn().then(reportLater))
    }
  }

  /** Resolves with the lane's next item, if that has begun. */
  async function handle(fence: Fence, work: Work, turn: Turn): Promise<Begun<Work> | undefined> {
    const { item, facts, reruns = 0 } = work
    const waitedMs = Math.max(0, deps.clock.wall() - item.delivery.receivedAt)
    const beganAt = deps.clock.monotonic()
    const span = attemptSpan(item, deps.tracer)
    const given = { facts, stopped: givesBack, reruns, trace: span.context, keepLane: turn.keepLane }
    const attempt = span.within(() => beginAttempt(item, fence, deps, given))
    running.push(attempt)
    if (item.suspect) suspects++
    const settlement = await attempt.settlement
    const durationMs = deps.clock.monotonic() - beganAt
    running.splice(running.indexOf(attempt), 1)
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
    if (settled.hasLane) report.settled({ item, settlement, ...attempt.outcome(), waitedMs, durationMs, behind })
    else report.laneLost(item)
    return settled.next && { fence: settled.next.fence, work: { item: settled.next.work } }
  }

  function putOff({ fence, work: { item } }: Begun<Work>, at: number): Promise<unknown> {
    const { id, completedHandlers } = item
    const retry = { as: 'retry', reason: 'not_settled', at, blocksLane: true, completedHandlers } as const
    return store.settleItem(fence, id, retry, { now: deps.clock.wall(), goOn: false })
  }

  async function claim(request: Claim): Promise<Claimed<Work>> {
    const claimed = await claimItems({ ...request, unlessUnread: true })
    const { begun, ...rest } = claimed.unread ? await ingestAndClaim(request) : claimed
    return { ...rest, begun: begun.map(({ fence, work }) => ({ fence, work: { item: work } })) }
  }

  async function ingestAndClaim(request: Claim): Promise<Claimed<StartedItem>> {
    const unread = await ingestUnread(deps)
    if (unread.more) runner.wake()
    // Storing begins first, so that the claim in the same commit finds the new items.
    const stored = unread.store()
    // A claim between its commits would begin a message before an older one of its customer.
    if (unread.large) await Promise.allSettled(stored)
    const [claimed] = await Promise.allSettled([claimItems(request), ...stored])
    // A delivery whose items could not be stored stays unread for the next claim. Claimed items run anyway.
    if (claimed.status === 'rejected') throw claimed.reason
    return claimed.value
  }

  function claimItems(request: Claim): Promise<Claimed<StartedItem>> {
    const serviceNow = deps.clock.service()
    return store.claimItems({ ...request, serviceNow, suspects: suspects === 0 })
  }

  return {
    accept,
    wake: runner.wake,
    doubt: runner.doubt,
    running: runner.running,
    /**
     * Begins nothing more. Resolves with true when all running work has ended, or with false after `drainMs`.
     *
     * @param arriving resolves when the deliveries that have arrived by now are accepted. The stop waits for them too.
     */
    async stop(drainMs: number, arriving: Promise<void>): Promise<boolean> {
      runner.open().run([], arriving)
      const drained = await runner.stop(Math.max(0, drainMs - GIVE_BACK_MS))
      if (drained) return true
      givesBack = true
      for (const attempt of running) attempt.giveBack()
      return runner.stop(GIVE_BACK_MS)
    },
  }
}

/** A retry links to the failed attempt before it, and a burst to the deliveries of its other messages. */
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

interface IngestDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ingest: IngestRules
  readonly report: IngestReport
  readonly tracer?: Tracer | undefined
}

interface IngestReport {
  ingested(delivery: ReadableDelivery, ingested: Ingested, outcomes: readonly IngestOutcome[]): void
  alarm(delivery: ReadableDelivery, code: string, fact: string | undefined): void
}

const MOST_DELIVERIES = 128

/**
 * Reads the oldest unread deliveries, as many as fit into one commit. The returned function begins to store their
 * items: call it directly before the claim that is to find them. `more`: there are others to read; `large`: the items of one
 * take several commits.
 */
async function ingestUnread(
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

function reportIngest(
  delivery: ReadableDelivery,
  { ingested, alarms }: IngestedDelivery,
  outcomes: readonly IngestOutcome[],
  { report }: Pick<IngestDeps, 'report'>,
): void {
  report.ingested(delivery, ingested, outcomes)
  for (const { code, fact } of alarms) report.alarm(delivery, code, fact)
  for (const { identity } of outcomes)
    if (identity !== 'same_message') report.alarm(delivery, ALARM_OF[identity], undefined)
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
