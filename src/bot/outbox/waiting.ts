import { type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { ApiError } from '../../client/client.ts'
import type { Store } from '../../store/store.ts'
import { isGoingOut } from '../../store/outbox/send-rules.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'

export interface AwaitedEnd {
  readonly replayed: boolean
  readonly error: ApiError | undefined
  /** The row as the acceptance makes it. Callers get it before it is committed: see `SendWorker`. */
  readonly accepted?: SendRow
}

export type Waiting = ReturnType<typeof createWaiting>

/** How long a caller waits for an answer before the outbox continues without it. */
const WAIT_MS = 30_000
/** Other processes assume for this long that a caller waits. The caller's last query may come after its wait. */
export const AWAITED_MS = WAIT_MS + 5_000
/** How often the table is read while a caller waits: another process may settle the send. */
const POLL_EVERY_MS = 1_000

export function createWaiting({ store, clock, timers }: { store: Store; clock: Clock; timers: Timers }) {
  const waiting = new Map<string, Set<(settled: AwaitedEnd) => void>>()

  return {
    isAwaited: (id: string) => waiting.has(id),
    settle(id: string, settled: AwaitedEnd) {
      for (const tell of waiting.get(id) ?? []) tell(settled)
    },
    /**
     * Waits until this process settles the send. Resolves with undefined if it had ended before, if another process
     * settled it, or after 30 s.
     *
     * @param o.begins true if the send begins now, so that it cannot have ended.
     */
    async settled(id: string, { begins } = { begins: false }): Promise<AwaitedEnd | undefined> {
      const until = clock.monotonic() + WAIT_MS
      const settled = Promise.withResolvers<AwaitedEnd>()
      const callers = waiting.get(id) ?? new Set()
      waiting.set(id, callers.add(settled.resolve))
      try {
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
