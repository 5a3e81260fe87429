import { one, sql, type Steps } from './steps.ts'

/** See `Store.waitingSince`. Each look is one step into an index, however much waits. */
export function* waitingSince(now: number): Steps<number | undefined> {
  const pending = yield* one<{ at: number }>(sql`
    SELECT received_at AS at FROM deliveries WHERE seq = (SELECT min(seq) FROM pending)`)
  const item = yield* one<{ at: number }>(sql`
    SELECT created_at AS at FROM items
    WHERE lane = (
      SELECT key FROM lanes WHERE kind = 'item' AND ready_at <= ${now} ORDER BY ready_at, since LIMIT 1
    ) AND settled_at IS NULL AND ready_at <= ${now} ORDER BY at, id LIMIT 1`)
  if (pending === undefined || item === undefined) return (pending ?? item)?.at
  return Math.min(pending.at, item.at)
}
