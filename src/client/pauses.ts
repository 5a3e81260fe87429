import { type Backoff, backoffMs } from '../base/backoff.ts'
import type { Random } from '../base/clock.ts'
import { API_ERRORS } from '../contract/index.ts'
import type { ApiError } from './api-error.ts'
import { RateLimitedError } from './error-types.ts'
import { keyHash } from './key.ts'

/** The pause of a number, as one send meets it: 429 limits the number and not the request (SEND-22). */
export interface Pause {
  /** Milliseconds that this send still has to wait; 0 where it may go. */
  left(): number
  /**
   * A 429: nothing of this number goes out for as long as it asks, at most a minute, and longer the oftener the same
   * call met one.
   */
  begin(limited: ApiError): void
  /** Why this send was not tried. */
  limits(ms: number): RateLimitedError
}

/** The pauses of a client's numbers; sends that name none are one number's, the token's. */
export interface Pauses {
  of(send: { readonly number: string | undefined; readonly idempotencyKey: string | null }): Pause
}

/** No other send waits longer than this for what one was told: then it asks for itself. */
const PAUSE_LONGEST_MS = 60_000
const BACKOFF: Backoff = { firstMs: 500, longestMs: 20_000, jitter: 'half' }
/** Those that waited go on within this time, and not at once: the first ones ask, and the others hear of it. */
const SPREAD_LONGEST_MS = 5_000

export function createPauses({ now, random }: { now: () => number; random: Random }): Pauses {
  const numbers = new Map<string | undefined, { readonly until: number; readonly spread: number }>()
  return {
    of: ({ number, idempotencyKey }) => ({
      left() {
        const { until = 0, spread = 0 } = numbers.get(number) ?? {}
        // A timer may end within the last millisecond of its time.
        const rest = Math.floor(until - now())
        return rest > 0 ? rest + random() * spread : 0
      },
      begin({ attempts, retryAfterMs = 0 }) {
        const ms = Math.min(PAUSE_LONGEST_MS, Math.max(retryAfterMs, backoffMs(attempts, BACKOFF, random)))
        const until = now() + ms
        if (until > (numbers.get(number)?.until ?? 0))
          numbers.set(number, { until, spread: Math.min(ms, SPREAD_LONGEST_MS) })
      },
      limits: (ms) =>
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
