/**
 * Two clocks. Wall time serves signatures, leases, back-off, the ten minutes and retention; service
 * time serves the window, facts and `ctx.now`. They differ only beside an emulator whose clock was moved.
 */
export interface Clock {
  /** Milliseconds since the epoch, by this machine. */
  wall(): number
  /** Milliseconds since the epoch, by the service: wall time and the adopted offset. */
  service(): number
  /** Takes over the emulator's offset in milliseconds; the caller has made sure that it is an emulator's. */
  adopt(offsetMs: number): void
  readonly offset: number
}

export function createClock(now: () => Date = () => new Date()): Clock {
  let offset = 0
  return {
    wall: () => now().getTime(),
    service: () => now().getTime() + offset,
    adopt(offsetMs) {
      offset = offsetMs
    },
    get offset() {
      return offset
    },
  }
}

/** Time that passes, injected so that a test can pass it: runs `run` once after `ms`; the answer cancels. */
export interface Timers {
  after(ms: number, run: () => void): () => void
}

/** What is longer, Node's timers end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** A number in [0, 1), injected so that jitter can be tested. */
export type Random = () => number
