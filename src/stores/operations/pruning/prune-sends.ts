import type { PruneMark, Pruning } from '../../port/index.ts'
import { all, run, sql, type Steps, type Tx } from '../steps.ts'
import { untilLongTogether } from '../until-long.ts'
import type { StageEnd } from './prune-bytes.ts'

/** Sends under keys of the app's own belong to no delivery; a reply goes with the delivery that it answers. */
export function* pruneSendsOfApp(
  tx: Pick<Tx, 'isLong' | 'together'>,
  { idsBefore, limit }: Pruning,
  [after = 0]: PruneMark['at'],
): Steps<StageEnd> {
  // The index over causes has them in the order of their seq.
  const rows = yield* all<RemovedSend & { readonly seq: number; readonly free: number }>(sql`
    SELECT seq, id, message_id, upstream_id,
      CASE WHEN settled_at < ${idsBefore} AND state <> 'unknown' THEN 1 ELSE 0 END AS free
    FROM sends WHERE cause = 'app' AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const free = rows.filter((row) => row.free === 1)
  const removed = yield* untilLongTogether(tx, free, removeSends)
  const last = removed < free.length ? free[removed - 1] : rows.length < limit ? undefined : rows.at(-1)
  return { next: last && [last.seq] }
}

export interface RemovedSend {
  readonly id: string
  readonly message_id: string | null
  readonly upstream_id: string | null
}

/** Removes sends with what was recorded about them. */
export function* removeSends(sends: readonly (RemovedSend & { readonly seq: number })[]): Steps<void> {
  if (sends.length === 0) return
  yield* run(sql`DELETE FROM sends WHERE seq IN numbers(${JSON.stringify(sends.map(({ seq }) => seq))})`)
  yield* removeTraces(sends)
}

/** Removes what was recorded about sends that are gone: their statuses, and which item told of them. */
export function* removeTraces(sends: readonly RemovedSend[]): Steps<void> {
  if (sends.length === 0) return
  const messages = sends.flatMap(({ message_id, upstream_id }) => [message_id, upstream_id]).filter((id) => id !== null)
  yield* run(sql`DELETE FROM statuses WHERE message IN list(${JSON.stringify(messages)})`)
  yield* run(sql`DELETE FROM reached WHERE message IN list(${JSON.stringify(sends.map(({ id }) => id))})`)
}
