import type { ServiceEvent } from './event.ts'

const DAY_MS = 24 * 3_600_000

/** How long the dashboard shows attempts and events, by the emulator's clock (DEL-13). */
export const ATTEMPTS_KEPT_MS = 7 * DAY_MS
export const EVENTS_KEPT_MS = 30 * DAY_MS

/** How often old entries are looked for if nobody reads; each reading looks for them too. */
export const PRUNE_EVERY_MS = 60_000

/** An event as the dashboard's log keeps it, whether or not there was a subscription. */
interface LoggedEvent extends ServiceEvent {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly deliveryIds: readonly string[]
}

/** The events of the last 30 days (DEL-13). */
export interface EventLog {
  add(event: LoggedEvent): void
  /** Oldest first. */
  list(): readonly LoggedEvent[]
}

export function createEventLog(now: () => number): EventLog {
  let events: LoggedEvent[] = []
  let prunedAt = now()
  const prune = () => {
    prunedAt = now()
    events = events.filter(({ at }) => prunedAt - at <= EVENTS_KEPT_MS)
  }
  return {
    add(event) {
      if (Math.abs(now() - prunedAt) >= PRUNE_EVERY_MS) prune()
      events.push(event)
    },
    list() {
      prune()
      return [...events]
    },
  }
}
