import { type Backoff, backoffMs } from '../base/backoff.ts'
import type { ApiError } from './api-error.ts'
import type { Settings } from './settings.ts'

const BACKOFF: Backoff = { firstMs: 500, longestMs: 20_000, jitter: 'full' }
const CAUTIOUS_RETRIES = 1
const CAUTIOUS_SHORTEST_MS = 2_000
const PAUSE_SHORTEST_MS = 1_000
const PAUSE_SPREAD_MS = 2_000
const PAUSES_TOGETHER_MS = 60_000

/**
 * How long a call waits after each kind of failure, each within a bound of its own; undefined ends it. What an answer
 * asks for is never cut short; whether there is time for it, the deadline says.
 */
export function waits({ random, maxRetries }: Settings): (over: ApiError) => number | undefined {
  let backoffs = 0
  let cautious = 0
  let paused = 0
  return ({ rule, retryAfterMs = 0 }) => {
    if (rule.retry === 'no' || maxRetries === 0) return undefined
    if (rule.retry === 'backoff') {
      if (backoffs >= maxRetries) return undefined
      return Math.max(backoffMs(++backoffs, BACKOFF, random), retryAfterMs)
    }
    if (rule.retry === 'cautious') {
      if (cautious++ >= CAUTIOUS_RETRIES) return undefined
      return Math.max(CAUTIOUS_SHORTEST_MS * (1 + random()), retryAfterMs)
    }
    const wait = Math.max(PAUSE_SHORTEST_MS + random() * PAUSE_SPREAD_MS, retryAfterMs)
    paused += wait
    return paused <= PAUSES_TOGETHER_MS ? wait : undefined
  }
}
