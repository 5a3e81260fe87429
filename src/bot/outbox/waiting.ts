import { type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { ApiError } from '../../client/client.ts'
import type { Store } from '../../store/store.ts'
import { isGoingOut } from '../../store/outbox/send-rules.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { AttemptResult } from './outcome.ts'

/** What a caller gets: the row of the send when it has ended, or when the caller has waited long enough. */
export interface SendEnd {
  readonly row: SendRow
  /** Undefined unless this process settled the send. */
  readonly answer?: { readonly replayed: boolean; readonly error: ApiError | undefined } | undefined
}

export type Waiting = ReturnType<typeof createWaiting>

/** How long a caller waits for an answer before the outbox continues without it. */
const WAIT_MS = 30_000
/** Other processes assume for this long that a caller waits. The caller's last query may come after its wait. */
export const AWAITED_MS = WAIT_MS + 5_000
/** How often the table is read while a caller waits: another process may settle the send. */
const POLL_EVERY_MS = 1_000

export function createWaiting({ store, clock, timers }: { store: Store; clock: Clock; timers: Timers }) {
  const waiting = new Map<string, Set<(end: SendEnd) => void>>()

  return {
    isAwaited: (id: string) => waiting.has(id),
    /** Call this when the end of a send is known: for an acceptance already before its commit (see `SendWorker`). */
    ended(row: SendRow, result: AttemptResult | undefined) {
      const replayed = result !== undefined && 'message' in result && result.replayed
      const error = result !== undefined && 'error' in result ? result.error : undefined
      for (const tell of waiting.get(row.id) ?? []) tell({ row, answer: { replayed, error } })
    },
    /** @param o.begins true if the send begins now, so that it cannot have ended. */
    async endOf(send: SendRow, { begins } = { begins: false }): Promise<SendEnd> {
      const { id } = send
      const until = clock.monotonic() + WAIT_MS
      const ended = Promise.withResolvers<SendEnd>()
      const callers = waiting.get(id) ?? new Set()
      waiting.set(id, callers.add(ended.resolve))
      let end: SendEnd | undefined
      try {
        for (let looks = !begins; !end; looks = true) {
          const row = looks ? await store.findSend({ id }) : undefined
          // The send had ended before, or another process has settled it.
          if (clock.monotonic() >= until || (row && !isGoingOut(row.state))) break
          if (await endsWithin(POLL_EVERY_MS, timers, ended.promise)) end = await ended.promise
        }
      } finally {
        callers.delete(ended.resolve)
        if (callers.size === 0) waiting.delete(id)
      }
      if (end?.row.settledAt !== undefined) return end
      // This commit ends the wait. It returns a failure that came before it. `onSendFailed` gets a later one.
      return { ...end, row: (await store.stopAwaiting(id)) ?? send }
    },
  }
}
