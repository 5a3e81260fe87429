import type { Timers } from '../base/clock.ts'
import { AttemptOver } from '../outbox/index.ts'

/**
 * The life of one attempt: it ends at its deadline, with a lost lane, or when the bot stops. From then on each of
 * its effects throws `AttemptOver`, so that a handler that runs on changes nothing.
 */
export interface AttemptClock {
  readonly signal: AbortSignal
  /** Rejects when the attempt ends. */
  readonly over: Promise<never>
  end(why: string): void
  /** @throws AttemptOver */
  check(): void
  /** Waiting inside a reply does not count towards the deadline. */
  paused<T>(waiting: () => Promise<T>): Promise<T>
  /** The handlers have returned and what they began has ended: no deadline any more. */
  finish(): void
  isFinished(): boolean
}

/** `stopping`: the bot stops, and with it every clock of its attempts. */
export function startAttempt(
  deadlineMs: number,
  timers: Timers,
  now: () => number,
  stopping: AbortSignal,
): AttemptClock {
  const controller = new AbortController()
  let left = deadlineMs
  let since = now()
  let waits = 0
  let finished = false
  let cancel = arm()
  let reject: (error: Error) => void = () => {}
  const over = new Promise<never>((_resolve, refuse) => {
    reject = refuse
  })
  // Whoever races against it hears of it; where nobody does, that is no unhandled rejection.
  over.catch(() => {})
  const stop = () => end('the bot stops')
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })

  function arm(): () => void {
    since = now()
    return timers.after(left, () => end(`its deadline of ${deadlineMs} ms has passed`))
  }

  function end(why: string): void {
    if (controller.signal.aborted) return
    const error = new AttemptOver(why)
    controller.abort(error)
    cancel()
    reject(error)
  }

  return {
    signal: controller.signal,
    over,
    end,
    check() {
      if (controller.signal.aborted) throw controller.signal.reason
      if (finished) throw new AttemptOver('it has ended')
    },
    async paused(waiting) {
      if (waits++ === 0) {
        cancel()
        // A clock that goes back gives nothing: what hangs would else keep its lane for as long.
        left = Math.max(0, left - Math.max(0, now() - since))
      }
      try {
        return await waiting()
      } finally {
        if (--waits === 0 && !finished && !controller.signal.aborted) cancel = arm()
      }
    },
    finish() {
      finished = true
      cancel()
    },
    isFinished: () => finished,
  }
}
