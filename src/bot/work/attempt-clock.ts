import type { Timers } from '../../base/clock.ts'
import { AttemptOver } from '../outbox/send.ts'
import { optionsInvalid, reasonOf } from '../../base/errors.ts'
import { changedByJson } from './json-value.ts'

export interface StopOrder {
  given: boolean
  end: () => void
}

/**
 * The deadline of one attempt. After it, or when the bot stops, each effect throws `AttemptOver`. If only the item was
 * freed, the attempt continues until its next effect under the fence.
 */
export class AttemptClock {
  readonly #deadlineMs: number
  readonly #timers: Timers
  readonly #now: () => number
  #left: number
  #waits = 0
  #finished = false
  #over: AttemptOver | undefined
  #controller: AbortController | undefined
  /** The deadline's timer. */
  #timer: { readonly cancel: () => void; readonly since: number }
  readonly #racing: ((over: AttemptOver) => void)[] = []

  constructor(deadlineMs: number, timers: Timers, now: () => number, stop: StopOrder) {
    this.#deadlineMs = deadlineMs
    this.#timers = timers
    this.#now = now
    this.#left = deadlineMs
    this.#timer = this.#arm()
    stop.end = () => this.#end('the bot stops')
    if (stop.given) stop.end()
  }

  /** Made when first needed, because a signal is expensive. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#over) this.#controller.abort(this.#over)
    }
    return this.#controller.signal
  }

  isOver(): boolean {
    return this.#over !== undefined
  }

  isFinished(): boolean {
    return this.#finished
  }

  /** @throws AttemptOver */
  check(): void {
    if (this.#over) throw this.#over
    if (this.#finished) throw new AttemptOver('it has ended')
  }

  /** Settles like the work, or rejects when the attempt ends first. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      if (this.#over) reject(this.#over)
      else this.#racing.push(reject)
    })
  }

  /** Time in `waiting` does not count towards the deadline. @throws AttemptOver */
  async paused<T>(waiting: () => Promise<T>): Promise<T> {
    this.check()
    if (this.#waits++ === 0) {
      const { cancel, since } = this.#timer
      cancel()
      // If the clock went back, a handler that hangs must not get more time.
      this.#left = Math.max(0, this.#left - Math.max(0, this.#now() - since))
    }
    try {
      return await waiting()
    } finally {
      if (--this.#waits === 0 && !this.#finished && !this.#over) this.#timer = this.#arm()
    }
  }

  /** Call this when the handlers and their effects have ended. */
  finish(): void {
    this.#finished = true
    this.#timer.cancel()
  }

  #arm() {
    const end = () => this.#end(`its deadline of ${this.#deadlineMs} ms has passed`)
    return { since: this.#now(), cancel: this.#timers.after(this.#left, end) }
  }

  #end(why: string): void {
    if (this.#over) return
    this.#over = new AttemptOver(why)
    this.#timer.cancel()
    this.#controller?.abort(this.#over)
    for (const reject of this.#racing) reject(this.#over)
  }
}

/** The effects of one attempt, which also waits for those that no handler awaits, and fails with them. */
export class Effects {
  readonly #begun: Effect<unknown>[] = []

  begin<T>(run: () => Promise<T>): Promise<T> {
    const effect = new Effect<T>((resolve, reject) => void run().then(resolve, reject))
    this.#begun.push(effect)
    return effect
  }

  /** Resolves when all effects have ended; rejects with the first error that no handler has seen, each error once. */
  async ended(): Promise<void> {
    for (let effect = this.#begun.shift(); effect; effect = this.#begun.shift()) {
      const failed = await effect.ended
      if (failed && !effect.seen) throw failed.error
    }
  }
}

class Effect<T> extends Promise<T> {
  seen = false
  /** Made by `super.then`, so `seen` stays false. That it exists prevents an unhandled rejection. */
  readonly ended: Promise<{ error: unknown } | undefined> = super.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )

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
}

/** Packs a result in a list, because `undefined` has no JSON. @throws SwitchhookError `options_invalid` */
export function packResult(name: string, result: unknown): string {
  const refuse = (why: string, cause?: unknown) =>
    optionsInvalid(
      `once(): the result of "${name}" cannot be stored as JSON: ${why}. Return only what you need, such as an id. The function has run and is not repeated automatically`,
      { cause },
    )
  const [changed] = changedByJson(result)
  if (changed) throw refuse(`${changed.path || 'it'} is ${changed.what}, which JSON would change`)
  try {
    return JSON.stringify(result === undefined ? [] : [result])
  } catch (error) {
    throw refuse(reasonOf(error), error)
  }
}

export function unpackResult(packed: string): unknown {
  return (JSON.parse(packed) as unknown[])[0]
}
