export interface Pace {
  readonly perHour: number
  readonly pacedTo: number | undefined
  readonly nextAt: number
}

const TICK_MS = 100
const IDLE_MS = 1_000
const LATE_MS = 5_000
const HOUR_MS = 3_600_000

export function firstPace({ perHour, pacedTo, nextAt }: Pace, now: number): number {
  const longest = Math.max(IDLE_MS, HOUR_MS / perHour) + LATE_MS
  return pacedTo !== undefined && nextAt - now > longest ? now : nextAt
}

/** `most`: how many messages may begin now. `moved`: the times to store after `claimed` messages have begun. */
export function pacedClaim(
  { perHour, pacedTo }: Pace,
  now: number,
  room: number,
): { most: number; moved(claimed: number): { readonly pacedTo: number; readonly nextAt: number } } {
  const each = HOUR_MS / perHour
  const isUsable = pacedTo !== undefined && pacedTo <= now && now - pacedTo <= Math.max(LATE_MS, each)
  const from = isUsable ? pacedTo : now
  return {
    most: Math.max(0, Math.min(room, 1 + Math.floor((now - from) / each))),
    moved(claimed) {
      if (claimed === 0) return { pacedTo: from, nextAt: now + IDLE_MS }
      const to = Math.round(from + claimed * each)
      return { pacedTo: to, nextAt: Math.max(to, now + TICK_MS) }
    },
  }
}
