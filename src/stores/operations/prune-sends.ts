import type { Pruning } from '../port/index.ts'
import { pruneMutes, pruneWindows } from './customers.ts'
import { pruneSessions } from './sessions.ts'
import { pruneStrays } from './statuses.ts'
import { all, run, sql, type Steps } from './steps.ts'

/** Removes what belongs to customers and not to deliveries, by the age of ids; says whether there may be more. */
export function* pruneSends({ idsBefore, now, limit }: Pruning): Steps<boolean> {
  const counts = [
    yield* pruneSendsOfApp(idsBefore, limit),
    yield* pruneStrays(now, limit),
    yield* pruneWindows(idsBefore, limit),
    yield* pruneMutes(idsBefore, limit),
    yield* pruneSessions(idsBefore, limit),
  ]
  return counts.some((count) => count >= limit)
}

/** Sends under keys of the app's own belong to no delivery; a reply goes with the delivery that it answers. */
function* pruneSendsOfApp(before: number, limit: number): Steps<number> {
  const removed = yield* all<RemovedSend>(sql`
    DELETE FROM sends WHERE seq IN (
      SELECT seq FROM sends
      WHERE cause = 'app' AND settled_at IS NOT NULL AND settled_at < ${before} AND state <> 'unknown'
      ORDER BY settled_at LIMIT ${limit}
    ) RETURNING id, message_id, upstream_id`)
  for (const send of removed) yield* removeTraces(send)
  return removed.length
}

export interface RemovedSend {
  readonly id: string
  readonly message_id: string | null
  readonly upstream_id: string | null
}

/** Removes what was recorded about a send that is gone: its statuses, and which item told of them. */
export function* removeTraces({ id, message_id, upstream_id }: RemovedSend): Steps<void> {
  yield* run(sql`DELETE FROM statuses WHERE message IN (${message_id}, ${upstream_id})`)
  yield* run(sql`DELETE FROM reached WHERE message = ${id}`)
}
