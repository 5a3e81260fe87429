import type { BurstRules } from '../port/index.ts'
import { AT_ONCE } from './lanes.ts'

/** The messages that a lane gathers, the one that has just come among them. */
export interface Gathered {
  readonly messages: number
  /** Wall time at which the first of them came. */
  readonly since: number
}

/** The burst takes no more messages. */
export function isFull({ maxMessages }: BurstRules, { messages }: Gathered): boolean {
  return messages >= maxMessages
}

/** The time from which what is gathered may be handled. A clock that went back since the first one gives no time. */
export function readyAfterGathering({ quietMs, maxMs }: BurstRules, { since }: Gathered, now: number): number {
  const readyAt = Math.min(now + quietMs, since + maxMs)
  return readyAt > now ? readyAt : AT_ONCE
}
