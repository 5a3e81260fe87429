import { WINDOW_MS } from '../../service/endpoints.ts'
import type { WindowTimer } from '../../store/customers/customer.ts'

/** The customer's 24-hour window. `unknown` if no message with a trusted time has arrived. */
export interface Window {
  readonly open: boolean | 'unknown'
  readonly closesAt: Date | undefined
}

/**
 * @param lastInboundAt service time of the customer's last message.
 * @param now service time. Exactly 24 hours after the message the window is closed, by assumption (GEN-04).
 */
export function windowAt(lastInboundAt: number | undefined, now: number): Window {
  if (lastInboundAt === undefined) return { open: 'unknown', closesAt: undefined }
  const closesAt = lastInboundAt + WINDOW_MS
  return { open: now < closesAt, closesAt: new Date(closesAt) }
}

/** Returns one timer for each of `befores`, the milliseconds before the end of the message's window. */
export function timersOfWindow(lastInboundAt: number, befores: readonly number[]): readonly WindowTimer[] {
  return befores.map((before) => ({ before, dueAt: lastInboundAt + WINDOW_MS - before }))
}
