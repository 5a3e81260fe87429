import type { Timers } from '../../../src/base/clock.ts'

interface Waiting {
  readonly ms: number
  readonly at: number
  readonly run: () => void
}

/** Timers whose time passes only when a test calls `pass`. */
export function manualTimers() {
  let now = 0
  const pending = new Set<Waiting>()
  const watchers = new Set<() => void>()
  const timers: Timers = {
    after(ms, run) {
      const one = { ms, at: now + ms, run }
      pending.add(one)
      for (const look of watchers) look()
      return () => pending.delete(one)
    },
  }
  return {
    timers,
    /** How many timers wait for exactly this long. */
    waiting: (ms: number) => [...pending].filter((one) => one.ms === ms).length,
    /** Resolves when a timer of exactly this length is set. */
    set(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (![...pending].some((one) => one.ms === ms)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      })
    },
    pass(ms: number): void {
      now += ms
      for (const one of [...pending].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
        if (!pending.delete(one)) continue
        one.run()
      }
    },
  }
}
