/** What is under way between bot, store and service: by it a scenario knows that nothing moves, without waiting. */
export interface Activity {
  /** Counts this work while it lasts. */
  during<T>(work: Promise<T>): Promise<T>
  /** Counts this work while it does something: what waits for time alone is not under way. */
  untilItWaits<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is under way and nothing begins by itself. */
  quiet(): Promise<void>
  /** Resolves with true at the next begin or end of work, or with false after so many milliseconds of real time. */
  change(withinMs: number): Promise<boolean>
  /** Calls back at each begin. */
  onBegin(listener: () => void): void
}

// Kept as they are now: a test may put others in their place.
const { setImmediate, setTimeout, clearTimeout } = globalThis

/** A turn of the event loop, with all promises that hang on it. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

export function createActivity(): Activity {
  let underWay = 0
  let begun = 0
  let listener = () => {}
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const wake of waiting) wake()
    waiting.clear()
  }
  const end = () => {
    underWay--
    changed()
  }
  const next = () => new Promise<void>((resolve) => void waiting.add(resolve))

  const during = <T>(work: Promise<T>): Promise<T> => {
    underWay++
    begun++
    work.then(end, end)
    changed()
    listener()
    return work
  }

  return {
    during,
    untilItWaits(work) {
      during(Promise.race([work, turn()])).catch(() => {})
      return work
    },
    async quiet() {
      for (;;) {
        const before = begun
        await turn()
        if (underWay > 0) await next()
        else if (begun === before) return
      }
    },
    async change(withinMs) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), withinMs)
      })
      const came = await Promise.race([next().then(() => true), late])
      clearTimeout(timer)
      return came
    },
    onBegin(heard) {
      listener = heard
    },
  }
}
