import { afterThisTurn, type Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'

const AFTER_FAILURE_MS = 1_000

interface PollingDeps {
  /** Returns for how many milliseconds to rest then. */
  look(): Promise<number>
  /** Logged once per outage: a full disk stays full for hours, and the log may be on it too. */
  readonly failure: string
  readonly timers: Timers
  readonly log: Log
}

/**
 * Looks for work in the store, in one of these modes:
 *
 * - RESTING: no look is under way. The next begins by a wake-up or by a timer.
 * - LOOKING: a look is under way.
 * - LOOKING AGAIN: a look is under way, and another follows, because it may have missed what was reported meanwhile.
 * - STOPPED: no look begins any more.
 */
export class Polling {
  readonly #o: PollingDeps
  #mode: 'resting' | 'looking' | 'looking again' | 'stopped' = 'resting'
  #looking = Promise.resolve()
  #cancelTimer = () => {}
  #hasFailed = false

  constructor(o: PollingDeps) {
    this.#o = o
  }

  get isStopped(): boolean {
    return this.#mode === 'stopped'
  }

  wake(): void {
    if (this.#mode === 'looking') this.#mode = 'looking again'
    if (this.#mode !== 'resting') return
    this.#mode = 'looking'
    this.#looking = this.#lookUntilQuiet()
  }

  /** Resolves when the last look has ended. */
  stop(): Promise<void> {
    this.#mode = 'stopped'
    this.#cancelTimer()
    return this.#looking
  }

  async #lookUntilQuiet(): Promise<void> {
    this.#cancelTimer()
    let restMs = AFTER_FAILURE_MS
    try {
      do {
        // The commit that released a lane may have called this: its task is notified in this turn.
        await afterThisTurn()
        this.#change('looking again', 'looking')
        restMs = await this.#o.look()
        this.#hasFailed = false
      } while (this.#mode === 'looking again')
    } catch (error) {
      if (!this.#hasFailed) this.#o.log.error({ err: error }, this.#o.failure)
      this.#hasFailed = true
      restMs = AFTER_FAILURE_MS
    }
    if (this.isStopped) return
    this.#mode = 'resting'
    this.#cancelTimer = this.#o.timers.after(restMs, () => this.wake())
  }

  #change(from: 'looking again', to: 'looking'): void {
    if (this.#mode === from) this.#mode = to
  }
}
