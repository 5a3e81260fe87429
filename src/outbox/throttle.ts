import { type Backoff, backoffMs } from '../base/backoff.ts'
import type { NumberThrottle, ThrottleChange } from '../stores/port/index.ts'
import { PROBE_EVERY_MS } from '../stores/rules/throttles.ts'
import { askedWait, type AttemptResult, LONGEST_WAIT_MS, type Why, whyOf } from './outcome.ts'
import type { ThrottleAtEnd } from './throttle-changes.ts'

/** So many answers of trouble in a row are an outage: then the number's sends wait together, and one asks for all. */
const OUTAGE_AFTER = 5
/** Half of it is chance, so that two processes do not ask at the same moment. */
const PAUSE: Backoff = { firstMs: 1_000, longestMs: LONGEST_WAIT_MS, jitter: 'half' }

export interface ThrottleRules {
  /** Wall time, ms. */
  readonly now: number
  readonly random: () => number
}

/**
 * What an answer says about all that its number sends. A refusal that only its own send can mend says that the queue is
 * sound; 429 limits the number and no request (SEND-22), and a wait that an answer asks for is asked of all; a stop waits
 * for a person, and its probes use up no attempts (ERR-05). Undefined: nothing.
 */
export function throttleChangeOf(
  result: AttemptResult,
  met: ThrottleAtEnd,
  rules: ThrottleRules,
): ThrottleChange | undefined {
  if ('unknown' in result) return undefined
  const known = met.throttle
  // One that began before the queue was closed says nothing of now.
  const sound = known === undefined || met.meanwhile ? undefined : 'resumed'
  if ('message' in result) return sound
  const why = whyOf(result)
  if ('withoutToken' in result || result.error.rule.stops !== undefined) return stopped(known, why, rules)
  const { retry } = result.error.rule
  if (retry !== 'backoff') return sound
  if (known?.stopped) return { ...known, closedUntil: rules.now + PROBE_EVERY_MS }
  // One trouble met by many at once is one trouble: only a probe that fails makes the pause longer.
  if (met.meanwhile && known !== undefined && known.closedUntil > 0) return undefined
  return troubled(known, why, { limited: result.error.status === 429, askedMs: askedWait(result) }, rules)
}

function stopped(known: NumberThrottle | undefined, { code, reason }: Why, { now }: ThrottleRules): NumberThrottle {
  return { stopped: true, closedUntil: now + PROBE_EVERY_MS, inARow: (known?.inARow ?? 0) + 1, code, reason }
}

function troubled(
  known: NumberThrottle | undefined,
  { code, reason }: Why,
  { limited, askedMs }: { limited: boolean; askedMs: number },
  { now, random }: ThrottleRules,
): NumberThrottle {
  const inARow = (known?.inARow ?? 0) + 1
  const times = limited ? inARow : inARow - OUTAGE_AFTER + 1
  const wait = Math.max(askedMs, times > 0 ? backoffMs(times, PAUSE, random) : 0)
  return { stopped: false, closedUntil: wait > 0 ? now + wait : 0, inARow, code, reason }
}
