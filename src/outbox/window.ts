import { WINDOW_MS } from '../contract/index.ts'
import type { DueSend, Via } from '../stores/port/index.ts'

/** What is known of a customer's window. `unknown` where no message with a trusted time has come. */
export interface Window {
  readonly open: boolean | 'unknown'
  readonly closesAt: Date | undefined
}

/**
 * @param lastInboundAt service time of the customer's last message.
 * @param now service time. Exactly 24 hours later is closed, by assumption (GEN-04).
 */
export function windowAt(lastInboundAt: number | undefined, now: number): Window {
  if (lastInboundAt === undefined) return { open: 'unknown', closesAt: undefined }
  const closesAt = lastInboundAt + WINDOW_MS
  return { open: now < closesAt, closesAt: new Date(closesAt) }
}

/**
 * Which of its two bodies a send goes out with. The service decides the window; our own knowledge only saves it
 * a question: the template goes first where a trusted time says closed and nothing unread could say otherwise.
 * In every other case the free-form goes first, since its refusal costs nothing: a 409 is the truth.
 */
export function viaOf(due: DueSend, now: number): Via {
  const { send, lastInboundAt, unread } = due
  if (send.via === 'template') return 'template'
  const closed = windowAt(lastInboundAt, now).open === false
  return closed && !unread && send.fallback ? 'template' : 'freeform'
}
