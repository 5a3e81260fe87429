import PQueue from 'p-queue'
import { type Clock, endsWithin, type Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Claim, Claimed, Fence } from '../stores/port/index.ts'

/** One kind of work that is done in lanes: the inbox's items, or the outbox's sends. */
export interface LaneWork<Work> {
  claim(claim: Claim): Promise<Claimed<Work>>
  /** Does the work and settles it. Resolves with the lane's next work, or undefined if the lane was released. */
  run(fence: Fence, work: Work, mayContinue: () => boolean): Promise<Work | undefined>
}

export interface LaneRunner {
  /** Looks for work at once. */
  wake(): void
  /** Claims nothing more. Resolves with true when all running work has ended, or with false after `drainMs`. */
  stop(drainMs: number): Promise<boolean>
  /** The leases of the lanes that this runner works on. */
  heldLeases(): readonly Fence[]
}

export const LEASE_MS = 10_000
/** Work that another process left behind is found by polling, since nothing wakes this process for it. */
const POLL_EVERY_MS = 1_000
/** After this many turns a lane is released and queues again, so that a long one does not keep the others waiting. */
const TURNS_PER_CLAIM = 50

/**
 * Claims lanes that have work and drains each in one task, `lanes` of them at a time. Work always comes from the store.
 */
export function createLaneRunner<Work>(o: {
  work: LaneWork<Work>
  owner: string
  lanes: number
  clock: Clock
  timers: Timers
  log: Log
}): LaneRunner {
  const queue = new PQueue({ concurrency: o.lanes })
  const leases = new Map<string, Fence>()
  let polling: Promise<void> | undefined
  let pollAgain = false
  let stopped = false
  let failing = false
  let cancelPoll = () => {}

  async function poll(): Promise<void> {
    cancelPoll()
    let nextAt: number | undefined
    try {
      do {
        pollAgain = false
        nextAt = await claimOnce()
        failing = false
      } while (pollAgain && !stopped)
    } catch (error) {
      // Logged once per outage: a full disk stays full for hours, and the log may be on it too.
      if (!failing) o.log.error({ err: error }, 'looking for work failed; it is tried again')
      failing = true
    }
    polling = undefined
    if (!stopped) cancelPoll = o.timers.after(waitUntil(nextAt), wake)
  }

  async function claimOnce(): Promise<number | undefined> {
    const limit = o.lanes - leases.size
    const claim = { owner: o.owner, limit, now: o.clock.wall(), leaseMs: LEASE_MS, holding: [...leases.keys()] }
    const claimed = await o.work.claim(claim)
    for (const { fence, work } of claimed.held) {
      leases.set(fence.lane, fence)
      void queue.add(() => drain(fence, work))
    }
    return limit === claimed.held.length ? undefined : claimed.nextAt
  }

  async function drain(fence: Fence, first: Work): Promise<void> {
    let work: Work | undefined = first
    try {
      for (let turn = 1; work !== undefined; turn++)
        work = await o.work.run(fence, work, () => !stopped && turn < TURNS_PER_CLAIM)
    } catch (error) {
      // The lease is no longer renewed: it expires, and the work is begun again, counted as another attempt.
      // The log names the lease's token, since the lane's key holds a phone number.
      o.log.error({ err: error, lane: fence.token }, 'work in a lane was not settled')
    }
    leases.delete(fence.lane)
    wake()
  }

  function waitUntil(nextAt: number | undefined): number {
    if (nextAt === undefined) return POLL_EVERY_MS
    return Math.min(POLL_EVERY_MS, Math.max(1, nextAt - o.clock.wall()))
  }

  function wake(): void {
    if (stopped) return
    if (polling) pollAgain = true
    else polling = poll()
  }

  return {
    wake,
    heldLeases: () => [...leases.values()],
    async stop(drainMs) {
      stopped = true
      cancelPoll()
      // A poll under way may still begin work, which is drained too.
      const drained = Promise.resolve(polling).then(() => queue.onIdle())
      return endsWithin(drainMs, o.timers, drained)
    },
  }
}
