import type { ServiceEvent } from './event.ts'

const DAY_MS = 24 * 3_600_000

/** How long the dashboard shows attempts and events, by the emulator's clock (DEL-13). */
export const ATTEMPTS_KEPT_MS = 7 * DAY_MS
export const EVENTS_KEPT_MS = 30 * DAY_MS

/** An event as the dashboard's log keeps it, whether or not there was a subscription. */
export interface LoggedEvent extends ServiceEvent {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly deliveryIds: readonly string[]
}

export type EventLog = ReturnType<typeof createEventLog>

export function createEventLog(now: () => number) {
  const events: LoggedEvent[] = []
  return {
    add: (event: LoggedEvent) => void events.push(event),
    /** The events of the last 30 days, oldest first (DEL-13). */
    list: (): readonly LoggedEvent[] => events.filter(({ at }) => now() - at <= EVENTS_KEPT_MS),
  }
}
