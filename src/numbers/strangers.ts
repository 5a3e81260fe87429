import type { Clock, Timers } from '../base/clock.ts'
import { Crowded } from './unavailable.ts'

/** The way that questions about names take which this process does not know. */
export interface Strangers {
  /**
   * Asks as soon as there is room. The answer is undefined if nobody has this name.
   *
   * @throws what `ask` throws, and `Crowded`.
   */
  ask<T>(ask: () => Promise<T | undefined>): Promise<T | undefined>
}

const AT_ONCE = 32
const IN_VAIN_A_SECOND = 100
const WAIT_MS = 5_000

/**
 * Anybody can ask for a path with a name in it, and each name is a question to the app's database. So few are asked at once,
 * and those that nobody has are counted: with a hundred of them in a second the rest of that second asks nothing more. A
 * number that is there counts for nothing, so after a start thousands of them get in.
 */
export function createStrangers({ clock, timers }: { clock: Pick<Clock, 'monotonic'>; timers: Timers }): Strangers {
  const waiting = new Set<() => void>()
  let asked = 0
  let second = 0
  let inVain = 0

  function inVainNow(): number {
    const now = Math.floor(clock.monotonic() / 1_000)
    if (now !== second) [second, inVain] = [now, 0]
    return inVain
  }

  function room(): Promise<void> {
    return new Promise((enter, refuse) => {
      const cancel = timers.after(WAIT_MS, () => {
        waiting.delete(enterNext)
        refuse(new Crowded('too many other names are asked for'))
      })
      const enterNext = () => {
        cancel()
        enter()
      }
      waiting.add(enterNext)
    })
  }

  /** The one that waits longest takes the place that becomes free. */
  function leave(): void {
    const [next] = waiting
    if (!next) return void asked--
    waiting.delete(next)
    next()
  }

  return {
    async ask(ask) {
      if (asked < AT_ONCE) asked++
      else await room()
      let found
      try {
        if (inVainNow() >= IN_VAIN_A_SECOND) throw new Crowded('too many names are asked for that nobody has')
        found = await ask()
        return found
      } finally {
        if (found === undefined) inVain++
        leave()
      }
    },
  }
}
