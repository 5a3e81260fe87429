import { type Duration, toMs } from '../../base/duration.ts'
import { SwitchhookError } from '../../base/errors.ts'

/**
 * The emulator's clock: wall time, moved by an offset. Payload times, the window and the memory of keys follow this
 * clock; signatures follow the wall, since receivers refuse any other time.
 */
export interface EmulatorClock {
  /** Milliseconds since the epoch, by the emulated service. */
  now(): number
  /** Milliseconds since the epoch, by this machine. */
  wall(): number
  /** How far `now` is from `wall`, in whole milliseconds. */
  readonly offset: number
  advance(ms: number): void
  /** Moves the clock to a time; answers how many milliseconds it went forward (below zero: back). */
  set(now: number): number
  /** Moves the clock back to the offset that it began with; answers as `set` does. */
  reset(): number
}

/** `start`: the time at which the clock begins, and to which a reset takes it; default: wall time. */
export function createEmulatorClock(wall: () => Date, start: Date | undefined): EmulatorClock {
  const wallMs = () => wall().getTime()
  const firstOffset = start === undefined ? 0 : start.getTime() - wallMs()
  let offset = firstOffset
  const moveTo = (next: number) => {
    const moved = next - offset
    offset = next
    return moved
  }
  return {
    now: () => wallMs() + offset,
    wall: wallMs,
    get offset() {
      return offset
    },
    advance(ms) {
      offset += ms
    },
    set: (now) => moveTo(Math.round(now - wallMs())),
    reset: () => moveTo(firstOffset),
  }
}

/** The range of the clock in milliseconds since the epoch: the years 2000 to 2199. */
export const EARLIEST_MS = Date.UTC(2000, 0)
export const LATEST_MS = Date.UTC(2200, 0)

/** A longer span would lead from the clock's range out of the years that a Date can have. */
const LONGEST_SPAN_MS = 100 * 365 * 86_400_000

export const A_SPAN = "a span such as '25h' or a number of milliseconds, of a hundred years at most"

/** Milliseconds of a span, or undefined if the value is no span or too long. */
export function spanMs(span: Duration): number | undefined {
  try {
    const ms = toMs(span)
    return ms <= LONGEST_SPAN_MS ? ms : undefined
  } catch (error) {
    if (error instanceof SwitchhookError) return undefined
    throw error
  }
}

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}
