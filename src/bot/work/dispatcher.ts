import type { Begun, Claim, Claimed, Fence, Settled, Settlement, StartedItem } from '../../store/types/types.ts'
import { type IngestDeps, type IngestReport, type ItemWork, readUnread } from '../in/ingest.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import { LaneRunner, type Turn } from '../lanes/runner.ts'
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
  /** So many items were marked as running and did not run. They begin again. */
  lost(count: number): void
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
  /** Its span, as W3C trace context. */
  readonly trace: string | undefined
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
  /** The subscriptions whose unread deliveries are being stored as items. */
  const reading = new Set<string>()
  /** Those that were read for the next claim: what arrives meanwhile does not hold it back again. */
  const wasRead: string[] = []
  let round: Promise<void> | undefined
  let failed: { readonly error: unknown } | undefined
  let arrivedMeanwhile = false
  /** The drain is over: attempts are given back, also those that have only just begun. */
  let givesBack = false
  const runner = new LaneRunner<ItemWork>({
    ...deps,
    lost: report.lost,
    work: {
      claim,
      claimed,
      run: handle,
      putOff,
      marked: (processName) => store.runsOf('work', processName),
      free: (runs, now) => store.freeRuns('work', runs, now),
    },
  })

  async function handle(fence: Fence, work: ItemWork, turn: Turn<ItemWork>): Promise<void> {
    const { item, facts, reruns = 0 } = work
    const waitedMs = Math.max(0, deps.clock.wall() - item.delivery.receivedAt)
    const beganAt = deps.clock.monotonic()
    const span = attemptSpan(item, deps.tracer)
    const given = { facts, stopped: givesBack, reruns, trace: span.context, keepLease: () => turn.keepLease() }
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
    const {
      stands,
      sessionChanged,
      behind,
      instead = settlement,
    } = await turn.settle((o) => settle({ fence, work }, settlement, o))
    if (sessionChanged) return
    if (stands)
      report.settled({
        item,
        settlement: instead,
        ...attempt.outcome(),
        waitedMs,
        durationMs,
        behind,
        trace: span.context,
      })
    else report.discarded(item)
  }

  async function settle(
    { fence, work }: Begun<ItemWork>,
    settlement: Settlement,
    { goOn, hasRoom }: Parameters<Parameters<Turn<ItemWork>['settle']>[0]>[0],
  ): Promise<Settled<ItemWork>> {
    const { id, completedHandlers } = work.item
    const next = { goOn, now: deps.clock.wall() }
    const settled = await store.settleItem(fence, id, settlement, next)
    if (!settled.sessionChanged) return { ...settled, next: settled.next && itemWork(settled.next) }
    if (hasRoom()) return { ...settled, next: { fence, work: { ...work, reruns: (work.reruns ?? 0) + 1 } } }
    await store.settleItem(fence, id, { as: 'released', completedHandlers }, { ...next, goOn: false })
    return { ...settled, next: undefined }
  }

  function putOff({ fence, work: { item } }: Begun<ItemWork>, at: number): Promise<unknown> {
    const { id, completedHandlers } = item
    const retry = { as: 'retry', reason: 'not_settled', at, blocksLane: true, completedHandlers } as const
    return store.settleItem(fence, id, retry, { now: deps.clock.wall(), goOn: false })
  }

  async function claim(request: Claim): Promise<Claimed<ItemWork>> {
    if (failed) {
      const { error } = failed
      failed = undefined
      throw error
    }
    const serviceNow = deps.clock.service()
    const tells = deps.routes.failedSends.length > 0
    const asked = { ...request, serviceNow, suspects: suspects === 0, tells, unlessUnread: wasRead.splice(0) }
    const claimed = await store.claimItems(asked)
    return { ...claimed, begun: claimed.begun.map(itemWork) }
  }

  function claimed({ unread = [] }: Claimed<ItemWork>): void {
    arrivedMeanwhile ||= unread.some((subscription) => reading.has(subscription))
    if (!round && unread.some((subscription) => !reading.has(subscription))) {
      round = readRound().catch((error: unknown) => void (failed = { error }))
      runner.track(round)
    }
  }

  /** Beside the claims: only the numbers whose deliveries it reads wait for it. */
  async function readRound(): Promise<void> {
    try {
      for (const { subscription, large, store: begin } of await readUnread(deps, reading)) {
        reading.add(subscription)
        const stored = Promise.allSettled(begin())
        // The claim in the same commit finds the new items. Between several commits it would begin a message before an
        // older one of its customer.
        if (!large) wasRead.push(subscription)
        const ended = stored.then((all) => endReading(subscription, large, all.every(isFulfilled)))
        runner.track(ended)
      }
    } finally {
      round = undefined
    }
    runner.wake()
  }

  /** A delivery whose items could not be stored stays unread, and is read again a poll later. */
  function endReading(subscription: string, large: boolean, isWhole: boolean): void {
    reading.delete(subscription)
    if (large) wasRead.push(subscription)
    if (!isWhole || (!large && !arrivedMeanwhile)) return
    arrivedMeanwhile = false
    runner.wake()
  }

  return {
    reserve: (number: string | undefined) => runner.reserve(number),
    wake: () => runner.wake(),
    doubt: () => runner.doubt(),
    running: () => runner.running(),
    /**
     * Begins nothing more. Resolves with true when all running work has ended, or with false after `drainMs`.
     *
     * @param arriving resolves when the deliveries that have arrived by now are accepted. The stop waits for them too.
     */
    async stop(drainMs: number, arriving: Promise<void>): Promise<boolean> {
      runner.track(arriving)
      const drained = await runner.stop(Math.max(0, drainMs - GIVE_BACK_MS))
      if (drained) return true
      givesBack = true
      for (const attempt of running) attempt.giveBack()
      return runner.stop(GIVE_BACK_MS)
    },
  }
}

function itemWork({ work: item, ...begun }: Begun<StartedItem>): Begun<ItemWork> {
  return { ...begun, work: { item } }
}

function isFulfilled({ status }: PromiseSettledResult<unknown>): boolean {
  return status === 'fulfilled'
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
