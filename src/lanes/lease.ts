import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Fence, Store } from '../stores/port/index.ts'
import { LEASE_MS } from './runner.ts'

const RENEW_EVERY_MS = 3_000

/**
 * Keeps the lanes that this process has in hand: short leases, renewed often, so that a killed process hands its
 * lanes over soon and a long handler keeps its own. The answer stops the renewing.
 */
export function keepLeases(o: {
  store: Store
  holding: () => readonly Fence[]
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
      .renew(o.holding(), o.clock.wall(), LEASE_MS)
      .then(
        () => {
          failing = false
        },
        (error: unknown) => {
          // Once in a row: a disk that is full is full for hours.
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
