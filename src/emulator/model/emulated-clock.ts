import { type Duration, toMs } from '../../base/duration.ts'
import { SwitchhookError, readError, reasonOf } from '../../base/errors.ts'
import type { Timers } from '../../base/clock.ts'

export type EmulatorClock = ReturnType<typeof createEmulatorClock>

/**
 * The emulator's clock: wall time plus an offset. Times in payloads, the window and remembered keys follow it.
 * Signatures have wall time, because receivers compare that with their own clock.
 *
 * @param start the clock's time at first and after a reset. Default: wall time.
 */
export function createEmulatorClock(wall: () => Date, start: Date | undefined) {
  const wallMs = () => wall().getTime()
  const firstOffset = start === undefined ? 0 : start.getTime() - wallMs()
  let offset = firstOffset
  /** Returns by how many milliseconds the clock moved: negative if it moved back. */
  const moveTo = (next: number): number => {
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
    advance: (ms: number) => moveTo(offset + ms),
    set: (now: number) => moveTo(Math.round(now - wallMs())),
    reset: () => moveTo(firstOffset),
  }
}

export const EARLIEST_MS = Date.UTC(2000, 0)
export const LATEST_MS = Date.UTC(2200, 0)

/** With a longer span, the clock could pass the last time that a Date can have. */
const LONGEST_SPAN_MS = 100 * 365 * 86_400_000

export const A_SPAN = "a span such as '25h' or a number of milliseconds, at most a hundred years"

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

export type Schedule = ReturnType<typeof createSchedule>

interface Entry {
  readonly due: number
  readonly run: () => void
  readonly isRetry: boolean
  disarm: () => void
}

/** Runs functions after a time of the emulator's clock: at once, if the clock is moved past their times. */
export function createSchedule(timers: Timers, wall: () => number) {
  const entries = new Set<Entry>()
  let leapt = 0
  const elapsed = () => wall() + leapt

  const fire = (entry: Entry) => {
    if (!entries.delete(entry)) return
    try {
      entry.run()
    } catch (error) {
      // No request waits for the function, so nobody would catch its error.
      process.emitWarning(readError(error).stack || reasonOf(error))
    }
  }
  const arm = (entry: Entry) => {
    entry.disarm = timers.after(Math.max(0, entry.due - elapsed()), () => fire(entry))
  }
  const inOrder = () => [...entries].sort((a, b) => a.due - b.due)

  return {
    /** `isRetry`: `run` is the next attempt of a delivery that failed. */
    later(ms: number, run: () => void, isRetry = false): void {
      const entry: Entry = { due: elapsed() + ms, run, isRetry, disarm: () => {} }
      entries.add(entry)
      arm(entry)
    },
    /** Milliseconds of wall time, plus all moves of the clock forward. */
    elapsed,
    /** Call this after the clock moved by `ms`. Runs what is due, in the order of its times. */
    leap(ms: number): void {
      if (ms <= 0) return
      leapt += ms
      for (const entry of inOrder()) {
        if (!entries.has(entry)) continue
        entry.disarm()
        if (entry.due <= elapsed()) fire(entry)
        else arm(entry)
      }
    },
    /** Runs all retries now. Returns how many. */
    hasten(): number {
      const retries = inOrder().filter(({ isRetry }) => isRetry)
      for (const entry of retries) {
        entry.disarm()
        fire(entry)
      }
      return retries.length
    },
    clear(): void {
      for (const entry of entries) entry.disarm()
      entries.clear()
    },
  }
}
