import type { Timers } from '../../base/clock.ts'
import { optionsInvalid } from '../../base/errors.ts'

export interface VirtualTime {
  now(): number
  /** Moves forward. Timers that became due run at the next calls of `runNext`. */
  moveTo(at: number): void
  runNext(): boolean
  timers(): OwnTimers
}

export interface OwnTimers extends Timers {
  next(): number | undefined
  /** Drops these timers. Timers set later never run. */
  end(): void
}

interface Timer {
  readonly due: number
  readonly run: () => void
  readonly of: OwnTimers
}

/**
 * @throws SwitchhookError `options_invalid` if a test has faked the timers that the bot's database needs, because
 * nothing would ever continue.
 */
export function checkTimers(): void {
  // vitest and jest mark the functions that they replace. Another library may wrap one without harm.
  if (!('clock' in globalThis.setImmediate)) return
  throw optionsInvalid(
    "timers are faked, so nothing in a scenario continues. A scenario has its own clock, so fake only the date: vi.useFakeTimers({ toFake: ['Date'] })",
  )
}

export function createVirtualTime(start: number): VirtualTime {
  let now = start
  // The timers, in the order in which they were set. It decides between timers due at the same moment.
  const all = new Set<Timer>()
  const first = (of?: OwnTimers): Timer | undefined => {
    let found: Timer | undefined
    for (const timer of all)
      if ((of === undefined || timer.of === of) && (found === undefined || timer.due < found.due)) found = timer
    return found
  }

  return {
    now: () => now,
    moveTo(at) {
      now = Math.max(now, at)
    },
    runNext() {
      const timer = first()
      if (timer === undefined || timer.due > now) return false
      all.delete(timer)
      timer.run()
      return true
    },
    timers() {
      let ended = false
      const own: OwnTimers = {
        after(ms, run) {
          const timer = { due: now + Math.max(0, ms), run, of: own }
          if (!ended) all.add(timer)
          return () => void all.delete(timer)
        },
        next: () => first(own)?.due,
        end() {
          ended = true
          for (const timer of all) if (timer.of === own) all.delete(timer)
        },
      }
      return own
    },
  }
}
