import type { RunningAttempt } from './types.ts'

/** Another process has the item's lane, and may handle the item: no handler begins here. */
export class LaneLost extends Error {}

/**
 * Looks at lane and deadline before handlers begin: what was read for them may have waited for a database longer than a
 * lease, or than the attempt.
 *
 * @throws LaneLost; AttemptOver if the deadline has passed.
 */
export async function checkLane({ keepLane, clock }: RunningAttempt): Promise<void> {
  if (!(await keepLane())) throw new LaneLost('another process has the lane')
  clock.check()
}
