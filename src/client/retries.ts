import { isA } from '../base/errors.ts'
import { type Backoff, backoffMs } from '../base/clock.ts'
import { ApiError, NoAnswerError } from './api-errors.ts'
import { type Attempt, sleep } from './transport.ts'
import type { Settings } from './client-options.ts'

interface RetryOptions {
  /** True if a retry after an unknown outcome does no harm: of a read, or of a send under a key (ERR-04). */
  readonly safe: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Retries by the service's error table (ERR-03) until the call's deadline. After a 401 it retries once if the app gave
 * the token as a function, which may return a new one.
 */
export async function withRetries<T>(
  settings: Settings,
  { safe, signal }: RetryOptions,
  run: (attempt: Attempt) => Promise<T>,
): Promise<{ value: T; attempts: number }> {
  const began = settings.now()
  const remaining = () => settings.deadline - (settings.now() - began)
  const waitAfter = waitsOf(settings)
  const wait = async (ms: number, because: ApiError) => {
    if (ms >= remaining()) throw because
    if ((await sleep(ms, signal, settings.timers)) === 'aborted') throw abortedAfter(because)
  }
  let mayRenewToken = settings.tokenMayChange && settings.maxRetries > 0
  for (let nth = 1, last: ApiError | undefined; ; nth++) {
    // Check again after the wait, because a timer may be late, for example if the machine slept.
    if (last && remaining() <= 0) throw last
    const timeout = Math.min(settings.timeout, remaining())
    try {
      return { value: await run({ timeout, token: settings.token }), attempts: nth }
    } catch (error) {
      if (!isA(error, ApiError)) throw error
      last = error.after(nth, last?.outcome === 'unknown')
    }
    if (last.status === 401 && mayRenewToken) {
      mayRenewToken = false
      continue
    }
    const ms = last.outcome === 'unknown' && !safe ? undefined : waitAfter(last)
    if (ms === undefined) throw last
    await wait(ms, last)
  }
}

const BACKOFF: Backoff = { firstMs: 500, longestMs: 20_000, jitter: 'full' }
const CAUTIOUS_RETRIES = 1
const CAUTIOUS_SHORTEST_MS = 2_000
const PAUSE_SHORTEST_MS = 1_000
const PAUSE_SPREAD_MS = 2_000
const PAUSES_TOGETHER_MS = 60_000

/** Finds the wait before a retry; undefined: no retry. Each kind of rule has its limit. `Retry-After` is a minimum. */
function waitsOf({ random, maxRetries }: Settings): (error: ApiError) => number | undefined {
  let backoffs = 0
  let cautious = 0
  let paused = 0
  return (error) => {
    const { rule, retryAfterMs = 0 } = error
    if (rule.retry === 'no' || maxRetries === 0) return undefined
    switch (rule.retry) {
      case 'backoff':
        if (backoffs >= maxRetries) return undefined
        return Math.max(backoffMs(++backoffs, BACKOFF, random), retryAfterMs)
      case 'cautious':
        if (cautious++ >= CAUTIOUS_RETRIES) return undefined
        return Math.max(CAUTIOUS_SHORTEST_MS * (1 + random()), retryAfterMs)
      case 'pause': {
        const ms = Math.max(PAUSE_SHORTEST_MS + random() * PAUSE_SPREAD_MS, retryAfterMs)
        paused += ms
        return paused <= PAUSES_TOGETHER_MS ? ms : undefined
      }
    }
  }
}

function abortedAfter(last: ApiError): NoAnswerError {
  return new NoAnswerError({
    message: `ended by the caller's signal, while waiting after: ${last.message}`,
    status: undefined,
    code: undefined,
    rule: { status: 0, retry: 'no', outcome: last.outcome },
    attempts: last.attempts,
    reason: 'aborted',
    idempotencyKeyHash: last.idempotencyKeyHash,
    cause: last,
  })
}
