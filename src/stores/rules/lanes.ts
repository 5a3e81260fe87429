/** Ready at once, whatever the clock says later: a clock that goes back must not make anything wait. */
export const AT_ONCE = 0

/** A lane's time as its holder leaves it. */
export interface LaneTimes {
  /** Wall time of its next work; undefined if nothing waits in it. */
  readonly nextAt: number | undefined
  /** Wall time until which a back-off blocks it; 0 if none does. */
  readonly blockedUntil: number
}

/** The holder may begin the lane's next work at once, without releasing the lane. */
export function canGoOn({ nextAt, blockedUntil }: LaneTimes, now: number): boolean {
  return nextAt !== undefined && nextAt <= now && blockedUntil === 0
}

/** The time at which a released lane is ready again; undefined if nothing waits in it, so that its row goes. */
export function readyAfterRelease({ nextAt, blockedUntil }: LaneTimes, now: number): number | undefined {
  if (nextAt === undefined) return undefined
  return Math.max(nextAt > now ? nextAt : AT_ONCE, blockedUntil)
}

/** No send waits longer for its next attempt, and no throttle is closed for longer without a probe. */
const LONGEST_SEND_WAIT_MS = 70_000
/** A lease that ends this much after one that is given now, and a back-off that blocks a lane for so long. */
const LONGER_THAN_A_LEASE_MS = 60_000
/** A clock that is right releases no lane so far ahead; a smaller difference is not worth a correction. */
const AHEAD_MS = 60_000

/**
 * Clock rollback: times beyond which only a clock that has gone back since can have set something. Leases, sends and
 * throttles have a longest wait, so they go on at once.
 */
export function impossibleAfter(now: number, leaseMs: number): { readonly send: number; readonly lease: number } {
  return { send: now + LONGEST_SEND_WAIT_MS, lease: now + leaseMs + LONGER_THAN_A_LEASE_MS }
}

/** From this time on a lane of items, or an item in it, counts as being ahead of the clock: see `rollbackOf`. */
export function aheadFrom(now: number): number {
  return now + AHEAD_MS
}

/**
 * By how much the clock went back since a lane of items was released; 0 if it did not. The wait of an item may be the
 * app's own and of any length, so it is not ended: it is shortened by this much, and so lasts as long as was meant.
 */
export function rollbackOf(lane: { readonly since: number; readonly readyAt: number }, now: number): number {
  const ahead = aheadFrom(now)
  return lane.since > ahead && lane.readyAt > ahead ? lane.since - now : 0
}
