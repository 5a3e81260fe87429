import { isA } from '../../base/errors.ts'
import type { IngestReport, KeptFacts } from '../inbox/read-delivery.ts'
import type { ItemWork } from '../inbox/receiver.ts'
import { type IngestDeps, UnreadDeliveries } from '../inbox/unread-deliveries.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import { type Lane, LaneRunner, type LaneRunnerDeps } from '../lanes/runner.ts'
import { GiveUp } from '../routes/routes.ts'
import { UNWATCHED } from '../watcher.ts'
import { isGivenBack } from '../../store/work/item-rules.ts'
import type { WaitingReason } from '../../store/database/store-effects.ts'
import { isInForce } from '../../store/database/silence.ts'
import { settleFailed } from './failed-attempt.ts'
import { runEvent } from './run-event.ts'
import { runMessage } from './run-message.ts'
import {
  AttemptClock,
  type AttemptDeps,
  Effects,
  isOfCustomer,
  LeaseLost,
  LeftToOthers,
  type RunningAttempt,
  type StopOrder,
} from './running-attempt.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { Begun, Claim, Claimed, Fence } from '../../store/work/lanes.ts'
import type { Settlement } from '../../store/work/settle.ts'

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

/** The last part of the time for a stop: in it, attempts that still run are ended, and their items released. */
const RELEASE_MS = 2_000

/**
 * Handles items and settles them: the later part of a delivery's path, which begins with `#verifyAndStore` in
 * `inbox/receiver.ts`. An item that could not begin when it was stored is claimed by any process that has room.
 */
export class Dispatcher {
  readonly #deps: DispatchDeps
  readonly lanes: LaneRunner<ItemWork>
  readonly #unread: UnreadDeliveries
  /** No `Set`, because V8 keeps its deleted entries until a full garbage collection. */
  readonly #running: ReturnType<typeof beginAttempt>[] = []
  #suspects = 0
  /** True when a stop has waited long enough: it ends all attempts, also new ones, and releases their items. */
  #releases = false

  constructor(deps: DispatchDeps) {
    const { store, report } = deps
    this.#deps = deps
    this.lanes = new LaneRunner<ItemWork>({
      ...deps,
      lost: report.lost,
      work: {
        claim: (request) => this.#claim(request),
        claimed: ({ unread = [] }) => this.#unread.read(unread),
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

  async #handle(fence: Fence, work: ItemWork, lane: Lane<ItemWork>): Promise<void> {
    const deps = this.#deps
    const { clock, report, store } = deps
    const { item, reruns = 0 } = work
    const waitedMs = Math.max(0, clock.wall() - item.delivery.receivedAt)
    const beganAt = clock.monotonic()
    const watching = deps.watcher?.begins('attempt', item) ?? UNWATCHED
    const { context: trace } = watching
    const given = { stopped: this.#releases, trace, keepLease: () => lane.keepLease() }
    const attempt = watching.within(() => beginAttempt({ fence, work }, deps, given))
    this.#running.push(attempt)
    if (item.suspect) this.#suspects++
    const { settlement, error, route } = await attempt.ended
    const durationMs = clock.monotonic() - beganAt
    this.#running.splice(this.#running.indexOf(attempt), 1)
    watching.ends({ settlement, error, route })
    if (item.suspect) {
      this.#suspects--
      this.lanes.wake() // The next suspect may wait.
    }
    const now = clock.wall()
    const settled = await store.settleItem(fence, item.id, settlement, { goOn: lane.keepsRoom(), now })
    if (settled.sessionChanged) return this.#runAgain({ fence, work: { ...work, reruns: reruns + 1 } }, lane)
    lane.settled(settled.next && itemWork(settled.next))
    const { stands, behind, instead = settlement } = settled
    if (!stands) return report.discarded(item)
    report.settled({ item, settlement: instead, error, route, waitedMs, durationMs, behind, trace })
  }

  /** Runs the handlers again, because another writer changed the session meanwhile. Without room the item waits. */
  async #runAgain(again: Begun<ItemWork>, lane: Lane<ItemWork>): Promise<void> {
    if (lane.takeRoom()) return lane.settled(again)
    await this.#settleWithoutNext(again, { as: 'released', completedHandlers: again.work.item.completedHandlers })
    lane.settled(undefined)
  }

  #settleWithoutNext({ fence, work }: Begun<ItemWork>, settlement: Settlement): Promise<unknown> {
    const { store, clock } = this.#deps
    return store.settleItem(fence, work.item.id, settlement, { now: clock.wall(), goOn: false })
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

  #putOff(begun: Begun<ItemWork>, at: number): Promise<unknown> {
    const { completedHandlers } = begun.work.item
    return this.#settleWithoutNext(begun, {
      as: 'retry',
      reason: 'not_settled',
      at,
      blocksLane: true,
      completedHandlers,
    })
  }
}

function itemWork({ work: item, ...begun }: Begun<StartedItem>): Begun<ItemWork> {
  return { ...begun, work: { item } }
}

// ── one attempt ─────────────────────────────────────────────────────────────────────────────────────

