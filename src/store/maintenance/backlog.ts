import type { Clock, Timers } from '../../base/clock.ts'
import type { Store } from '../store.ts'

export interface Backlog {
  waitedMs(): number
  stop(): void
}

const LOOK_EVERY_MS = 15_000
const LONG_MS = 60_000

export function watchBacklog(o: {
  store: Pick<Store, 'waitingSince'>
  clock: Clock
  timers: Timers
  report: (waitedMs: number) => void
}): Backlog {
  let waitedMs = 0
  let sayAt = LONG_MS
  let stopped = false
  let cancel = () => {}

  async function check(): Promise<void> {
    const now = o.clock.wall()
    const since = await o.store.waitingSince(now)
    waitedMs = since === undefined ? 0 : Math.max(0, now - since)
    if (waitedMs < LONG_MS) sayAt = LONG_MS
    if (waitedMs < sayAt || stopped) return
    o.report(waitedMs)
    while (sayAt <= waitedMs) sayAt *= 2
  }

  function next(): void {
    if (stopped) return
    cancel = o.timers.after(LOOK_EVERY_MS, () => {
      // The callers that need the store report that it cannot be read.
      void check()
        .catch(() => {})
        .finally(next)
    })
  }

  next()
  return {
    waitedMs: () => waitedMs,
    stop() {
      stopped = true
      cancel()
    },
  }
}
