import type { ClosedThrottle, NumberThrottle } from '../port/index.ts'

/** `closedUntil` of a throttle that holds nothing back: it only counts answers of trouble. */
export const OPEN = 0
/** `closedUntil` of a closed throttle that may be probed at once. */
export const PROBE_NOW = 1

/** A closed throttle is probed this often once its pause is over. */
export const PROBE_EVERY_MS = 60_000

/**
 * Decides whether a send of a number may begin: `yes` for any if nothing closes the throttle, `probe` for one after the
 * pause, and then no other until the answer to that one, or until `PROBE_EVERY_MS` have passed.
 */
export function mayBegin(throttle: NumberThrottle | undefined, now: number): 'yes' | 'no' | 'probe' {
  if (!throttle || throttle.closedUntil === OPEN) return 'yes'
  return throttle.closedUntil > now ? 'no' : 'probe'
}

/** The time at which the next probe may begin, if this one begins now. */
export function nextProbeAt(now: number): number {
  return now + PROBE_EVERY_MS
}

/**
 * Decides how an answer that closes a throttle leaves it; undefined: as it was.
 *
 * @param seen `inARow` as the attempt knew it. Trouble that attempts of several processes met at once is one trouble: only
 * a stop counts for more than the pause that is under way, and what closes nothing is counted.
 */
export function closeThrottle(
  known: (NumberThrottle & Pick<ClosedThrottle, 'since'>) | undefined,
  closing: NumberThrottle,
  now: number,
  seen = known?.inARow ?? 0,
): (NumberThrottle & Pick<ClosedThrottle, 'since'>) | undefined {
  // A send that was under way when the number was stopped asks for a pause at most, and does not end the stop.
  if (known?.stopped && !closing.stopped) return undefined
  const changed = known !== undefined && known.inARow !== seen
  if (changed && known.closedUntil > OPEN && !closing.stopped) return undefined
  const goesOn = known !== undefined && known.stopped === closing.stopped && known.closedUntil > OPEN
  const inARow = changed ? Math.max(closing.inARow, known.inARow + 1) : closing.inARow
  return { ...closing, inARow, since: goesOn ? known.since : now }
}
