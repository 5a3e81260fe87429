import { type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { ApiError } from '../../client/client.ts'
import type { Store } from '../../store/store.ts'
import { isGoingOut } from '../../store/rules/sends.ts'
import type { SendRow } from '../../store/tables/outbox-tables.ts'

export interface SettledAttempt {
  readonly replayed: boolean
  readonly error: ApiError | undefined
  /** The row after the acceptance. Callers get it before it is written: see `SendWorker`. */
  readonly accepted?: SendRow
}

export type Waiting = ReturnType<typeof createWaiting>

/** How long a caller waits for an answer before the outbox continues without it. */
const WAIT_MS = 30_000
/** The longest wait of a caller in another process, so that it finds an end that arrives in its last moment. */
export const AWAITED_MS = WAIT_MS + 5_000
/** How often the table is read while a caller waits: another process may settle the send. */
const POLL_EVERY_MS = 1_000

export function createWaiting({ store, clock, timers }: { store: Store; clock: Clock; timers: Timers }) {
  const waiting = new Map<string, Set<(settled: SettledAttempt) => void>>()

  return {
    isAwaited: (id: string) => waiting.has(id),
    settle(id: string, settled: SettledAttempt) {
      for (const tell of waiting.get(id) ?? []) tell(settled)
    },
    /**
     * Resolves when this process settles that send. Resolves with undefined if it has ended already, if another process
     * settled it, or if nobody did in time.
     *
     * @param o.begins the send begins now, so that it has no end yet.
     */
    async settled(id: string, { begins } = { begins: false }): Promise<SettledAttempt | undefined> {
      const until = clock.monotonic() + WAIT_MS
      const settled = Promise.withResolvers<SettledAttempt>()
      const callers = waiting.get(id) ?? new Set()
      waiting.set(id, callers.add(settled.resolve))
      try {
        // Query the store first, unless this call begins the send: the send may have ended, and its end may have been
        // reported, before this caller arrived.
        for (let looks = !begins; ; looks = true) {
          const row = looks ? await store.findSend({ id }) : undefined
          if (clock.monotonic() >= until || (row && !isGoingOut(row.state))) return undefined
          if (await endsWithin(POLL_EVERY_MS, timers, settled.promise)) return await settled.promise
        }
      } finally {
        callers.delete(settled.resolve)
        if (callers.size === 0) waiting.delete(id)
      }
    },
  }
}
