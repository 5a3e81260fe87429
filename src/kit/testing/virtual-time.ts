import type { Timers } from '../../base/clock.ts'
import { optionsInvalid } from '../../base/errors.ts'

export type VirtualTime = ReturnType<typeof createVirtualTime>

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
 * @throws SwitchhookError `options_invalid` if a test has faked the timers that a bot needs: the bot would stand still.
 */
export function checkTimers(): void {
  // vitest and jest mark the functions that they fake. Other libraries may wrap one without harm.
  if (!('clock' in globalThis.setImmediate)) return
  throw optionsInvalid(
    "timers are faked, so nothing in a scenario continues. A scenario has its own clock, so fake only the date: vi.useFakeTimers({ toFake: ['Date'] })",
  )
}

export function createVirtualTime(start: number) {
  let now = start
  // Timers in the order in which they were set. Of several that are due at the same time, the first one runs first.
  const all = new Set<Timer>()
  const first = (of?: OwnTimers): Timer | undefined => {
    let found: Timer | undefined
    for (const timer of all)
      if ((of === undefined || timer.of === of) && (found === undefined || timer.due < found.due)) found = timer
    return found
  }

  return {
    now: () => now,
    /** Moves forward only. `runNext` runs the timers that became due. */
    moveTo(at: number): void {
      now = Math.max(now, at)
    },
    /** Runs the next timer that is due. Returns false if none is. */
    runNext(): boolean {
      const timer = first()
      if (timer === undefined || timer.due > now) return false
      all.delete(timer)
      timer.run()
      return true
    },
    timers(): OwnTimers {
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
