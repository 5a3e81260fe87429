import { afterThisTurn, type Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'

const AFTER_FAILURE_MS = 1_000

interface PollingDeps {
  /** Returns the milliseconds until the next poll. */
  poll(): Promise<number>
  /** The line to log if a poll fails, once per outage: a full disk stays full for hours, and the log may be on it. */
  readonly failure: string
  readonly timers: Timers
  readonly log: Log
}

/**
 * Polls the store for work, in one of these modes:
 *
 * - RESTING: no poll is under way. The next begins by a wake-up or by a timer.
 * - POLLING: a poll is under way.
 * - POLLING AGAIN: a poll is under way, and another follows, because it may have missed what was reported meanwhile.
 * - STOPPED: no poll begins any more.
 */
export class Polling {
  readonly #o: PollingDeps
  #mode: 'resting' | 'polling' | 'polling again' | 'stopped' = 'resting'
  #lastPoll = Promise.resolve()
  #cancelTimer = () => {}
  #hasFailed = false

  constructor(o: PollingDeps) {
    this.#o = o
  }

  get isStopped(): boolean {
    return this.#mode === 'stopped'
  }

  wake(): void {
    if (this.#mode === 'polling') this.#mode = 'polling again'
    if (this.#mode !== 'resting') return
    this.#mode = 'polling'
    this.#lastPoll = this.#pollUntilQuiet()
  }

  /** Resolves when the last poll has ended. */
  stop(): Promise<void> {
    this.#mode = 'stopped'
    this.#cancelTimer()
    return this.#lastPoll
  }

  async #pollUntilQuiet(): Promise<void> {
    this.#cancelTimer()
    let restMs = AFTER_FAILURE_MS
    try {
      do {
        // Wait for the end of this turn: if the commit that woke this poll ended a lane's work, the lane continues in
        // this turn, or frees its room.
        await afterThisTurn()
        this.#change('polling again', 'polling')
        restMs = await this.#o.poll()
        this.#hasFailed = false
      } while (this.#mode === 'polling again')
    } catch (error) {
      if (!this.#hasFailed) this.#o.log.error({ err: error }, this.#o.failure)
      this.#hasFailed = true
      restMs = AFTER_FAILURE_MS
    }
    if (this.isStopped) return
    this.#mode = 'resting'
    this.#cancelTimer = this.#o.timers.after(restMs, () => this.wake())
  }

  #change(from: 'polling again', to: 'polling'): void {
    if (this.#mode === from) this.#mode = to
  }
}
