import { WINDOW_MS } from '../../contract/index.ts'
import type { Assumptions } from '../assumptions.ts'

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
