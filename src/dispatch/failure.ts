import { type Backoff, backoffMs } from '../base/backoff.ts'
import type { Random } from '../base/clock.ts'
import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { ApiError } from '../client/index.ts'
import type { Settlement } from '../stores/port/index.ts'
import { GiveUp, RetryIn, type Verdict } from '../routes/index.ts'

export interface AttemptLimits {
  /** Attempts before an item is given up. */
  readonly max: number
  /** Milliseconds from its sort after which a failing item is given up. */
  readonly withinMs: number
  /** Milliseconds for one attempt, waiting for replies not counted. */
  readonly deadlineMs: number
}

/** Errors that another attempt would only repeat. */
const FOR_GOOD = new Set([
  'content_invalid',
  'options_invalid',
  'outside_window',
  'recipient_not_allowed',
  'no_access_token',
  'diverged',
  'session_invalid',
  'media_refused',
])
const PARKED = new Set(['fact_missing', 'recipient_not_confirmed'])

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 10 * 60_000, jitter: 'full' }
/** A short back-off keeps the lane's order; during a longer one the rest of the lane goes on. */
const HOLDS_LANE_MS = 30_000

/** Else a first attempt that is the last, after an outage or with a long `RetryIn`, would look like a mistake. */
const TOO_LATE = '(the next attempt would come after attempts.within)'

/** What a failed attempt means for its item. */
export function decideItem(
  error: unknown,
  item: { readonly attempt: number; readonly createdAt: number; readonly completedHandlers: readonly string[] },
  rules: {
    readonly limits: AttemptLimits
    readonly now: number
    readonly random: Random
    /** What the app's own `onError` decided; the limits hold all the same. */
    readonly verdict?: Verdict
  },
): Settlement {
  const reason = describe(error)
  const { completedHandlers } = item
  const { limits, now, random, verdict } = rules
  if (verdict === 'dead' || error instanceof GiveUp) return { as: 'dead', reason, completedHandlers }
  if (verdict === undefined && isParked(error)) return { as: 'parked', reason, completedHandlers }
  if (verdict === undefined && isForGood(error)) return { as: 'dead', reason, completedHandlers }
  const wait = error instanceof RetryIn ? Math.ceil(error.waitMs) : backoffMs(item.attempt, BACKOFF, random)
  if (item.attempt >= limits.max) return { as: 'dead', reason, completedHandlers }
  if (now + wait - item.createdAt > limits.withinMs)
    return { as: 'dead', reason: `${reason} ${TOO_LATE}`, completedHandlers }
  return { as: 'retry', reason, at: now + wait, blocksLane: wait <= HOLDS_LANE_MS, completedHandlers }
}

function isParked(error: unknown): boolean {
  return error instanceof SwitchhookError && PARKED.has(error.code)
}

function isForGood(error: unknown): boolean {
  if (error instanceof ApiError) return !error.retryable
  return error instanceof SwitchhookError && FOR_GOOD.has(error.code)
}

const SHOWN_CHARACTERS = 500

function describe(error: unknown): string {
  const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : ''
  return `${name}${reasonOf(error)}`.slice(0, SHOWN_CHARACTERS)
}
