import type { NewStatus, Pruning, SendRow } from '../types/types.ts'
import { all, allAs, exists, one, execute, sql, type Steps, type Tx, untilLong } from '../steps.ts'
import { findRow } from './rows.ts'

export function* recordStatus({ messageId, upstreamId, ...status }: NewStatus, now: number): Steps<void> {
  const known = yield* findRow({ messageId, upstreamId })
  if (typeof known?.message_id === 'string' && known.upstream_id === null && upstreamId !== undefined)
    yield* learnUpstreamId(known.id, known.message_id, upstreamId)
  for (const message of [messageId, upstreamId])
    if (message !== undefined)
      yield* execute(sql`
        INSERT INTO statuses (message, status, at, number, reason, received_at, stray)
        VALUES (${message}, ${status.status}, ${status.at}, ${status.number}, ${status.reason}, ${now},
          ${known ? undefined : 1})
        ON CONFLICT DO NOTHING`)
}

function* learnUpstreamId(send: string, messageId: string, upstreamId: string): Steps<void> {
  if (yield* exists(sql`SELECT 1 FROM sends WHERE upstream_id = ${upstreamId}`)) return
  const learnt = yield* execute(sql`
    UPDATE sends SET upstream_id = ${upstreamId} WHERE id = ${send} AND upstream_id IS NULL`)
  if (learnt > 0) yield* adoptStatuses(messageId, upstreamId)
}

export function* adoptStatuses(messageId: string, upstreamId = messageId): Steps<void> {
  yield* execute(sql`UPDATE statuses SET stray = NULL WHERE message IN (${messageId}, ${upstreamId}) AND stray = 1`)
}

export function* statusesOf({ messageId, upstreamId }: SendRow) {
  return yield* allAs<{ status: string; at: number; reason: string | undefined }>(sql`
    SELECT DISTINCT status, at, reason FROM statuses WHERE message IN (${messageId}, ${upstreamId}) AND stray IS NULL
    ORDER BY at, status`)
}

/** Those that this item is the first to claim; asked again, the same. */
export function* firstToReach(item: number, message: string, statuses: readonly string[]): Steps<string[]> {
  for (const status of statuses)
    yield* execute(sql`
      INSERT INTO reached (message, status, item) VALUES (${message}, ${status}, ${item}) ON CONFLICT DO NOTHING`)
  const rows = yield* all<{ status: string }>(sql`
    SELECT status FROM reached WHERE message = ${message} AND item = ${item}`)
  const claimed = new Set(rows.map(({ status }) => status))
  return statuses.filter((status) => claimed.has(status))
}

const STRAYS_KEPT_MS = 48 * 3_600_000
const STRAYS_KEPT = 100_000

interface Stray {
  readonly message: string
  readonly status: string
  readonly at: number
  readonly received_at: number
}

export function* pruneStrays(
  tx: Pick<Tx, 'isLong'>,
  { now, limit }: Pruning,
): Steps<{ pruned: number; next: [] | undefined }> {
  const oldest = yield* all<Stray>(sql`
    SELECT message, status, at, received_at FROM statuses WHERE stray = 1 ORDER BY received_at LIMIT ${limit}`)
  const count = yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM statuses WHERE stray = 1`)
  const tooMany = (count?.n ?? 0) - STRAYS_KEPT
  const dropped = oldest.filter((stray, index) => stray.received_at < now - STRAYS_KEPT_MS || index < tooMany)
  const pruned = yield* untilLong(tx, dropped, ({ message, status, at }) =>
    execute(sql`DELETE FROM statuses WHERE message = ${message} AND status = ${status} AND at = ${at}`),
  )
  const isWhole = pruned === dropped.length && dropped.length < limit
  return { pruned, next: isWhole ? undefined : [] }
}
