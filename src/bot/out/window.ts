import { WINDOW_MS } from '../../service/contract.ts'
import type { DueSend, Via, WindowTimer } from '../../store/types/types.ts'

/** The customer's 24-hour window. `unknown` if no message with a trusted time has arrived. */
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

/** The timers that are due this long before the end of a window that a message at this service time has opened. */
export function timersOfWindow(lastInboundAt: number, befores: readonly number[]): readonly WindowTimer[] {
  return befores.map((before) => ({ before, dueAt: lastInboundAt + WINDOW_MS - before }))
}

/**
 * Chooses the body of a send. The service decides about the window; our own knowledge only saves a request. The
 * template is sent first if a trusted time says closed and no unread delivery could say otherwise. Otherwise the
 * free-form body is sent first, because its refusal costs nothing: a 409 is authoritative. Marketing goes to many customers at
 * once, so its template is sent first unless the window is known to be open.
 */
export function viaOf({ send, lastInboundAt, unread }: DueSend, now: number): Via {
  if (send.via === 'template' || !send.fallback) return send.via
  const { open } = windowAt(lastInboundAt, now)
  const closed = send.isMarketing ? open !== true : open === false && !unread
  return closed ? 'template' : 'freeform'
}
