import { all, sql, type Steps } from '../steps.ts'
import { keptOne, removeDeliveries, wipeContents } from './rows.ts'
import { sendsOfCauses } from './sends.ts'

/**
 * Removes a delivery with all that is kept of it, ids and claims of identity too, also one that waits for a person. The answer
 * names it; it is empty for one that waits for its turn or runs, that has an open send, or that a later delivery resembles.
 */
export function* discard(seq: number): Steps<readonly number[]> {
  const kept = yield* keptOne(seq)
  if (!kept || kept.items.some(({ state }) => state !== null && state !== 'parked' && state !== 'dead')) return []
  if ((yield* all(sql`SELECT 1 FROM inbox WHERE first = ${seq} LIMIT 1`)).length > 0) return []
  const causes = kept.items.flatMap(({ cause, number }) =>
    cause === null || number === null ? [] : [{ cause, number }],
  )
  if ((yield* sendsOfCauses(causes)).some(({ settled_at: at }) => at === null)) return []
  yield* wipeContents(kept.items.map(({ id }) => id))
  yield* removeDeliveries([kept], Number.MAX_SAFE_INTEGER)
  return [seq]
}
