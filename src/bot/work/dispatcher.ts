import type { Begun, Claim, Claimed, Fence, Settlement, StartedItem } from '../../store/types/types.ts'
import { type IngestDeps, type IngestReport, ingestUnread, type ItemWork } from '../in/ingest.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import { createLaneRunner, type Turn } from '../lanes/runner.ts'
import { NO_SPAN, type Span, type Tracer } from '../spans.ts'
import { beginAttempt } from './attempt.ts'
import type { AttemptDeps } from './attempt-types.ts'
import { redactError } from './failure.ts'

interface DispatchDeps extends AttemptDeps, Omit<IngestDeps, keyof AttemptDeps> {
  readonly lease: ProcessLease
  readonly lanes: number
  readonly numbers: number
  readonly report: DispatchReport
}

export interface DispatchReport extends IngestReport {
  settled(ended: EndedAttempt): void
  discarded(item: StartedItem): void
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

/** The last part of a drain: attempts that still run are given back. */
const GIVE_BACK_MS = 2_000

/**
 * Handles items and settles them. The comment of `receive` (`in/receiver.ts`) has the whole path of a delivery. An item
 * that could not begin when it was stored waits in its table: the lane runner claims it when there is room, in whichever
 * process that is.
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
      marked: (processName) => store.runsOf('work', processName),
      free: (runs, now) => store.freeRuns('work', runs, now),
    },
  })

  /** Resolves with the lane's next item, if that has begun. */
  async function handle(fence: Fence, work: ItemWork, turn: Turn): Promise<Begun<ItemWork> | undefined> {
    const { item, facts, reruns = 0 } = work
    const waitedMs = Math.max(0, deps.clock.wall() - item.delivery.receivedAt)
    const beganAt = deps.clock.monotonic()
    const span = attemptSpan(item, deps.tracer)
    const given = { facts, stopped: givesBack, reruns, trace: span.context, keepLease: turn.keepLease }
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
    const { behind, instead = settlement } = settled
    if (settled.stands)
      report.settled({ item, settlement: instead, ...attempt.outcome(), waitedMs, durationMs, behind })
    else report.discarded(item)
    return settled.next && { fence: settled.next.fence, work: { item: settled.next.work } }
  }

  function putOff({ fence, work: { item } }: Begun<ItemWork>, at: number): Promise<unknown> {
    const { id, completedHandlers } = item
    const retry = { as: 'retry', reason: 'not_settled', at, blocksLane: true, completedHandlers } as const
    return store.settleItem(fence, id, retry, { now: deps.clock.wall(), goOn: false })
  }

  async function claim(request: Claim): Promise<Claimed<ItemWork>> {
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
    const tells = deps.routes.failedSends.length > 0
    return store.claimItems({ ...request, serviceNow, suspects: suspects === 0, tells })
  }

  return {
    offer: runner.offer,
    wake: runner.wake,
    doubt: runner.doubt,
    running: runner.running,
    /**
     * Begins nothing more. Resolves with true when all running work has ended, or with false after `drainMs`.
     *
     * @param arriving resolves when the deliveries that have arrived by now are accepted. The stop waits for them too.
     */
    async stop(drainMs: number, arriving: Promise<void>): Promise<boolean> {
      runner.offer().run([], arriving)
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
