import { type IngestDeps, type IngestReport, type ItemWork, UnreadDeliveries } from '../inbox/ingest.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import { LaneRunner, type LaneRunnerDeps, type RunningLane } from '../lanes/runner.ts'
import { UNWATCHED } from '../watcher.ts'
import { beginAttempt } from './attempt.ts'
import type { AttemptDeps } from './attempt-types.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { Begun, Claim, Claimed, Fence } from '../../store/work/lanes.ts'
import type { Settled, Settlement } from '../../store/work/settle.ts'

export interface DispatchDeps
  extends AttemptDeps,
    Omit<IngestDeps, keyof AttemptDeps>,
    Omit<LaneRunnerDeps<ItemWork>, 'work' | 'lost' | keyof AttemptDeps> {
  readonly lease: ProcessLease
  readonly report: DispatchReport
}

export interface DispatchReport extends IngestReport {
  settled(ended: EndedAttempt): void
  discarded(item: StartedItem): void
  /** Reports how many items were marked as running but did not run. They begin again. */
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
  /** W3C trace context. */
  readonly trace: string | undefined
}

/** The last part of a drain, in which attempts that still run are released. */
const RELEASE_MS = 2_000

/**
 * Handles items and settles them: the later part of a delivery's path, which begins with `#accept` in
 * `inbox/receiver.ts`. An item that could not begin when it was stored is claimed by any process that has room.
 */
export class Dispatcher {
  readonly #deps: DispatchDeps
  readonly lanes: LaneRunner<ItemWork>
  readonly #unread: UnreadDeliveries
  /** Not a set: see `RunsHere` in `lanes/runner.ts`. */
  readonly #running: ReturnType<typeof beginAttempt>[] = []
  #suspects = 0
  /** True after the drain: attempts are released, also attempts that have just begun. */
  #releases = false

  constructor(deps: DispatchDeps) {
    const { store, report } = deps
    this.#deps = deps
    this.lanes = new LaneRunner<ItemWork>({
      ...deps,
      lost: report.lost,
      work: {
        claim: (request) => this.#claim(request),
        claimed: ({ unread = [] }) => this.#unread.waits(unread),
        run: (fence, work, lane) => this.#handle(fence, work, lane),
        putOff: (begun, at) => this.#putOff(begun, at),
        marked: (processName) => store.runsOf('work', processName),
        free: (runs, now) => store.freeRuns('work', runs, now),
      },
    })
    this.#unread = new UnreadDeliveries(deps, this.lanes)
  }

  /** Begins nothing more. Resolves with false if work runs after `drainMs`. `arriving`: the stop also waits for this. */
  async stop(drainMs: number, arriving: Promise<void>): Promise<boolean> {
    this.lanes.track(arriving)
    if (await this.lanes.stop(Math.max(0, drainMs - RELEASE_MS))) return true
    this.#releases = true
    for (const attempt of this.#running) attempt.release()
    return this.lanes.stop(RELEASE_MS)
  }

  async #handle(fence: Fence, work: ItemWork, lane: RunningLane<ItemWork>): Promise<void> {
    const deps = this.#deps
    const { item, facts, reruns = 0 } = work
    const waitedMs = Math.max(0, deps.clock.wall() - item.delivery.receivedAt)
    const beganAt = deps.clock.monotonic()
    const watching = deps.watcher?.begins('attempt', item) ?? UNWATCHED
    const { context: trace } = watching
    const given = { facts, stopped: this.#releases, reruns, trace, keepLease: () => lane.keepLease() }
    const attempt = watching.within(() => beginAttempt(item, fence, deps, given))
    this.#running.push(attempt)
    if (item.suspect) this.#suspects++
    const settlement = await attempt.settlement
    const durationMs = deps.clock.monotonic() - beganAt
    this.#running.splice(this.#running.indexOf(attempt), 1)
    watching.ends({ settlement, ...attempt.outcome() })
    if (item.suspect) {
      this.#suspects--
      this.lanes.wake() // The next suspect may wait.
    }
    const settled = await lane.settle((o) => this.#settle({ fence, work }, settlement, o))
    if (settled.sessionChanged) return
    const { stands, behind, instead = settlement } = settled
    const ended = { item, settlement: instead, ...attempt.outcome(), waitedMs, durationMs, behind, trace }
    if (stands) deps.report.settled(ended)
    else deps.report.discarded(item)
  }

  async #settle(
    { fence, work }: Begun<ItemWork>,
    settlement: Settlement,
    { goOn, hasRoom }: Parameters<Parameters<RunningLane<ItemWork>['settle']>[0]>[0],
  ): Promise<Settled<ItemWork>> {
    const { store, clock } = this.#deps
    const { id, completedHandlers } = work.item
    const next = { goOn, now: clock.wall() }
    const settled = await store.settleItem(fence, id, settlement, next)
    if (!settled.sessionChanged) return { ...settled, next: settled.next && itemWork(settled.next) }
    if (hasRoom()) return { ...settled, next: { fence, work: { ...work, reruns: (work.reruns ?? 0) + 1 } } }
    await store.settleItem(fence, id, { as: 'released', completedHandlers }, { ...next, goOn: false })
    return { ...settled, next: undefined }
  }

  async #claim(request: Claim): Promise<Claimed<ItemWork>> {
    const { store, clock, routes } = this.#deps
    const claimed = await store.claimItems({
      ...request,
      serviceNow: clock.service(),
      suspects: this.#suspects === 0,
      tells: routes.failedSends.length > 0,
      unlessUnread: this.#unread.readForThisClaim(),
    })
    return { ...claimed, begun: claimed.begun.map(itemWork) }
  }

  #putOff({ fence, work: { item } }: Begun<ItemWork>, at: number): Promise<unknown> {
    const { id, completedHandlers } = item
    const retry = { as: 'retry', reason: 'not_settled', at, blocksLane: true, completedHandlers } as const
    return this.#deps.store.settleItem(fence, id, retry, { now: this.#deps.clock.wall(), goOn: false })
  }
}

function itemWork({ work: item, ...begun }: Begun<StartedItem>): Begun<ItemWork> {
  return { ...begun, work: { item } }
}
