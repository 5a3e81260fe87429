/**
 * Two clocks and a measure. Wall time is for leases, back-off and retention; service time is for the window, facts and
 * `ctx.now`. They differ only beside an emulator whose clock was moved. The measure is for spans that no step of the wall
 * clock may stretch or cut while the process lives, as the ten minutes of an unknown outcome.
 */
export interface Clock {
  /** Milliseconds since the epoch, by the clock of the store: processes of one database agree on it. */
  wall(): number
  /**
   * Milliseconds since the epoch, by this machine: for the age of signatures. A server of the database whose clock is wrong
   * would make all processes refuse all deliveries; where one machine is wrong, the service comes to another.
   */
  machine(): number
  /** Milliseconds since the epoch, by the service: wall time plus the adopted offset. */
  service(): number
  /** Milliseconds since some moment, by a clock that never goes back and that nobody sets: it measures spans. */
  monotonic(): number
  /** Takes an emulator's offset in milliseconds; the caller has made sure that the other side is an emulator. */
  adopt(offsetMs: number): void
  /** How far service time is ahead of wall time, in milliseconds; 0 until an offset is adopted. */
  readonly offset: number
}

/** Captured, since an app's tests may put a false one in its place. */
export const monotonic: () => number = performance.now.bind(performance)

export const machineTime = (): number => Date.now()

/**
 * @param given takes the place of the machine's time and of the store's.
 * @param elapsed default: the machine's own measure; beside a `given` time, that time.
 * @param stored wall time by the store; default: the machine's.
 * @param follows false where no emulator may move the clock: `adopt` has no effect.
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

/** Timers, injected so that a test can make time pass. */
export interface Timers {
  /** Runs `run` once after `ms`; the function that it returns cancels. */
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

/** Captured, since an app's tests may put a false one in its place. */
const { setImmediate } = globalThis

/** Resolves when all that this turn of the event loop has begun has been done, such as answers that are written. */
export function afterThisTurn(): Promise<void> {
  turnsEnd ??= new Promise((resolve) => {
    setImmediate(() => {
      turnsEnd = undefined
      resolve()
    })
  })
  return turnsEnd
}

/** One for all that ask in a turn: a delivery's commit has many others in it. */
let turnsEnd: Promise<void> | undefined

/** Gives a number in [0, 1), injected so that jitter can be tested. */
export type Random = () => number

/** Resolves with true when the work ends within `ms`, else with false; the work continues. Rejects as the work does. */
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
