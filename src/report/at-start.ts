import type { Log } from '../base/log.ts'
import { EVENTS } from '../contract/index.ts'
import type { Restored } from '../stores/port/index.ts'

/** Said once at start: what the app waits for may never come. */
export function tellOfDeclaredEvents(log: Log, events: readonly string[]): void {
  for (const event of events)
    if (Object.hasOwn(EVENTS, event) && EVENTS[event as keyof typeof EVENTS] === 'declared')
      log.info({ event }, 'a handler waits for an event that the service declares but has not confirmed to publish')
}

/** Said at the first start of a bot that can send, since nothing else shows it before it happens (GEN-06, GEN-13). */
export function tellOfAgent(log: Log): void {
  log.info(
    {},
    "each message that this bot sends pauses the service's own AI agent for that customer, until the number's takeover window is over or the customer types BOT; where that agent is on, it answers the same messages as this bot",
  )
}

const HOW: Readonly<Record<Restored['why'], string>> = {
  asked: 'it was started as brought back from a backup',
  noticed: 'it is older than the generation kept beside it, so it was brought back from a backup',
  earlier: 'it was brought back from a backup, and its sends were not let go since',
}

/** Said at each start until the sends are let go: what is held, why, and what to do. */
export function tellOfRestored(log: Log, restored: Restored | undefined): void {
  if (!restored) return
  log.warn(
    { held: restored.held, why: HOW[restored.why] },
    'sends of this database are held, since they may have gone out after the backup was taken: compare them with what was sent, then let them go with `switchhook outbox resume`',
  )
}
