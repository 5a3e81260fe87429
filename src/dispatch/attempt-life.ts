import type { Timers } from '../base/clock.ts'
import { AttemptOver } from '../outbox/index.ts'

/**
 * The life of one attempt. It ends at its deadline or when the bot stops. From then on each of its effects throws
 * `AttemptOver`, so that a handler that runs on changes nothing. A lost lane does not end it: the store notices that at
 * the next fenced effect, or at the settlement.
 */
export interface AttemptClock {
  readonly signal: AbortSignal
  /** Rejects when the attempt ends. */
  readonly over: Promise<never>
  /** @throws AttemptOver */
  check(): void
  /** Waiting inside a reply does not count towards the deadline. */
  paused<T>(waiting: () => Promise<T>): Promise<T>
  /** The handlers have returned and their effects have ended: the deadline no longer matters. */
  finish(): void
  isFinished(): boolean
}

/** @param stopping aborted when the bot stops, which ends every attempt. */
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
  // If nobody races against `over`, its rejection is not an unhandled one.
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
    check() {
      if (controller.signal.aborted) throw controller.signal.reason
      if (finished) throw new AttemptOver('it has ended')
    },
    async paused(waiting) {
      if (waits++ === 0) {
        cancel()
        // A clock that goes back gives no time: otherwise a handler that hangs would keep its lane so much longer.
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

/**
 * The effects of one attempt, such as its replies. A handler may start an effect without awaiting it. The attempt still
 * waits for the effect, and if it failed unseen, the attempt fails with it.
 */
export class Effects {
  readonly #begun: { readonly promise: Effect<unknown>; readonly settled: Promise<{ error?: unknown }> }[] = []

  begin<T>(run: () => Promise<T>): Promise<T> {
    const work = run()
    const promise = new Effect<T>((resolve, reject) => {
      work.then(resolve, reject)
    })
    const settled = work.then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    promise.markHandled()
    this.#begun.push({ promise, settled })
    return promise
  }

  /** Resolves when all effects have ended; rejects with the first error that no handler has seen, each error once. */
  async ended(): Promise<void> {
    for (let effect = this.#begun.shift(); effect; effect = this.#begun.shift()) {
      const outcome = await effect.settled
      if ('error' in outcome && !effect.promise.seen) throw outcome.error
    }
  }
}

/** A promise that knows whether anybody awaited it. */
class Effect<T> extends Promise<T> {
  seen = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.seen = true
    return super.then(onFulfilled, onRejected)
  }

  /** Prevents an unhandled rejection without counting as seen. */
  markHandled(): void {
    super.then(undefined, () => {})
  }
}
