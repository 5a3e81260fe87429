import { type MessageType, WINDOW_MS } from '../../contract/index.ts'
import type { Assumptions } from '../assumptions.ts'

/** The types that are accepted only while the window is open: all but templates (GEN-05). */
export const NEEDS_WINDOW: Readonly<Record<MessageType, boolean>> = {
  text: true,
  image: true,
  document: true,
  video: true,
  audio: true,
  interactive: true,
  template: false,
}

/** Whether a free-form message may go to a customer now: within 24 hours of the last inbound message (GEN-04). */
export function isWindowOpen(
  lastInboundAt: number | undefined,
  now: number,
  { windowAtExactly24h }: Pick<Assumptions, 'windowAtExactly24h'>,
): boolean {
  if (lastInboundAt === undefined) return false
  const age = now - lastInboundAt
  return age < WINDOW_MS || (age === WINDOW_MS && windowAtExactly24h === 'open')
}
