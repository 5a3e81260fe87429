/**
 * Wall time is for leases, back-off and retention, and never goes back. Service time is for the window, facts and
 * `ctx.now`. They differ if an emulator's clock was moved, or if the machine's clock was set back.
 */
export interface Clock {
  /** The store's time, in milliseconds since the epoch. Processes of one database agree on it. */
  wall(): number
  /** This machine's time, in ms, for the age of signatures: a database server's clock may be wrong. */
  machine(): number
  service(): number
  /** Milliseconds by a clock that cannot be set, to measure durations. */
  monotonic(): number
  /** Adopts an emulator's offset, in ms. The caller has checked that it is an emulator. */
  adopt(offsetMs: number): void
  readonly offset: number
  /** Milliseconds by which the machine's clock lies behind wall time, because it was set back; else 0. */
  behind(): number
}

/** A copy, because an app's tests may replace the original. */
export const monotonic: () => number = performance.now.bind(performance)

export const machineTime = (): number => Date.now()

/** The clock counts as set back if it lies further behind wall time than this. */
const NO_STEP_MS = 1_000

/**
 * @param given replaces the machine's time and the store's.
 * @param elapsed measures durations.
 * @param stored the store's wall time, which never goes back. `timeOfDay`: the store's real clock, if it can go back.
 * @param follows false if no emulator may move the clock.
 */
export function createClock(
  given?: () => Date,
  elapsed: () => number = given ? () => given().getTime() : monotonic,
  stored: { clock(): number; readonly timeOfDay?: (() => number) | undefined } = { clock: machineTime },
  follows = true,
): Clock {
  const wall = given ? () => given().getTime() : stored.clock
  let offset = 0
  const behind = () => {
    const ms = given || !stored.timeOfDay ? 0 : wall() - stored.timeOfDay()
    return ms > NO_STEP_MS ? ms : 0
  }
  return {
    monotonic: elapsed,
    wall,
    machine: given ? wall : machineTime,
    service: () => wall() - behind() + offset,
    behind,
    adopt(offsetMs) {
      if (follows) offset = offsetMs
    },
    get offset() {
      return offset
    },
  }
}

/** Timers, injected so that a test can control time. */
export interface Timers {
  /** Runs `run` after `ms`. The returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

/** `setTimeout` fires at once if the delay exceeds 2^31 - 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** A copy, because an app's tests may replace the original. */
const { setImmediate } = globalThis

/** Resolves when this turn of the event loop has ended, with all that it has begun, such as writing answers. */
export function afterThisTurn(): Promise<void> {
  turnsEnd ??= new Promise((resolve) => {
    setImmediate(() => {
      turnsEnd = undefined
      resolve()
    })
  })
  return turnsEnd
}

/** All callers in a turn share one promise, because a busy process has many of them in each turn. */
let turnsEnd: Promise<void> | undefined

/** Returns a number in [0, 1). */
export type Random = () => number

/** Resolves with false if the work has not ended after `ms`: it continues. Rejects if the work rejects before. */
export async function endsWithin(ms: number, timers: Timers, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<false>((resolve) => {
    cancel = timers.after(ms, () => resolve(false))
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}

export interface Backoff {
  /** The longest wait after the first failure. It doubles with each further failure, up to `longestMs`. */
  readonly firstMs: number
  readonly longestMs: number
  /** `full`: a random wait from 0 to the attempt's longest, which spreads callers. `half`: from half of the longest. */
  readonly jitter: 'full' | 'half'
}

/** Returns the wait before the nth attempt, in whole milliseconds. */
export function backoffMs(nth: number, { firstMs, longestMs, jitter }: Backoff, random: Random): number {
  const longest = Math.min(longestMs, firstMs * 2 ** (nth - 1))
  return Math.ceil(longest * (jitter === 'full' ? random() : 0.5 + random() / 2))
}
