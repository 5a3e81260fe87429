import { type Backoff, backoffMs, type Random } from '../../base/clock.ts'
import type { NumberThrottle, ThrottleChange } from '../../store/types/types.ts'
import { OPEN, PROBE_EVERY_MS } from '../../store/rules/sends.ts'
import { requestedWaitMs, type AttemptResult, LONGEST_WAIT_MS, whyOf } from './outcome.ts'

/** This many failures in a row are an outage. Then the number's sends wait together, and one probes for all. */
const OUTAGE_AFTER = 5
/** Half of the pause is random, so that two processes do not probe at the same moment. */
const PAUSE: Backoff = { firstMs: 1_000, longestMs: LONGEST_WAIT_MS, jitter: 'half' }

/**
 * Decides how an answer changes the throttle of its number; undefined if it does not. A refusal that only concerns its
 * own send shows that the number works. A 429 limits the number and not the request (SEND-22), and so does a wait that
 * an answer requests. A stop waits for a person, and its probes use up no attempts (ERR-05).
 */
export function throttleChangeOf(
  result: AttemptResult,
  { throttle, changedMeanwhile }: CurrentThrottle,
  /** `now`: wall time in ms. */
  rules: { readonly now: number; readonly random: Random },
): ThrottleChange | undefined {
  if ('unknown' in result) return undefined
  // An attempt that began before the throttle closed says nothing about its present state.
  const sound = throttle === undefined || changedMeanwhile ? undefined : 'resumed'
  if ('message' in result) return sound
  const why = whyOf(result)
  if ('withoutToken' in result || result.error.rule.stops !== undefined)
    return { stopped: true, closedUntil: rules.now + PROBE_EVERY_MS, inARow: (throttle?.inARow ?? 0) + 1, ...why }
  if (result.error.rule.retry !== 'backoff') return sound
  if (throttle?.stopped) return { ...throttle, closedUntil: rules.now + PROBE_EVERY_MS }
  // A failure of many simultaneous attempts counts once: only a failed probe makes the pause longer.
  if (changedMeanwhile && throttle !== undefined && throttle.closedUntil > OPEN) return undefined
  const inARow = (throttle?.inARow ?? 0) + 1
  const times = result.error.status === 429 ? inARow : inARow - OUTAGE_AFTER + 1
  const wait = Math.max(requestedWaitMs(result), times > 0 ? backoffMs(times, PAUSE, rules.random) : 0)
  return { stopped: false, closedUntil: wait > 0 ? rules.now + wait : OPEN, inARow, ...why }
}

export interface CurrentThrottle {
  readonly throttle: NumberThrottle | undefined
  /** True if another attempt changed it since this one began. */
  readonly changedMeanwhile: boolean
}

/** The changes that attempts of this process made to throttles, so that parallel attempts learn from each other. */
export function createThrottleChanges() {
  const last = new Map<string, { readonly throttle: NumberThrottle | undefined; readonly mark: number }>()
  let count = 0
  return {
    mark: () => count,
    /** The throttle for an attempt that began at `mark`, when it was `known`. */
    current(number: string, known: NumberThrottle | undefined, mark: number): CurrentThrottle {
      const change = last.get(number)
      if (change === undefined || change.mark <= mark) return { throttle: known, changedMeanwhile: false }
      return { throttle: change.throttle, changedMeanwhile: true }
    },
    add(number: string, change: ThrottleChange) {
      last.set(number, { throttle: change === 'resumed' ? undefined : change, mark: ++count })
    },
  }
}
