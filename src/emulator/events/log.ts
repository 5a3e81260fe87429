import { z } from 'zod'
import { moment } from '../model/clock.ts'
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

export const savedEventSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  customer: z.string().nullable(),
  body: z.base64(),
  at: moment,
  deliveryIds: z.array(z.string()),
})

type SavedEvent = z.infer<typeof savedEventSchema>

/** The events of the last 30 days (DEL-13). */
export interface EventLog {
  add(event: LoggedEvent): void
  /** Oldest first. */
  list(): readonly LoggedEvent[]
  save(): readonly SavedEvent[]
  /** The rows of all events, as `changed` is given them; they sort in the order of the events, even within a millisecond. */
  rows(): readonly string[]
  saveOne(row: string): SavedEvent | undefined
}

/** `changed` is called with the row of each event that is new or forgotten. */
export function createEventLog(
  now: () => number,
  changed: (row: string) => void,
  saved: readonly SavedEvent[] = [],
): EventLog {
  let count = 0
  const nextRow = () => String(count++).padStart(12, '0')
  const events = new Map(saved.map((one) => [nextRow(), restoreEvent(one)]))
  let prunedAt = now()
  const prune = () => {
    prunedAt = now()
    for (const [row, { at }] of events) if (prunedAt - at > EVENTS_KEPT_MS && events.delete(row)) changed(row)
  }
  const list = () => {
    prune()
    return [...events.values()]
  }
  return {
    add(event) {
      if (Math.abs(now() - prunedAt) >= PRUNE_EVERY_MS) prune()
      const row = nextRow()
      events.set(row, event)
      changed(row)
    },
    list,
    save: () => list().map(saveEvent),
    rows: () => [...events.keys()],
    saveOne(row) {
      const event = events.get(row)
      return event && saveEvent(event)
    },
  }
}

function saveEvent({ id, name, customer, body, at, deliveryIds }: LoggedEvent): SavedEvent {
  return { id, name, customer: customer ?? null, body: body.toString('base64'), at, deliveryIds: [...deliveryIds] }
}

function restoreEvent({ customer, body, ...rest }: SavedEvent): LoggedEvent {
  return { ...rest, customer: customer ?? undefined, body: Buffer.from(body, 'base64') }
}
