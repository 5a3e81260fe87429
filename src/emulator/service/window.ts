import { WINDOW_MS } from '../../contract/index.ts'

/**
 * Whether a free-form message may go to a customer now: within 24 hours of the last inbound message.
 * Exactly 24:00:00.000 is closed, by assumption (GEN-04).
 */
export function isWindowOpen(lastInboundAt: number | undefined, now: number): boolean {
  return lastInboundAt !== undefined && now < lastInboundAt + WINDOW_MS
}
