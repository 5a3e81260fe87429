/**
 * Two clocks and a stopwatch. Wall time is for leases, back-off and retention. Service time is for the window, facts
 * and `ctx.now`. They differ only if an emulator's clock was moved. The stopwatch is for spans that no step of the wall
 * clock may change while the process runs, such as the ten minutes of an unknown outcome.
 */
export interface Clock {
  /** The store's time, in milliseconds since the epoch. Processes of one database agree on it. */
  wall(): number
  /**
   * This machine's time, in milliseconds since the epoch, for the age of signatures. A database server with a wrong
   * clock would make all processes refuse all deliveries. If only one machine is wrong, the service retries at another.
   */
  machine(): number
  service(): number
  /** Milliseconds since some moment, by a clock that never goes back and cannot be set. It measures spans. */
  monotonic(): number
  /** Adopts an emulator's offset in milliseconds. The caller has checked that the other side is an emulator. */
  adopt(offsetMs: number): void
  /** Service time minus wall time, in milliseconds; 0 until an offset is adopted. */
  readonly offset: number
}

/** Saved, because an app's tests may replace it. */
export const monotonic: () => number = performance.now.bind(performance)

export const machineTime = (): number => Date.now()

/**
 * @param given replaces the machine's time and the store's.
 * @param elapsed default: the machine's own stopwatch; with `given`, that time.
 * @param stored the store's wall time. Default: the machine's.
 * @param follows false if no emulator may move the clock. Then `adopt` has no effect.
 */
export function createClock(
  given?: () => Date,
  elapsed: () => number = given ? () => given().getTime() : monotonic,
  stored: () => number = machineTime,
  follows = true,
): Clock {
  const wall = given ? () => given().getTime() : stored
  let offset = 0
  return {
    monotonic: elapsed,
    wall,
    machine: given ? wall : machineTime,
    service: () => wall() + offset,
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
  /** Runs `run` once after `ms`. Call the returned function to cancel. */
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

/** Saved, because an app's tests may replace it. */
const { setImmediate } = globalThis

/** Resolves when everything that this turn of the event loop has begun is done, such as writing answers. */
export function afterThisTurn(): Promise<void> {
  turnsEnd ??= new Promise((resolve) => {
    setImmediate(() => {
      turnsEnd = undefined
      resolve()
    })
  })
  return turnsEnd
}

/** One promise for all callers in a turn, because a delivery's commit has many others in it. */
let turnsEnd: Promise<void> | undefined

/** Returns a number in [0, 1). Injected so that jitter can be tested. */
export type Random = () => number

/**
 * Resolves with true if the work ends within `ms`, else with false, and the work continues. Rejects if the work
 * rejects.
 */
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
  /** The longest wait after the first failure. It doubles with each further one. */
  readonly firstMs: number
  readonly longestMs: number
  /**
   * `full`: a random part of the longest wait, which spreads many callers best. `half`: a random part of its upper
   * half, for waits that must not end at once.
   */
  readonly jitter: 'full' | 'half'
}

/** The wait after the nth failure in a row, in whole milliseconds: exponential, with jitter. */
export function backoffMs(nth: number, { firstMs, longestMs, jitter }: Backoff, random: Random): number {
  const longest = Math.min(longestMs, firstMs * 2 ** (nth - 1))
  return Math.ceil(longest * (jitter === 'full' ? random() : 0.5 + random() / 2))
}
