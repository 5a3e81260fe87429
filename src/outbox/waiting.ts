import type { Clock, Timers } from '../base/clock.ts'
import type { ApiError } from '../client/index.ts'
import type { SendRow, Store } from '../stores/port/index.ts'
import { isGoingOut } from '../stores/rules/sends.ts'

/** The attempt that ended a send, as this process saw it. */
export interface SettledAttempt {
  readonly replayed: boolean
  readonly error: ApiError | undefined
  /** The row as the acceptance leaves it, which is told before it is written: see `createSendWorker`. */
  readonly accepted?: SendRow
}

/** Callers in this process that wait for settlements. */
export interface Waiting {
  settle(id: string, settled: SettledAttempt): void
  /** Resolves when this process settles that send; with undefined if another one did, or nobody did in time. */
  settled(id: string): Promise<SettledAttempt | undefined>
}

/** How long a caller waits for an answer before the outbox goes on without it. */
const WAIT_MS = 30_000
/** Another process may settle the send, and only the table shows that. */
const LOOK_EVERY_MS = 1_000

export function createWaiting(deps: { store: Store; clock: Clock; timers: Timers }): Waiting {
  const { store, clock, timers } = deps
  const waiting = new Map<string, Set<(settled: SettledAttempt | undefined) => void>>()

  async function isOver(id: string, until: number): Promise<boolean> {
    const row = await store.findSend({ id })
    return clock.wall() >= until || (row !== undefined && !isGoingOut(row.state))
  }

  return {
    settle(id, settled) {
      for (const done of waiting.get(id) ?? []) done(settled)
    },
    settled: (id) =>
      new Promise((resolve) => {
        const until = clock.wall() + WAIT_MS
        const callers = waiting.get(id) ?? new Set()
        waiting.set(id, callers)
        let cancel = () => {}
        const done = (settled: SettledAttempt | undefined) => {
          cancel()
          callers.delete(done)
          if (callers.size === 0) waiting.delete(id)
          resolve(settled)
        }
        const lookLater = () => {
          cancel = timers.after(LOOK_EVERY_MS, look)
        }
        const look = () => {
          // What cannot be read now is looked for again.
          void isOver(id, until).then((over) => (over ? done(undefined) : callers.has(done) && lookLater()), lookLater)
        }
        callers.add(done)
        lookLater()
      }),
  }
}
