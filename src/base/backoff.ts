import type { Random } from './clock.ts'

export interface Backoff {
  /** The longest wait after the first failure; it doubles with each further one. */
  readonly firstMs: number
  readonly longestMs: number
  /**
   * `full`: any part of the longest wait, which spreads a crowd best. `half`: its upper half at random, for waits that
   * must not end at once.
   */
  readonly jitter: 'full' | 'half'
}

/** The wait in whole milliseconds after the nth failure in a row: exponential, with jitter. */
export function backoffMs(nth: number, { firstMs, longestMs, jitter }: Backoff, random: Random): number {
  const longest = Math.min(longestMs, firstMs * 2 ** (nth - 1))
  return Math.ceil(longest * (jitter === 'full' ? random() : 0.5 + random() / 2))
}
