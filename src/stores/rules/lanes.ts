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

/**
 * A lease that ends so much later than a new one would is no sign of a clock that went back: a process may read its
 * clock, be stopped, and give the lease afterwards.
 */
const LONGER_THAN_A_LEASE_MS = 60_000

/** The time beyond which only a clock that has gone back since can have given a lease. */
export function impossibleAfter(now: number, leaseMs: number): number {
  return now + leaseMs + LONGER_THAN_A_LEASE_MS
}
