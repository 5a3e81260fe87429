// Saved when the module loads, because a test may replace it later.
const { setImmediate } = globalThis

/**
 * How many turns of the event loop without work count as idle. The bot may let one turn pass between two pieces of
 * work.
 */
const QUIET_TURNS = 2

/** One turn of the event loop, with all promises that depend on it. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

export type Activity = ReturnType<typeof createActivity>

/** Counts the work under way between bot, store and service, so that a scenario knows when everything is idle. */
export function createActivity() {
  let underWay = 0
  let beginnings = 0
  let listener = () => {}
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  const end = () => {
    underWay--
    changed()
  }
  /** Resolves when work begins or ends. */
  const nextChange = () => new Promise<void>((resolve) => void waiting.add(resolve))

  const during = <T>(work: Promise<T>): Promise<T> => {
    underWay++
    beginnings++
    work.then(end, end)
    changed()
    listener()
    return work
  }

  return {
    during,
    /** Counts this work only while it keeps the event loop busy. Work that waits for time to pass is not under way. */
    untilItWaits<T>(work: Promise<T>): Promise<T> {
      during(Promise.race([work, turn()])).catch(() => {})
      return work
    },
    /** Resolves when no work is under way and none begins. */
    async idle() {
      for (let quiet = 0; quiet < QUIET_TURNS; ) {
        const before = beginnings
        await turn()
        if (underWay > 0) await nextChange()
        quiet = underWay === 0 && beginnings === before ? quiet + 1 : 0
      }
    },
    nextChange,
    onBegin(added: () => void) {
      listener = added
    },
  }
}