/** @param o.stopped true if the attempt is released before its handlers start. */
function beginAttempt(
  { fence, work: { item, facts, reruns = 0 } }: Begun<ItemWork>,
  deps: AttemptDeps,
  { stopped, ...given }: Pick<RunningAttempt, 'trace' | 'keepLease'> & { readonly stopped: boolean },
) {
  const stop: StopOrder = { given: stopped, end: () => {} }
  const running: RunningAttempt = {
    deps,
    item,
    fence,
    clock: new AttemptClock(deps.limits.deadlineMs, deps.timers, deps.clock.wall, stop),
    stop,
    facts: facts ?? (JSON.parse(item.facts) as KeptFacts),
    effects: new Effects(),
    reruns,
    ...given,
    scope: { boundaries: deps.routes.boundaries },
    completedHandlers: item.completedHandlers,
  }
  return {
    ended: endOf(running),
    /** Ends the attempt because the bot stops. The attempt does not count towards the limit. */
    release() {
      stop.given = true
      stop.end()
    },
  }
}

const ENDED: ReadonlySet<Settlement['as']> = new Set(['done', 'ignored', 'rested'])

/** Decides how an attempt ends. If a stop has interrupted it, it is released, unless its handlers have ended. */
async function endOf(running: RunningAttempt) {
  const decided = running.stop.given ? undefined : await runAndDecide(running)
  const settlement =
    decided && (!running.stop.given || ENDED.has(decided.as))
      ? ({ ...decided, leftToPerson: leftToPersonAfter(decided, running) } as Settlement)
      : released(running)
  return { settlement, error: running.failure, route: running.route }
}

/** Returns why the customer waits for a person from now on: nobody else answers this message. */
function leftToPersonAfter({ as }: Settlement, { item, ofPerson }: RunningAttempt): WaitingReason | undefined {
  if (item.kind !== 'message' || as === 'retry' || as === 'released') return undefined
  const isGivenUp = as === 'dead' || as === 'parked'
  if (ofPerson === 'unanswered' || (ofPerson && isGivenUp)) return 'wrote'
  return isGivenBack(item) && as !== 'done' ? 'unread' : undefined
}

/** More reruns mean that a handler changes its own session by `updateSession` each time. */
const MOST_RERUNS = 10
const CHANGED_EACH_TIME =
  'updateSession() changed the same key of the session as the handler, each time that it ran: change ctx.session in a handler'
const NEVER_SETTLED = 'the process ended during each of its attempts'

async function runAndDecide(running: RunningAttempt): Promise<Settlement> {
  const { item, clock } = running
  try {
    if (item.attempt > running.deps.limits.max) return await giveUp(running)
    if (running.reruns > MOST_RERUNS) throw new Error(CHANGED_EACH_TIME)
    return await clock.race(run(running))
  } catch (error) {
    if (isA(error, LeaseLost)) return released(running)
    // Block the lane: another process has the script, and must get this message before later ones.
    if (isA(error, LeftToOthers)) return released(running, { afterMs: error.waitMs, blocksLane: true })
    running.failure = error
    return settleFailed(error, running)
  } finally {
    clock.finish()
  }
}

async function run(running: RunningAttempt): Promise<Settlement> {
  if (isOfCustomer(running)) {
    const ran = await runMessage(running)
    if (ran === 'handled') return done(running)
    return { as: ran === 'rested' ? ran : 'ignored' }
  }
  if (isOfOthersNow(running)) return released(running, { afterMs: LOOK_AGAIN_MS })
  const { entered } = running.deps
  if (entered?.kinds.has(running.item.kind)) {
    await entered.runItem(running)
    return done(running)
  }
  const ran = await runEvent(running)
  if (ran === 'unmatched') return { as: 'ignored' }
  if (ran === 'handled') return done(running)
  // Keep an event about the number's own message first in its lane, because replies wait for it.
  return released(running, { ...ran, blocksLane: running.item.kind === 'event' })
}

/** Tells whether this item rests in a silence, and one is in force now. */
function isOfOthersNow({ item, deps: { clock, entered } }: RunningAttempt): boolean {
  const restsInSilence = item.kind === 'window_closing' || entered?.kinds.get(item.kind)?.restsInSilence === true
  return restsInSilence && isInForce(item.silence, clock.service())
}

const LOOK_AGAIN_MS = 30_000

/** Ends an attempt that does not count. The item begins again at once, or after this time. */
function released(
  { completedHandlers, deps: { clock } }: RunningAttempt,
  again?: { readonly afterMs: number; readonly blocksLane?: boolean },
): Settlement {
  if (!again) return { as: 'released', completedHandlers }
  const { afterMs, ...more } = again
  return { as: 'released', completedHandlers, at: clock.wall() + afterMs, ...more }
}

function done({ session, changes, deps }: RunningAttempt): Settlement {
  return { as: 'done', session: session?.changes(deps.clock.service()), ...(changes && { changes }) }
}

/** Gives up an item that ends its process again and again. An error handler may end it too, so these run only once. */
async function giveUp(running: RunningAttempt): Promise<Settlement> {
  const { entered, limits } = running.deps
  running.openRoute = await entered?.concerned(running)
  if (running.item.attempt > limits.max + 1)
    return { as: 'dead', reason: NEVER_SETTLED, changes: entered?.changesOfFailed(running) }
  return settleFailed(new GiveUp(NEVER_SETTLED), running)
}
