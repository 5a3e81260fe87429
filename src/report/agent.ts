import type { Log } from '../base/log.ts'

/** Said at the first start of a bot that can send, since nothing else shows it before it happens (GEN-06, GEN-13). */
export function tellOfAgent(log: Log): void {
  log.info(
    {},
    "each message that this bot sends pauses the service's own AI agent for that customer, until the number's takeover window is over or the customer types BOT; where that agent is on, it answers the same messages as this bot",
  )
}
