import type { Clock, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { Store } from '../../store/store.ts'
import { LEASE_MS, type Others } from '../../store/work/lanes.ts'

const RENEW_EVERY_MS = 3_000
/** Work begins only on a lease that lasts longer than this, so that the next renewal comes before its end. */
const NEARLY_OVER_MS = 5_000
const MUCH_MS = 60_000

interface LeaseDeps {
  readonly store: Pick<Store, 'renew' | 'timeOfDay' | 'clockWentBack'>
  readonly name: string
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** Called once, when the clock is found to be ahead. */
  readonly clockAhead?: () => void
}

/**
 * The lease of this process. A process that was declared dead has lost its items and sends. It begins other work under
 * a new name.
 */
export class ProcessLease {
  readonly #o: LeaseDeps
  /** How often this process was declared dead. */
  #deaths = 0
  #isReported = false
  readonly others: Others | undefined
  /** The monotonic time before which no other process can take this process's work. */
  #until = -Infinity

  constructor(o: LeaseDeps) {
    this.#o = o
    this.others = this.#o.store.timeOfDay && { lapsed: new Map(), ahead: this.#o.store.clockWentBack }
  }

  /** The name of this process in the store. */
  get name(): string {
    return this.#deaths === 0 ? this.#o.name : `${this.#o.name}.${this.#deaths}`
  }

  /** True if the lease lasts until its next renewal, so work may begin. */
  isFresh(): boolean {
    return this.#until - this.#o.clock.monotonic() > NEARLY_OVER_MS
  }

  /** Renews the lease unless it is fresh. Returns false if the process lost its work under `name`. */
  freshen(name: string): MaybeAsync<boolean> {
    return (name === this.name && this.isFresh()) || this.#renewUntilFresh(name)
  }

  /** Call this when the store reports that this process was declared dead. */
  wasDeclaredDead(name: string): void {
    if (name !== this.name) return
    this.#deaths++
    this.#until = -Infinity
    this.#o.log.warn({}, 'this process stood still for longer than its lease: others handle what it had begun')
  }

  /** Starts renewing. Call the returned function to stop. */
  keep(): () => void {
    let cancel = () => {}
    let stopped = false
    let failing = false
    const next = (passedMs: number) => {
      cancel = this.#o.timers.after(Math.max(0, RENEW_EVERY_MS - passedMs), renewAgain)
    }
    const renewAgain = () => {
      const askedAt = this.#o.clock.monotonic()
      this.#renew()
        .then(
          () => {
            failing = false
          },
          (error: unknown) => {
            // Logged once per outage: a full disk stays full for hours.
            if (!failing)
              this.#o.log.warn({ err: error }, 'the lease of this process was not renewed; it is tried again')
            failing = true
          },
        )
        .finally(() => {
          this.#reportClocks()
          if (!stopped) next(this.#o.clock.monotonic() - askedAt)
        })
    }
    next(0)
    return () => {
      stopped = true
      cancel()
    }
  }

  /** True if this clock may be ahead: by it another process's lease has expired, but that process still renews it. */
  mayBeAhead(): boolean {
    return (this.others?.lapsed.size ?? 0) > 0
  }

  async #renew(): Promise<void> {
    const name = this.name
    const askedAt = this.#o.clock.monotonic()
    if (await this.#o.store.renew(name, () => this.#o.clock.wall(), LEASE_MS, this.others))
      this.#until = name === this.name ? askedAt + LEASE_MS : this.#until
    else this.wasDeclaredDead(name)
  }

  async #renewUntilFresh(name: string): Promise<boolean> {
    while (name === this.name && !this.isFresh()) await this.#renew()
    return name === this.name
  }

  #reportClocks(): void {
    const isBehind = this.others?.ahead === true || this.#o.clock.behind() > MUCH_MS
    const isAhead = [...(this.others?.lapsed.values() ?? [])].some(
      ({ isRenewed, until }) => isRenewed && this.#o.clock.wall() - until > MUCH_MS,
    )
    if (this.#isReported || !(isBehind || isAhead)) return
    this.#isReported = true
    this.#o.clockAhead?.()
  }
}
