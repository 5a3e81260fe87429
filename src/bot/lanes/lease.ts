import type { Clock, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { Store } from '../../store/store.ts'
import type { Others } from '../../store/types/types.ts'

/**
 * The lease of this process, under which its items and sends run. It is short, so that a killed process loses its work soon,
 * and renewed often. A process that another one has declared dead has lost its work, and continues under another name.
 */
export interface ProcessLease {
  /** The name of this process in the store. */
  readonly name: string
  /** Work that begins under this name has time until the next renewal. */
  isFresh(): boolean
  /** Renews a lease that is nearly over, or over, before work begins. False if what ran under `name` is lost. */
  freshen(name: string): MaybeAsync<boolean>
  /** The store has said that this process was declared dead. */
  lost(name: string): void
  /** Begins to renew; the answer stops that. */
  keep(): () => void
  readonly others: Others | undefined
  /** The clock of another process may be behind this one: what this clock says is over need not be. */
  mayBeAhead(): boolean
}

export const LEASE_MS = 10_000
const RENEW_EVERY_MS = 3_000
/** Work begins only on a lease that lasts longer than this, so that the next renewal comes before its end. */
const NEARLY_OVER_MS = 5_000
const MUCH_MS = 60_000

export function createLease(o: {
  readonly store: Pick<Store, 'renew' | 'timeOfDay' | 'clockWentBack'>
  readonly name: string
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** Called once. */
  readonly clockAhead?: () => void
}): ProcessLease {
  let generation = 0
  let told = false
  const others: Others | undefined = o.store.timeOfDay && { lapsed: new Map(), ahead: o.store.clockWentBack }
  /** Nobody else takes the work before this monotonic time. */
  let until = -Infinity

  const current = () => (generation === 0 ? o.name : `${o.name}.${generation}`)
  const isFresh = () => until - o.clock.monotonic() > NEARLY_OVER_MS

  function lost(name: string): void {
    if (name !== current()) return
    generation++
    until = -Infinity
    o.log.warn({}, 'this process stood still for longer than its lease: others handle what it had begun')
  }

  async function renew(): Promise<void> {
    const name = current()
    const askedAt = o.clock.monotonic()
    if (await o.store.renew(name, () => o.clock.wall(), LEASE_MS, others))
      until = name === current() ? askedAt + LEASE_MS : until
    else lost(name)
  }

  async function renewUntilFresh(name: string): Promise<boolean> {
    while (name === current() && !isFresh()) await renew()
    return name === current()
  }

  function tellOfClocks(): void {
    const isBehind = others?.ahead === true || o.clock.behind() > MUCH_MS
    const isAhead = [...(others?.lapsed.values() ?? [])].some(
      ({ isRenewed, until }) => isRenewed && o.clock.wall() - until > MUCH_MS,
    )
    if (told || !(isBehind || isAhead)) return
    told = true
    o.clockAhead?.()
  }

  function keep(): () => void {
    let cancel = () => {}
    let stopped = false
    let failing = false
    const next = (passedMs: number) => {
      cancel = o.timers.after(Math.max(0, RENEW_EVERY_MS - passedMs), renewAgain)
    }
    const renewAgain = () => {
      const askedAt = o.clock.monotonic()
      renew()
        .then(
          () => {
            failing = false
          },
          (error: unknown) => {
            // Logged once per outage: a full disk stays full for hours.
            if (!failing) o.log.warn({ err: error }, 'the lease of this process was not renewed; it is tried again')
            failing = true
          },
        )
        .finally(() => {
          tellOfClocks()
          if (!stopped) next(o.clock.monotonic() - askedAt)
        })
    }
    next(0)
    return () => {
      stopped = true
      cancel()
    }
  }

  return {
    get name() {
      return current()
    },
    isFresh,
    freshen: (name) => (name === current() && isFresh()) || renewUntilFresh(name),
    lost,
    keep,
    others,
    mayBeAhead: () => (others?.lapsed.size ?? 0) > 0,
  }
}
