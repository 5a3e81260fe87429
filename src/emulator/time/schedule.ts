import type { Timers } from '../../base/clock.ts'

/** What is to happen later: after wall time has passed, or at once when the clock leaps past it. */
export interface Schedule {
  /** Runs `run` once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void
  /** Milliseconds that have passed for the schedule: wall time and all leaps forward. */
  elapsed(): number
  /** The clock went forward by `ms`: what became due runs now, in its order. */
  leap(ms: number): void
  /** Forgets all that is due later. */
  clear(): void
}

interface Entry {
  due: number
  readonly run: () => void
  disarm: () => void
}

export function createSchedule(timers: Timers, wall: () => number): Schedule {
  const entries = new Set<Entry>()
  let leapt = 0
  const elapsed = () => wall() + leapt

  const fire = (entry: Entry) => {
    if (entries.delete(entry)) entry.run()
  }
  const arm = (entry: Entry) => {
    entry.disarm = timers.after(Math.max(0, entry.due - elapsed()), () => fire(entry))
  }

  return {
    after(ms, run) {
      const entry: Entry = { due: elapsed() + ms, run, disarm: () => {} }
      entries.add(entry)
      arm(entry)
      return () => {
        entry.disarm()
        entries.delete(entry)
      }
    },
    elapsed,
    leap(ms) {
      if (ms <= 0) return
      leapt += ms
      for (const entry of [...entries].sort((a, b) => a.due - b.due)) {
        if (!entries.has(entry)) continue
        entry.disarm()
        if (entry.due <= elapsed()) fire(entry)
        else arm(entry)
      }
    },
    clear() {
      for (const entry of entries) entry.disarm()
      entries.clear()
    },
  }
}
