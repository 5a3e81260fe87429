import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../stores/port/index.ts'
import { pruning } from './pruning.ts'

export interface MaintenanceDeps {
  readonly store: Store
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** Milliseconds after which a settled delivery loses its bytes, and after which it goes altogether. */
  readonly retention: { readonly bytesMs: number; readonly idsMs: number }
}

export interface Maintenance {
  /** Begins nothing more, and resolves when what it began has ended. */
  stop(): Promise<void>
}

const PRUNE_EVERY_MS = 3_600_000
/** Where a reader kept the log from being cut, what was removed is still in it: that is tried again sooner. */
const CUT_AGAIN_MS = 60_000
/** A log of this size says that somebody has been reading for long. */
const LARGE_LOG_BYTES = 67_108_864

/**
 * Keeps the store small: prunes by retention at start and every hour, and then takes what was removed out of the
 * files. Several processes may do so at once: each transaction sees what is left to do.
 */
export function createMaintenance({ store, clock, timers, log, retention }: MaintenanceDeps): Maintenance {
  let stopped = false
  let cancel = () => {}
  let inHand = Promise.resolve()
  let pruneAt = 0

  async function keep(): Promise<void> {
    let whole = false
    try {
      if (clock.wall() >= pruneAt || pruneAt - clock.wall() > PRUNE_EVERY_MS) await pruneAll()
      if (!stopped) whole = await tidy()
    } catch (error) {
      log.warn({ err: error }, 'the upkeep of the database failed; it is tried again')
    }
    if (!stopped) cancel = timers.after(whole ? Math.max(0, pruneAt - clock.wall()) : CUT_AGAIN_MS, begin)
  }

  async function pruneAll(): Promise<void> {
    const now = clock.wall()
    const ages = { bytesBefore: now - retention.bytesMs, idsBefore: now - retention.idsMs, now }
    let [wiped, removed] = [0, 0]
    for await (const pruned of pruning(store, ages)) {
      wiped += pruned.wiped
      removed += pruned.removed
      if (stopped && pruned.next) return
    }
    pruneAt = now + PRUNE_EVERY_MS
    if (wiped + removed > 0) log.debug({ wiped, removed }, 'pruned by retention')
  }

  async function tidy(): Promise<boolean> {
    const { whole, logBytes } = await store.compact()
    if (!whole && logBytes >= LARGE_LOG_BYTES)
      log.warn({ logBytes }, 'the log of the database cannot be cut: something has been reading it for long')
    return whole
  }

  function begin(): void {
    inHand = keep()
  }

  begin()
  return {
    stop() {
      stopped = true
      cancel()
      return inHand
    },
  }
}
