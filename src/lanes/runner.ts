import PQueue from 'p-queue'
import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { endsWithin } from '../base/within.ts'
import type { Claim, Claimed, Fence } from '../stores/port/index.ts'

/** What is done in lanes: the inbox's items, or the outbox's sends. */
export interface LaneWork<Work> {
  claim(claim: Claim): Promise<Claimed<Work>>
  /** Does the work and settles it. The answer is the lane's next work, or undefined where the lane was let go. */
  run(fence: Fence, work: Work, goOn: () => boolean): Promise<Work | undefined>
}

export interface LaneRunner {
  /** There may be work: looks at once. */
  wake(): void
  /** Claims nothing more, and resolves when all that runs has ended, or after `drainMs`: then false. */
  stop(drainMs: number): Promise<boolean>
  /** The lanes in hand. */
  heldLeases(): readonly Fence[]
}

export const LEASE_MS = 10_000
/** Work that another process left behind is found by looking, even where nothing wakes this one. */
const LOOK_EVERY_MS = 1_000
/** After so many turns a lane goes to the back, so that a deep one does not keep the others waiting. */
const TURNS_PER_CLAIM = 50

/** One task drains a lane, and so many lanes run at once. Work is always taken from the table. */
export function createLaneRunner<Work>(o: {
  work: LaneWork<Work>
  owner: string
  lanes: number
  clock: Clock
  timers: Timers
  log: Log
}): LaneRunner {
  const queue = new PQueue({ concurrency: o.lanes })
  const inHand = new Map<string, Fence>()
  let looking: Promise<void> | undefined
  let lookAgain = false
  let stopped = false
  let failing = false
  let cancelLook = () => {}

  async function look(): Promise<void> {
    cancelLook()
    let nextAt: number | undefined
    try {
      do {
        lookAgain = false
        nextAt = await claimOnce()
        failing = false
      } while (lookAgain && !stopped)
    } catch (error) {
      // Once in a row: a disk that is full is full for hours, and the log may lie on it too.
      if (!failing) o.log.error({ err: error }, 'looking for work failed; it is tried again')
      failing = true
    }
    looking = undefined
    if (!stopped) cancelLook = o.timers.after(waitUntil(nextAt), wake)
  }

  async function claimOnce(): Promise<number | undefined> {
    const limit = o.lanes - inHand.size
    const claim = { owner: o.owner, limit, now: o.clock.wall(), leaseMs: LEASE_MS, holding: [...inHand.keys()] }
    const claimed = await o.work.claim(claim)
    for (const { fence, work } of claimed.held) {
      inHand.set(fence.lane, fence)
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
      // No longer in hand, its lease is not renewed: it runs out, and the work is begun again, counted once more.
      o.log.error({ err: error, lane: fence.token }, 'work in a lane was not settled')
    }
    inHand.delete(fence.lane)
    wake()
  }

  function waitUntil(nextAt: number | undefined): number {
    if (nextAt === undefined) return LOOK_EVERY_MS
    return Math.min(LOOK_EVERY_MS, Math.max(1, nextAt - o.clock.wall()))
  }

  function wake(): void {
    if (stopped) return
    if (looking) lookAgain = true
    else looking = look()
  }

  return {
    wake,
    heldLeases: () => [...inHand.values()],
    async stop(drainMs) {
      stopped = true
      cancelLook()
      // What a look under way has begun is ended too.
      const drained = Promise.resolve(looking).then(() => queue.onIdle())
      return endsWithin(drainMs, o.timers, drained)
    },
  }
}
