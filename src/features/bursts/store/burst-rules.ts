import { AT_ONCE } from '../../../store/work/item-rules.ts'

export interface BurstRules {
  /** A burst is ready so many milliseconds after the customer's last message. */
  readonly quietMs: number
  /** A burst is ready at the latest so many milliseconds after its first message. */
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

export function readyAfterGathering({ quietMs, maxMs }: BurstRules, { since }: Gathered, now: number): number {
  const readyAt = Math.min(now + quietMs, since + maxMs)
  return readyAt > now ? readyAt : AT_ONCE
}
