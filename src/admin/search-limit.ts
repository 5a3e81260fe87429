/** Assumption: nobody who helps customers looks for more of them within a minute; whoever tries numbers out does. */
const MOST_A_MINUTE = 30
const MINUTE_MS = 60_000

/** Says whether a person may look for one more customer, and counts that. `now`: milliseconds. */
export function createSearchLimit(): (who: string, now: number) => boolean {
  const times = new Map<string, readonly number[]>()
  return (who, now) => {
    const recent = (times.get(who) ?? []).filter((time) => time > now - MINUTE_MS)
    const isAllowed = recent.length < MOST_A_MINUTE
    times.set(who, isAllowed ? [...recent, now] : recent)
    return isAllowed
  }
}
