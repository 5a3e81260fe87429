import { numbersWaiting, readyLanes } from '../lanes/numbers-waiting.ts'
import { one, sql, type Steps } from '../steps.ts'

/** See `Store.waitingSince`. Each look is one step into an index for each number, however much waits. */
export function* waitingSince(now: number): Steps<number | undefined> {
  const pending = yield* one<{ at: number }>(sql`
    SELECT received_at AS at FROM deliveries WHERE seq = (SELECT min(seq) FROM pending)`)
  const first = sql`${readyLanes('item')} AND number = numbers.number`
  const item = yield* one<{ at: number }>(sql`
    WITH RECURSIVE ${numbersWaiting('item')}
    SELECT created_at AS at FROM items
    WHERE lane = coalesce(
      (SELECT key FROM (
        SELECT (SELECT since FROM lanes WHERE ${first} ORDER BY since, key LIMIT 1) AS since,
          (SELECT key FROM lanes WHERE ${first} ORDER BY since, key LIMIT 1) AS key FROM numbers) AS firsts
      WHERE key IS NOT NULL ORDER BY since, key LIMIT 1),
      (SELECT key FROM lanes WHERE kind = 'item' AND ready_at > 0 AND ready_at <= ${now} ORDER BY ready_at LIMIT 1)
    ) AND settled_at IS NULL AND ready_at <= ${now} ORDER BY at, id LIMIT 1`)
  if (pending === undefined || item === undefined) return (pending ?? item)?.at
  return Math.min(pending.at, item.at)
}
