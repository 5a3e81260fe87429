import type { Runs } from './recording.ts'

/** A class of deliveries that takes longer: those of one route, by the medians of real time. */
export interface Slower {
  readonly route: string
  readonly deliveries: number
  readonly thenMs: number
  readonly nowMs: number
}

/** The fewest deliveries of a route whose median tells something. */
const ENOUGH = 5
/** A smaller difference may come of other work of the machine. */
const NOTICEABLE_MS = 5

export function slowerRoutes(then: Runs, now: Runs, factor: number): Slower[] {
  const [before, after] = [timesByRoute(then), timesByRoute(now)]
  return [...after].flatMap(([route, times]) => {
    const past = before.get(route) ?? []
    if (Math.min(times.length, past.length) < ENOUGH) return []
    const [thenMs, nowMs] = [median(past), median(times)]
    return nowMs > thenMs * factor && nowMs - thenMs > NOTICEABLE_MS
      ? [{ route, deliveries: times.length, thenMs, nowMs }]
      : []
  })
}

/** For each route the times of its deliveries: of each delivery the shorter of its two times. */
function timesByRoute([one, other]: Runs): Map<string, number[]> {
  const times = new Map<string, number[]>()
  one.played.forEach(({ route, ms }, index) => {
    if (route === undefined) return
    const known = times.get(route) ?? []
    times.set(route, known)
    known.push(Math.min(ms, other.played[index]?.ms ?? ms))
  })
  return times
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
