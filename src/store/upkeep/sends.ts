import { all, type Query, run, sql, type Steps } from '../steps.ts'

export interface RemovedSend {
  readonly id: string
  readonly message_id: string | null
  readonly upstream_id: string | null
}

/** Removes the sends of a condition that have ended, with their statuses. */
export function* removeSends(where: Query): Steps<void> {
  const removed = yield* all<RemovedSend & { readonly seq: number }>(sql`
    DELETE FROM sends WHERE ${where} AND settled_at IS NOT NULL RETURNING seq, id, message_id, upstream_id`)
  if (removed.length === 0) return
  // On SQLite a later send would be given the number of the last one again.
  const last = Math.max(...removed.map(({ seq }) => seq))
  yield* run(sql`
    INSERT INTO meta (name, value) VALUES ('last_send', ${String(last)}) ON CONFLICT (name)
    DO UPDATE SET value = excluded.value WHERE CAST(meta.value AS INTEGER) < CAST(excluded.value AS INTEGER)`)
  const messages = removed.flatMap(({ message_id: id, upstream_id: other }) => [id, other]).filter((id) => id !== null)
  yield* run(sql`DELETE FROM statuses WHERE message IN list(${JSON.stringify(messages)})`)
  yield* run(sql`DELETE FROM reached WHERE message IN list(${JSON.stringify(removed.map(({ id }) => id))})`)
}

interface Cause {
  readonly cause: string
  readonly number: string
}

interface CausedSend extends Cause, RemovedSend {
  readonly seq: number
  readonly state: string
  readonly settled_at: number | null
}

/** The sends of these causes, in the order of their recording. */
export function* sendsOfCauses(causes: readonly Cause[]): Steps<readonly CausedSend[]> {
  if (causes.length === 0) return []
  const known = new Set(causes.map(keyOf))
  const sends = yield* all<CausedSend>(sql`
    SELECT seq, id, state, message_id, upstream_id, cause, number, settled_at FROM sends
    WHERE cause IN list(${JSON.stringify(causes.map(({ cause }) => cause))})`)
  return sends.filter((send) => known.has(keyOf(send))).toSorted((a, b) => a.seq - b.seq)
}

export function keyOf({ cause, number }: Cause): string {
  return JSON.stringify([cause, number])
}
