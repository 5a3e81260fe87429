import type { Resumed } from '../port/index.ts'
import { noteResumed } from '../operations/restored.ts'
import { all, sql, type Steps, when } from '../operations/steps.ts'
import { probeThrottles } from '../operations/throttles.ts'
import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'

/** Lets held sends go: see `Store.resumeSends`. */
export function* resumeSends(tx: Tx, { number, now }: { number?: string; now: number }): Steps<Resumed> {
  const throttles = yield* probeThrottles(tx, number)
  const ofNumber = when(number !== undefined, () => sql`AND number = ${number}`)
  // Sends of a stopped number are tried at once, in the state that they have.
  const held = yield* all<{ lane: string }>(sql`
    UPDATE sends SET next_at = ${now}
    WHERE settled_at IS NULL AND held_from IS NULL AND state = 'held' ${ofNumber} RETURNING lane`)
  const restored = yield* all<{ lane: string }>(sql`
    UPDATE sends SET state = held_from, held_from = NULL, code = NULL, reason = NULL, possibly_twice = 1,
      next_at = ${now}
    WHERE settled_at IS NULL AND held_from IS NOT NULL ${ofNumber} RETURNING lane`)
  for (const lane of new Set([...held, ...restored].map((send) => send.lane))) wakeLane(tx, lane, 'send', now)
  yield* noteResumed(number)
  return { throttles, held: held.length, restored: restored.length }
}
