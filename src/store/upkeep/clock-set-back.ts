import { one, run, sql, type Steps } from '../steps.ts'

/** The longest lease that a process is given. */
const LEASE_MS = 10_000

/** A smaller difference is no sign of a clock that was set. */
const NO_STEP_MS = 1_000

/**
 * At an opening: if the wall clock is behind the last lease that was given by it, it was set back since. All that waits for a
 * time moves by as much, so that nothing waits longer than was meant. While a process runs its own clock never goes back.
 */
export function* followClock(now: number): Steps<void> {
  const lease = yield* one<{ until: number | null }>(sql`SELECT max(until) AS until FROM processes`)
  const back = (lease?.until ?? 0) - LEASE_MS - now
  if (back <= NO_STEP_MS) return
  yield* run(sql`UPDATE processes SET until = until - ${back} WHERE until > 0`)
  yield* run(sql`UPDATE work SET due = due - ${back} WHERE due > ${now}`)
  yield* run(sql`UPDATE sends SET next_at = next_at - ${back} WHERE place < 2 AND next_at > ${now}`)
  yield* run(sql`
    UPDATE sends SET attempting_since = attempting_since - ${back}, first_attempt_at = least(first_attempt_at, ${now})
    WHERE place < 2 AND attempting_since > ${now}`)
  yield* run(sql`UPDATE throttles SET closed_until = closed_until - ${back} WHERE closed_until > ${now}`)
}
