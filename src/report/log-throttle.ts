import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** A flood of one kind is one line in this time, with a count. */
const QUIET_MS = 10_000

/** Says the first of a kind at once, and the rest as a number: whoever sends does not decide how much is logged. */
export type LogThrottle = (level: 'warn' | 'error', kind: string, message: string, about?: object) => void

export function createLogThrottle(log: Log, clock: Clock): LogThrottle {
  const quieted = new Map<string, { since: number; count: number }>()
  return (level, kind, message, about = {}) => {
    const now = clock.wall()
    const last = quieted.get(kind)
    // Either way, since a clock that was set back must not silence what its own error caused.
    if (last && Math.abs(now - last.since) < QUIET_MS) {
      last.count++
      return
    }
    log[level]({ ...about, ...(last && last.count > 0 && { more: last.count }) }, message)
    quieted.set(kind, { since: now, count: 0 })
  }
}
