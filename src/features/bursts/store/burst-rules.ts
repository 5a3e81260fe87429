import { AT_ONCE } from '../../../store/work/item-rules.ts'

/** Milliseconds. */
export interface BurstRules {
  /** Milliseconds after the customer's last message. */
  readonly quietMs: number
  /** Milliseconds after the first message. */
  readonly maxMs: number
  readonly maxMessages: number
}

export interface Gathered {
  readonly messages: number
  readonly since: number
}

export function isFull({ maxMessages }: BurstRules, { messages }: Gathered): boolean {
  return messages >= maxMessages
}

/**
 * Returns the time from which a burst may be handled. If the clock went back since the first message, it may be handled
 * at once.
 */
export function readyAfterGathering({ quietMs, maxMs }: BurstRules, { since }: Gathered, now: number): number {
  const readyAt = Math.min(now + quietMs, since + maxMs)
  return readyAt > now ? readyAt : AT_ONCE
}
