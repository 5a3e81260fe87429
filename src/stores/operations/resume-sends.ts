import type { Resumed } from '../port/index.ts'
import { releaseRestored } from './restored.ts'
import { all, sql, type Steps, when } from './steps.ts'
import { probeThrottles } from './throttles.ts'
import type { Tx } from './steps.ts'
import { wakeLane } from './lanes.ts'

/** Lets held sends go: see `Store.resumeSends`. */
export function* resumeSends(
  tx: Tx,
  { number, restored, now }: { number?: string; restored: boolean; now: number },
): Steps<Resumed> {
  const throttles = yield* probeThrottles(tx, number)
  const ofNumber = when(number !== undefined, () => sql`AND number = ${number}`)
  // Sends of a stopped number are tried at once, in the state that they have.
  const held = yield* all<{ lane: string }>(sql`
    UPDATE sends SET next_at = ${now}
    WHERE settled_at IS NULL AND held_from IS NULL AND state = 'held' ${ofNumber} RETURNING lane`)
  const released = restored ? yield* releaseRestored(number, now) : []
  for (const lane of new Set([...held, ...released].map((send) => send.lane))) yield* wakeLane(tx, lane, 'send', now)
  return { throttles, held: held.length, restored: released.length }
}
