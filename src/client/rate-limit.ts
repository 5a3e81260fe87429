import { type Backoff, backoffMs } from '../base/backoff.ts'
import type { Random } from '../base/clock.ts'
import { API_ERRORS } from '../contract/index.ts'
import type { ApiError } from './api-error.ts'
import { RateLimitedError } from './error-types.ts'
import { keyHash } from './key.ts'

/** The pauses of a client's numbers; sends that name no number share one pause, the token's. */
export interface RateLimits {
  pauseFor(send: { readonly number: string | undefined; readonly idempotencyKey: string | null }): NumberPause
}

/** The pause of a number, as one send meets it: a 429 limits the number and not the request (SEND-22). */
export interface NumberPause {
  /** Milliseconds that this send still has to wait; 0 if it may go. */
  remainingMs(): number
  /**
   * After a 429 nothing of this number is sent for as long as the answer asks, at most a minute, and longer the more
   * often the same call met a 429.
   */
  begin(limited: ApiError): void
  /** The error of a send that was not tried because of the pause. */
  notTried(remainingMs: number): RateLimitedError
}

/** The longest pause that one answer brings upon other sends: each of them asks for itself afterwards. */
const LONGEST_PAUSE_MS = 60_000
const BACKOFF: Backoff = { firstMs: 500, longestMs: 20_000, jitter: 'half' }
/** Sends that waited go on spread over this time: the first ones ask, and the others learn of a further 429. */
const LONGEST_SPREAD_MS = 5_000

export function createRateLimits({ now, random }: { now: () => number; random: Random }): RateLimits {
  const pauses = new Map<string | undefined, { readonly until: number; readonly spread: number }>()
  return {
    pauseFor: ({ number, idempotencyKey }) => ({
      remainingMs() {
        const { until = 0, spread = 0 } = pauses.get(number) ?? {}
        // A timer may end within the last millisecond of its time.
        const rest = Math.floor(until - now())
        return rest > 0 ? rest + random() * spread : 0
      },
      begin({ attempts, retryAfterMs = 0 }) {
        const ms = Math.min(LONGEST_PAUSE_MS, Math.max(retryAfterMs, backoffMs(attempts, BACKOFF, random)))
        const until = now() + ms
        if (until > (pauses.get(number)?.until ?? 0))
          pauses.set(number, { until, spread: Math.min(ms, LONGEST_SPREAD_MS) })
      },
      notTried: (ms) =>
        new RateLimitedError({
          message: `POST /messages was not tried: the service limits this number (429), which pauses for another ${Math.ceil(ms)} ms; nothing was sent`,
          status: undefined,
          code: 'rate_limited',
          rule: API_ERRORS.rate_limited,
          attempts: 0,
          retryAfterMs: ms,
          idempotencyKeyHash: keyHash(idempotencyKey ?? undefined),
        }),
    }),
  }
}
