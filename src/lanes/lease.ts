import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { MaybeAsync } from '../base/value.ts'
import type { Fence } from '../stores/port/index.ts'
import type { Store } from '../stores/operations/store.ts'

export interface Lease {
  readonly fence: Fence
  /**
   * The time before which nobody else takes the lane, by the monotonic clock: counted from the asking, however late the
   * answer came.
   */
  until: number
}

export const LEASE_MS = 10_000
const RENEW_EVERY_MS = 3_000
/** Work begins only on a lease that lasts longer than this, so that the next renewal comes before its end. */
const NEARLY_OVER_MS = 5_000

/** @param askedAt the time at which the lane was asked for, by the monotonic clock. */
export function leaseOf(fence: Fence, askedAt: number): Lease {
  return { fence, until: askedAt + LEASE_MS }
}

interface Renewing {
  readonly store: Pick<Store, 'renew'>
  readonly clock: Clock
}

async function renew(leases: readonly Lease[], { store, clock }: Renewing): Promise<void> {
  const askedAt = clock.monotonic()
  const fences = leases.map(({ fence }) => fence)
  const lost = new Set(await store.renew(fences, () => clock.wall(), LEASE_MS))
  for (const lease of leases) lease.until = lost.has(lease.fence) ? -Infinity : askedAt + LEASE_MS
}

export function isFresh({ until }: Lease, { clock }: Pick<Renewing, 'clock'>): boolean {
  return until - clock.monotonic() > NEARLY_OVER_MS
}

/** Renews a lease that is nearly over, or over, before work begins; the answer is false if another has the lane. */
export function freshen(lease: Lease, o: Renewing): MaybeAsync<boolean> {
  return isFresh(lease, o) || renewUntilFresh(lease, o)
}

async function renewUntilFresh(lease: Lease, o: Renewing): Promise<boolean> {
  while (!isFresh(lease, o)) {
    await renew([lease], o)
    if (lease.until === -Infinity) return false
  }
  return true
}

/**
 * Renews the leases of this process: they are short, so that a killed process loses its lanes soon, and renewed often,
 * so that a long handler keeps its lane. Returns a function that stops the renewing.
 */
export function keepLeases(
  o: Renewing & { heldLeases: () => readonly Lease[]; readonly timers: Timers; readonly log: Log },
): () => void {
  let cancel = () => {}
  let stopped = false
  let failing = false
  /** A renewal that took long, or was refused after long, is followed by the next at once. */
  const next = (passedMs: number) => {
    cancel = o.timers.after(Math.max(0, RENEW_EVERY_MS - passedMs), renewAll)
  }
  const renewAll = () => {
    const askedAt = o.clock.monotonic()
    renew(o.heldLeases(), o)
      .then(
        () => {
          failing = false
        },
        (error: unknown) => {
          // Logged once per outage: a full disk stays full for hours.
          if (!failing) o.log.warn({ err: error }, 'leases were not renewed; it is tried again')
          failing = true
        },
      )
      .finally(() => {
        if (!stopped) next(o.clock.monotonic() - askedAt)
      })
  }
  next(0)
  return () => {
    stopped = true
    cancel()
  }
}
