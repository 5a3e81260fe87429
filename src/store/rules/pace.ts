/** The pace of an announcement. Times are service time. */
export interface Pace {
  readonly perHour: number
  /** The pace has used up its places to this time; undefined before the first. */
  readonly pacedTo: number | undefined
  readonly nextAt: number
}

/** Recipients are claimed no more often than this: a fast pace claims several at once. */
const TICK_MS = 100
/** A claim that finds nobody, since all are under way, is repeated after this long. */
const IDLE_MS = 1_000
/** Places that are older than this are lost: what was paused, or down, does not make up for it in a burst. */
const LATE_MS = 5_000
const HOUR_MS = 3_600_000

/** The time of the next claim. One that a clock has set has since gone back behind is over. */
export function firstPace({ perHour, pacedTo, nextAt }: Pace, now: number): number {
  const longest = Math.max(IDLE_MS, HOUR_MS / perHour) + LATE_MS
  return pacedTo !== undefined && nextAt - now > longest ? now : nextAt
}

/**
 * The places that a claim has now, at most `room`. `moved`: what the claim leaves if it fills so many of them.
 */
export function pacedClaim(
  { perHour, pacedTo }: Pace,
  now: number,
  room: number,
): { places: number; moved(filled: number): { readonly pacedTo: number; readonly nextAt: number } } {
  const each = HOUR_MS / perHour
  const isUsable = pacedTo !== undefined && pacedTo <= now && now - pacedTo <= Math.max(LATE_MS, each)
  const from = isUsable ? pacedTo : now
  return {
    places: Math.max(0, Math.min(room, 1 + Math.floor((now - from) / each))),
    moved(filled) {
      if (filled === 0) return { pacedTo: from, nextAt: now + IDLE_MS }
      const to = Math.round(from + filled * each)
      return { pacedTo: to, nextAt: Math.max(to, now + TICK_MS) }
    },
  }
}
