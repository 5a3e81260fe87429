import type { Timers } from '../base/clock.ts'

/** The end of an attempt or a wait: its time is over, or the caller's signal ends it, whichever comes first. */
export interface Deadline {
  /** For work that can be stopped. */
  readonly signal: AbortSignal
  /** Undefined before the end. */
  passedBy(): 'timeout' | 'aborted' | undefined
  /**
   * Starts the work unless the deadline has passed, and waits for it until then; `drop` gets a late result. One race at
   * a time.
   */
  race<T>(work: () => Promise<T>, drop?: (late: T) => unknown): Promise<T>
  close(): void
}

export function deadlineAfter(ms: number, caller: AbortSignal | undefined, timers: Timers): Deadline {
  const controller = new AbortController()
  let by: 'timeout' | 'aborted' | undefined
  let lose = (_error: Error) => {}
  const pass = (reason: 'timeout' | 'aborted') => {
    by ??= reason
    controller.abort()
    lose(new Error(by))
  }
  const onAbort = () => pass('aborted')
  const stopTimer = timers.after(ms, () => pass('timeout'))
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    passedBy: () => by,
    race<T>(work: () => Promise<T>, drop?: (late: T) => unknown): Promise<T> {
      if (by !== undefined) return Promise.reject(new Error(by))
      return new Promise((resolve, reject) => {
        lose = reject
        work()
          .then((value) => (by === undefined ? resolve(value) : drop?.(value)))
          .catch(reject)
      })
    },
    close() {
      stopTimer()
      caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits; `aborted` if the caller's signal ended the wait. */
export async function sleep(ms: number, caller: AbortSignal | undefined, timers: Timers): Promise<'over' | 'aborted'> {
  const deadline = deadlineAfter(ms, caller, timers)
  const forever = new Promise<never>(() => {})
  await deadline.race(() => forever).catch(() => {})
  deadline.close()
  return deadline.passedBy() === 'aborted' ? 'aborted' : 'over'
}
