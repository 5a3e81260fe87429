// Saved when the module loads, because a test may replace the global function later.
const { setImmediate } = globalThis

/** All is idle after this many rounds of the event loop without work: between two tasks the bot may pause for one. */
const QUIET_ROUNDS = 2

/** Resolves after one round of the event loop. */
const round = () => new Promise<void>((resolve) => void setImmediate(resolve))

export type Activity = ReturnType<typeof createActivity>

/** Counts the work under way in bot, store and service, so that a scenario knows when all are idle. */
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
    /** Counts this work for one round of the event loop. Longer work is assumed to wait for the scenario's clock. */
    untilItWaits<T>(work: Promise<T>): Promise<T> {
      during(Promise.race([work, round()])).catch(() => {})
      return work
    },
    /** Resolves when no work is under way and none begins. */
    async idle() {
      for (let quiet = 0; quiet < QUIET_ROUNDS; ) {
        const before = beginnings
        await round()
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
