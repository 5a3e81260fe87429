import type { Timers } from '../base/clock.ts'

/** The end of an attempt, whichever comes first: its time is over, or the caller's signal says so. */
export interface Cut {
  /** For whoever can be stopped. */
  readonly signal: AbortSignal
  why(): 'timeout' | 'aborted' | undefined
  /** Starts the work unless it is cut already, and waits no longer than the cut; `drop` gets what comes too late. */
  race<T>(work: () => Promise<T>, drop?: (late: T) => unknown): Promise<T>
  close(): void
}

/** Waits; says whether the caller's signal ended it. */
export async function sleep(ms: number, caller: AbortSignal | undefined, timers: Timers): Promise<'over' | 'aborted'> {
  const cut = cutAfter(ms, caller, timers)
  const forever = new Promise<never>(() => {})
  await cut.race(() => forever).catch(() => {})
  cut.close()
  return cut.why() === 'aborted' ? 'aborted' : 'over'
}

export function cutAfter(ms: number, caller: AbortSignal | undefined, timers: Timers): Cut {
  const controller = new AbortController()
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})
  let why: 'timeout' | 'aborted' | undefined
  const end = (reason: 'timeout' | 'aborted') => {
    why ??= reason
    controller.abort()
    ended.reject(new Error(why))
  }
  const onAbort = () => end('aborted')
  const stopTimer = timers.after(ms, () => end('timeout'))
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    why: () => why,
    async race<T>(work: () => Promise<T>, drop: (late: T) => unknown = () => {}): Promise<T> {
      if (why !== undefined) return ended.promise
      const working = work()
      try {
        return await Promise.race([working, ended.promise])
      } catch (error) {
        working.then(drop).catch(() => {})
        throw error
      }
    },
    close() {
      stopTimer()
      caller?.removeEventListener('abort', onAbort)
    },
  }
}
