import type { PruneMark, Pruning } from '../../port/index.ts'
import { all, type Query, sql, type Steps, type Tx } from '../steps.ts'
import { removeConversations } from '../turns/conversations.ts'
import { untilLong } from '../until-long.ts'
import type { StageEnd } from './prune-bytes.ts'
import { type RemovedSend, removeTraces } from './prune-sends.ts'

/**
 * SQL condition for a conversation `v` that ended before a time, or that was never entered after all: its item has
 * ended, and no person will put it back. It stays while one of its sends is open, unknown or younger.
 */
function isOld(before: number): Query {
  return sql`(
      (v.state = 'ended' AND v.ended_at < ${before})
      OR (v.state = 'entering' AND v.opened_at < ${before} AND (
        SELECT 1 FROM items i WHERE i.id = v.item AND (i.settled_at IS NULL OR i.state IN ('dead', 'parked'))) IS NULL)
    ) AND (
      SELECT 1 FROM sends s
      WHERE s.cause = v.id AND s.number = v.number
        AND (s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ${before}) LIMIT 1) IS NULL`
}

/** Removes conversations with their journals and their sends. It looks at all by their keys. */
export function* pruneConversations(
  tx: Pick<Tx, 'isLong'>,
  { idsBefore, conversationsBefore = idsBefore, limit }: Pruning,
  [after = '']: PruneMark['at'],
): Steps<StageEnd> {
  const rows = yield* all<{ readonly id: string; readonly number: string; readonly old: number }>(sql`
    SELECT v.id, v.number, CASE WHEN ${isOld(conversationsBefore)} THEN 1 ELSE 0 END AS old
    FROM conversations v WHERE v.id > ${after} ORDER BY v.id LIMIT ${limit}`)
  const old = rows.filter((row) => row.old === 1)
  const removed = yield* untilLong(tx, old, function* ({ id, number }) {
    const sends = yield* all<RemovedSend>(sql`
      DELETE FROM sends WHERE cause = ${id} AND number = ${number} RETURNING id, message_id, upstream_id`)
    yield* removeTraces(sends)
    yield* removeConversations(sql`id = ${id}`)
  })
  const last = removed < old.length ? old[removed - 1] : rows.length < limit ? undefined : rows.at(-1)
  return { next: last && [last.id] }
}
