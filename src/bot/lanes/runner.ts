import { afterThisTurn, type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { ProcessLease } from './lease.ts'
import { Polling } from './polling.ts'
import { Room } from './room.ts'
import { type Begun, type Claim, type Claimed, type Fence, type Lease, LEASE_MS } from '../../store/work/lanes.ts'
import { numberOf } from '../../store/database/lane-names.ts'

/** How often this process looks for work that a dead process left. Nothing else would wake it. */
const POLL_EVERY_MS = 1_000
/** The most items or sends of a lane that run before the lane waits for room again. */
const MOST_IN_A_ROW = 50
/**
 * How often this process's runs are compared with the store. A run that the store marks as this process's, and that
 * does not run at two comparisons, was lost by a bug of Switchhook. It is freed.
 */
const COMPARE_EVERY_MS = 60_000

/** What differs between the inbox's items and the outbox's sends. */
export interface LaneWork<Work> {
  claim(claim: Claim): Promise<Claimed<Work>>
  /** Called when the lanes of a claim already run, so an error in this function stops none of them. */
  claimed?(claimed: Claimed<Work>): void
  /**
   * Does the work. Then calls `lane.keepsRoom()`, commits the settlement, and calls `lane.settled()`. Settles nothing
   * if another process has taken the work over.
   */
  run(fence: Fence, work: Work, lane: Lane<Work>): Promise<void>
  /** Postpones work to the wall time `at` after an error in Switchhook ended its run. The run counts as an attempt. */
  putOff(one: Begun<Work>, at: number): Promise<unknown>
  /** Returns the runs that the store has marked as running under this name. */
  marked(processName: string): Promise<readonly Fence[]>
  free(runs: readonly Fence[], now: number): Promise<unknown>
}

export interface LaneRunnerDeps<Work> {
  readonly work: LaneWork<Work>
  readonly lease: Pick<ProcessLease, 'name' | 'isFresh' | 'freshen' | 'wasDeclaredDead' | 'others'>
  /** False in a process that only receives. Other processes run what it stores. */
  readonly begins: boolean
  /** How many lanes run at most. */
  readonly lanes: number
  /** How many business numbers the bot has, or may have. */
  readonly numbers: number
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** Reports how many runs were lost and freed. */
  readonly lost: (count: number) => void
}

/**
 * Runs the items, or the sends, that the store has marked as running under this process.
 *
 * Only a commit begins work, and only with room that was reserved before the commit. Room for one lane is always in one
 * of these states:
 *
 * - FREE.
 * - RESERVED for work that arrives (`reserve`), until the answer to its commit. Then it is the lane's, or free again.
 * - RESERVED for a claim, also until the answer. A claim reserves room for as many lanes as are known to wait and a few
 * more, so that work that arrives meanwhile begins without a claim. If the claim finds more, the next one reserves all
 * free room.
 * - A LANE's, while its work runs. When the work is settled, the lane keeps its room if more may wait behind the work,
 * and the settlement begins the next. Otherwise the room is free before the settlement commits: work that arrived
 * in the lane meanwhile waits for a claim.
 *
 * Work that found no room waits in the store, where only a claim begins it. A claim follows when the store reports
 * work, when room is free again for which work waits, and when the next work is due, at the latest after a second. Its
 * modes are those of `Polling`. After a stop, nothing begins any more, and running work ends.
 *
 * Older work comes before work that arrives: while older work waits for room, work that arrives gets none. A claim that
 * begins all due work ends this state.
 *
 * Nothing here has to survive a crash: the store has what is marked as running, and frees it when the lease has ended.
 */
export class LaneRunner<Work> {
  readonly #o: LaneRunnerDeps<Work>
  readonly #room: Room
  readonly #runs: RunsHere<Work>
  readonly #tasks = new OpenTasks()
  readonly #host: LaneHost<Work>
  readonly #claims: Polling
  #servedLast: string | undefined
  #running = 0
  #isStopped = false

  constructor(o: LaneRunnerDeps<Work>) {
    this.#o = o
    this.#room = new Room(o.lanes, { shared: o.numbers > 1 })
    this.#runs = new RunsHere(o)
    const failure = 'looking for work failed; it is tried again'
    this.#claims = new Polling({ ...o, poll: () => this.#poll(), failure })
    this.#host = {
      ...o,
      room: this.#room,
      runs: this.#runs,
      isStopped: () => this.#isStopped,
      free: (number) => this.#free(number),
      rest: () => this.#rest(),
    }
  }

  running(): number {
    return this.#running
  }

  /** Call this when work may wait in the store. */
  wake(): void {
    this.#claims.wake()
  }

  /** Call this after a commit whose outcome is unknown: it may have begun work that this runner does not know. */
  recheck(): void {
    this.#runs.recheck()
    this.wake()
  }

  /**
   * Reserves room for work of a number, before the commit that stores the work. Reserves none while older work waits
   * for room, or without a number. The caller then calls `run` or `cancel`, in the same turn of the event loop as the
   * commit's answer.
   */
  async reserve(number: string | undefined) {
    this.#tasks.begin()
    const hasRoom = number !== undefined && (await this.#reserveRoom(number))
    const lease = this.#leaseNow()
    /** Call this if the commit failed. */
    const cancel = () => {
      if (hasRoom) this.#free(number)
      this.#tasks.end()
    }
    return {
      /** The lease to pass to the commit. Undefined without room, so that the commit begins nothing. */
      begin: hasRoom ? lease : undefined,
      cancel,
      /** Runs the work that the commit began, once `after` has settled. If it began nothing, the room is free again. */
      run: (begun: Begun<Work> | undefined, after?: Promise<unknown>): void => {
        if (after) this.#tasks.track(after)
        if (!begun) return cancel()
        this.#begin(lease.processName, [begun], after)
        this.#tasks.end()
      },
    }
  }

  async #reserveRoom(number: string): Promise<boolean> {
    await this.#lanesThatEnd()
    return this.#o.begins && !this.#isStopped && this.#room.reserve(number)
  }

  /** If no room is free, waits for lanes that end in this turn of the event loop, and so free their room. */
  async #lanesThatEnd(): Promise<void> {
    if (this.#room.isFull) await afterThisTurn()
  }

  /** Makes a stop wait for this task. */
  track(task: Promise<unknown>): void {
    this.#tasks.track(task)
  }

  /** Begins nothing more. Resolves with false if work still runs after `drainMs`. */
  async stop(drainMs: number): Promise<boolean> {
    this.#isStopped = true
    const lastClaim = this.#claims.stop()
    const all = lastClaim.then(() => this.#tasks.allEnded())
    return endsWithin(drainMs, this.#o.timers, all)
  }

  // ── claims ────────────────────────────────────────────────────────────────────────────────────────

  async #poll(): Promise<number> {
    if (this.#runs.areToBeCompared()) await this.#runs.compare()
    const nextAt = await this.#claim()
    if (nextAt === undefined) return POLL_EVERY_MS
    return Math.min(POLL_EVERY_MS, Math.max(1, nextAt - this.#o.clock.wall()))
  }

  /** Returns the wall time at which more work is due; undefined if it is unknown, or if work waits for room. */
  async #claim(): Promise<number | undefined> {
    const { work, lease, clock } = this.#o
    await this.#lanesThatEnd()
    const reserved = this.#room.reserveForClaim()
    if (reserved.limit === 0) return undefined
    const own = this.#leaseNow()
    let claimed: Claimed<Work>
    try {
      claimed = await work.claim({ ...own, ...reserved, after: reserved.shared && this.#servedLast })
    } catch (error) {
      this.#room.endClaim(reserved.limit, [], { olderWaits: this.#room.olderWaits })
      throw error
    }
    this.#begin(own.processName, claimed.begun)
    const numbers = claimed.begun.map(({ fence }) => numberOf(fence.lane))
    this.#servedLast = numbers.at(-1) ?? this.#servedLast
    if (claimed.dead) lease.wasDeclaredDead(own.processName)
    const moreIsDue = claimed.nextAt !== undefined && claimed.nextAt <= clock.wall()
    const olderWaits = moreIsDue && numbers.length >= reserved.limit
    this.#room.endClaim(reserved.limit, numbers, { olderWaits })
    if (olderWaits && this.#room.isWanted) this.wake()
    work.claimed?.(claimed)
    return olderWaits ? undefined : claimed.nextAt
  }

  #leaseNow(): Lease {
    const { lease, clock } = this.#o
    return { processName: lease.name, now: clock.wall(), leaseMs: LEASE_MS, others: lease.others }
  }

  // ── lanes ─────────────────────────────────────────────────────────────────────────────────────────

  /** Nothing between the commit and this call may throw, or the begun work would not run. It runs after `after`. */
  #begin(processName: string, begun: readonly Begun<Work>[], after?: Promise<unknown>): void {
    for (const { fence } of begun) this.#runs.add(fence)
    this.#running += begun.length
    for (const first of begun) this.#tasks.track(this.#runLane(processName, first, after))
  }

  async #runLane(processName: string, first: Begun<Work>, after: Promise<unknown> | undefined): Promise<void> {
    await after?.catch(() => {})
    await new Lane(processName, numberOf(first.fence.lane), this.#host).run(first)
    this.#running--
  }

  #free(number: string): void {
    this.#room.free(number)
    if (this.#room.isWanted) this.wake()
  }

  /** Waits, and then frees the run of work that could be neither settled nor postponed, so that it begins again. */
  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => void this.#o.timers.after(POLL_EVERY_MS, resolve))
    this.recheck()
  }
}

/** What a lane needs of its runner. */
interface LaneHost<Work> extends LaneRunnerDeps<Work> {
  readonly room: Room
  readonly runs: RunsHere<Work>
  isStopped(): boolean
  free(number: string): void
  rest(): Promise<void>
}

/** Runs the work of one lane, one after the other, as long as the commit of each settlement begins the next work. */
export class Lane<Work> {
  readonly #processName: string
  readonly #number: string
  readonly #host: LaneHost<Work>
  #ran = 0
  #hasRoom = true
  #moreMayWait = false
  #isSettled = false
  #next: Begun<Work> | undefined

  constructor(processName: string, number: string, host: LaneHost<Work>) {
    this.#processName = processName
    this.#number = number
    this.#host = host
  }

  async run(first: Begun<Work>): Promise<void> {
    for (let begun: Begun<Work> | undefined = first; begun; begun = this.#next) await this.#runOne(begun)
    this.#freeRoom()
  }

  async #runOne(begun: Begun<Work>): Promise<void> {
    const { work, lease, log, clock, runs, rest } = this.#host
    const { fence } = begun
    this.#ran++
    this.#moreMayWait = begun.isFollowed === true
    this.#isSettled = false
    this.#next = undefined
    try {
      // Renew the lease if needed, because it may have expired before the answer of the commit arrived.
      if (await lease.freshen(this.#processName)) await work.run(fence, begun.work, this)
    } catch (error) {
      const line = this.#isSettled
        ? 'what follows a settlement failed'
        : 'work in a lane was not settled; it is begun again'
      log.error({ err: error, run: fence.run }, line)
      if (!this.#isSettled) await work.putOff(begun, clock.wall() + LEASE_MS).catch(rest)
    }
    runs.remove(fence)
  }

  /** Call this before the commit that settles the work. If false, that commit must not begin the lane's next work. */
  keepsRoom(): boolean {
    const keeps = this.#moreMayWait && this.#mayContinue()
    if (!keeps) this.#freeRoom()
    return keeps
  }

  /** Takes room for work that runs again, because the session has changed: `keepsRoom` may have freed the room. */
  takeRoom(): boolean {
    const { isStopped, room } = this.#host
    this.#hasRoom ||= !isStopped() && room.take(this.#number)
    return this.#hasRoom
  }

  /** Call this as soon as the work is settled. `next`, which the commit began, runs even if something fails afterwards. */
  settled(next: Begun<Work> | undefined): void {
    this.#isSettled = true
    this.#next = next
    if (next) this.#host.runs.add(next.fence)
    else this.#freeRoom()
  }

  /** Renews a lease that has nearly expired. Returns false if another process took over. */
  keepLease(): MaybeAsync<boolean> {
    return this.#host.lease.freshen(this.#processName)
  }

  #mayContinue(): boolean {
    const { lease } = this.#host
    const isOurs = lease.name === this.#processName && lease.isFresh()
    return isOurs && !this.#host.isStopped() && this.#ran < MOST_IN_A_ROW
  }

  #freeRoom(): void {
    if (this.#hasRoom) this.#host.free(this.#number)
    this.#hasRoom = false
  }
}

/** The runs of this process. They are compared with the store's from time to time. */
class RunsHere<Work> {
  readonly #o: LaneRunnerDeps<Work>
  // Not a `Map`, because V8 keeps its deleted entries in memory until a full garbage collection. Measured with a `Map`:
  // a delivery took a tenth more CPU.
  readonly #runs: Fence[] = []
  /** True after a commit whose answer never arrived: it may have begun work. */
  #isInDoubt = false
  #compareAt: number
  #unknownLastTime: readonly Fence[] = []

  constructor(o: LaneRunnerDeps<Work>) {
    this.#o = o
    this.#compareAt = o.clock.monotonic() + COMPARE_EVERY_MS
  }

  add(fence: Fence): void {
    this.#runs.push(fence)
  }

  remove(fence: Fence): void {
    this.#runs.splice(this.#runs.indexOf(fence), 1)
  }

  recheck(): void {
    this.#isInDoubt = true
  }

  areToBeCompared(): boolean {
    return this.#isInDoubt || this.#o.clock.monotonic() >= this.#compareAt
  }

  /**
   * Frees runs that the store marks as this process's and that do not run here, so that they begin again. After a
   * commit without an answer it frees all of them. Otherwise it frees those that did not run at the last comparison
   * either, and counts them as lost.
   */
  async compare(): Promise<void> {
    const { work, lease, clock, lost } = this.#o
    const afterDoubt = this.#isInDoubt
    this.#isInDoubt = false
    try {
      const marked = await work.marked(lease.name)
      // Wait for the end of this turn, in which work of the latest commits is added to `#runs`.
      await afterThisTurn()
      const unknown = marked.filter((run) => !has(this.#runs, run))
      const freed = afterDoubt ? unknown : unknown.filter((run) => has(this.#unknownLastTime, run))
      this.#unknownLastTime = unknown
      this.#compareAt = clock.monotonic() + COMPARE_EVERY_MS
      if (freed.length === 0) return
      await work.free(freed, clock.wall())
      if (!afterDoubt) lost(freed.length)
    } catch (error) {
      this.#isInDoubt ||= afterDoubt
      throw error
    }
  }
}

function has(runs: readonly Fence[], { of, run }: Fence): boolean {
  return runs.some((one) => one.of === of && one.run === run)
}

/** Counts tasks until they end. No `Set`, because V8 keeps its deleted entries until a full garbage collection. */
class OpenTasks {
  #open = 0
  #allEnded = Promise.withResolvers<void>()

  begin(): void {
    this.#open++
  }

  end(): void {
    if (--this.#open === 0) this.#allEnded.resolve()
  }

  track(task: Promise<unknown>): void {
    this.begin()
    const end = () => this.end()
    task.then(end, end)
  }

  async allEnded(): Promise<void> {
    while (this.#open > 0) {
      this.#allEnded = Promise.withResolvers()
      await this.#allEnded.promise
    }
  }
}
