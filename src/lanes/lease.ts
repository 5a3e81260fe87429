import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Fence, Store } from '../stores/port/index.ts'
import { LEASE_MS } from './runner.ts'

const RENEW_EVERY_MS = 3_000

/**
 * Renews the leases of this process: they are short, so that a killed process loses its lanes soon, and renewed often,
 * so that a long handler keeps its lane. Returns a function that stops the renewing.
 */
export function keepLeases(o: {
  store: Store
  heldLeases: () => readonly Fence[]
  clock: Clock
  timers: Timers
  log: Log
}): () => void {
  let cancel = () => {}
  let stopped = false
  let failing = false
  const next = () => {
    cancel = o.timers.after(RENEW_EVERY_MS, renew)
  }
  const renew = () => {
    o.store
      .renew(o.heldLeases(), () => o.clock.wall(), LEASE_MS)
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
        if (!stopped) next()
      })
  }
  next()
  return () => {
    stopped = true
    cancel()
  }
}
