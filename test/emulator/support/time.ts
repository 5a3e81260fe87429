import type { Timers } from '../../../src/base/clock.ts'

/** Wall time that passes only when a test says so. */
export interface ManualTime {
  readonly timers: Timers
  readonly wall: () => Date
  readonly monotonic: () => number
  /** Lets milliseconds pass; what becomes due runs in its order. */
  pass(ms: number): void
  /** How many timers are running. */
  readonly running: number
}

export function manualTime(start = '2026-03-04T09:00:00.000Z'): ManualTime {
  let now = Date.parse(start)
  const timers = new Set<{ due: number; run: () => void }>()
  return {
    timers: {
      after(ms, run) {
        const timer = { due: now + ms, run }
        timers.add(timer)
        return () => timers.delete(timer)
      },
    },
    wall: () => new Date(now),
    monotonic: () => now,
    pass(ms) {
      const end = now + ms
      for (;;) {
        const next = [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.due)
        next.run()
      }
      now = end
    },
    get running() {
      return timers.size
    },
  }
}
