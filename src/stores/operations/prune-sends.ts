import type { PruneMark, Pruning } from '../port/index.ts'
import type { StageEnd } from './prune-bytes.ts'
import { all, run, sql, type Steps, type Tx } from './steps.ts'
import { untilLong } from './until-long.ts'

/** Sends under keys of the app's own belong to no delivery; a reply goes with the delivery that it answers. */
export function* pruneSendsOfApp(
  tx: Pick<Tx, 'isLong'>,
  { idsBefore, limit }: Pruning,
  [after = 0]: PruneMark['at'],
): Steps<StageEnd> {
  // The index over causes has them in the order of their seq.
  const rows = yield* all<RemovedSend & { readonly seq: number; readonly free: number }>(sql`
    SELECT seq, id, message_id, upstream_id,
      CASE WHEN settled_at < ${idsBefore} AND state <> 'unknown' THEN 1 ELSE 0 END AS free
    FROM sends WHERE cause = 'app' AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const free = rows.filter((row) => row.free === 1)
  const removed = yield* untilLong(tx, free, function* (send) {
    yield* run(sql`DELETE FROM sends WHERE seq = ${send.seq}`)
    yield* removeTraces(send)
  })
  const last = removed < free.length ? free[removed - 1] : rows.length < limit ? undefined : rows.at(-1)
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
