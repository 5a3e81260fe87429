import type { PruneMark } from '../port/index.ts'
import type { StageEnd } from './prune-bytes.ts'
import { all, one, run, sql, type Steps, when } from './steps.ts'

/** Sends under keys of the app's own belong to no delivery; a reply goes with the delivery that it answers. */
export function* pruneSendsOfApp(before: number, [after = 0]: PruneMark['at'], limit: number): Steps<StageEnd> {
  // The index over causes has them in the order of their seq.
  const last = yield* one<{ seq: number }>(sql`
    SELECT seq FROM sends WHERE cause = 'app' AND seq > ${after} ORDER BY seq LIMIT 1 OFFSET ${limit - 1}`)
  const removed = yield* all<RemovedSend>(sql`
    DELETE FROM sends
    WHERE cause = 'app' AND seq > ${after} ${when(last !== undefined, () => sql`AND seq <= ${last?.seq}`)}
      AND settled_at < ${before} AND state <> 'unknown'
    RETURNING id, message_id, upstream_id`)
  for (const send of removed) yield* removeTraces(send)
  return { next: last && [last.seq] }
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
