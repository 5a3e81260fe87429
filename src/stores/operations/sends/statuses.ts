import type { NewStatus, Pruning, SendRow } from '../../port/index.ts'
import { all, allAs, one, run, sql, type Steps, type Tx } from '../steps.ts'
import { untilLong } from '../until-long.ts'
import { findSend } from './sends.ts'

/** Records a status under each id that the service gave, since a send may know only one of the two. */
export function* recordStatus({ messageId, upstreamId, ...status }: NewStatus, now: number): Steps<void> {
  const known = yield* findSend({ messageId, upstreamId })
  if (known?.messageId !== undefined && known.upstreamId === undefined && upstreamId !== undefined)
    yield* learnUpstreamId(known.id, known.messageId, upstreamId)
  const table = known ? sql`statuses` : sql`stray_statuses`
  for (const message of [messageId, upstreamId])
    if (message !== undefined)
      yield* run(sql`
        INSERT INTO ${table} (message, status, at, number, reason, received_at)
        VALUES (${message}, ${status.status}, ${status.at}, ${status.number}, ${status.reason}, ${now})
        ON CONFLICT DO NOTHING`)
}

/** The upstream platform may name a message later than the service does. */
function* learnUpstreamId(send: string, messageId: string, upstreamId: string): Steps<void> {
  const learnt = yield* run(sql`
    UPDATE sends SET upstream_id = ${upstreamId}
    WHERE id = ${send} AND upstream_id IS NULL AND NOT EXISTS (SELECT 1 FROM sends WHERE upstream_id = ${upstreamId})`)
  if (learnt > 0) yield* adoptStatuses(messageId, upstreamId)
}

/** Gives a send that has got its ids the statuses that came before its answer. */
export function* adoptStatuses(messageId: string, upstreamId = messageId): Steps<void> {
  const adopted = yield* run(sql`
    INSERT INTO statuses SELECT * FROM stray_statuses WHERE message IN (${messageId}, ${upstreamId})
    ON CONFLICT DO NOTHING`)
  if (adopted > 0) yield* run(sql`DELETE FROM stray_statuses WHERE message IN (${messageId}, ${upstreamId})`)
}

export function* statusesOf({ messageId, upstreamId }: SendRow) {
  return yield* allAs<{ status: string; at: number; reason: string | undefined }>(sql`
    SELECT DISTINCT status, at, reason FROM statuses WHERE message IN (${messageId}, ${upstreamId})
    ORDER BY at, status`)
}

/**
 * Claims statuses that a message has reached (by its send's id, else the message's), so that handlers hear of each
 * once: the answer names those that this item tells first. Asked again for the same item it gives the same answer.
 */
export function* claimReached(item: number, message: string, statuses: readonly string[]): Steps<string[]> {
  for (const status of statuses)
    yield* run(sql`
      INSERT INTO reached (message, status, item) VALUES (${message}, ${status}, ${item}) ON CONFLICT DO NOTHING`)
  const rows = yield* all<{ status: string }>(sql`
    SELECT status FROM reached WHERE message = ${message} AND item = ${item}`)
  const claimed = new Set(rows.map(({ status }) => status))
  return statuses.filter((status) => claimed.has(status))
}

/** Statuses of unknown ids are kept for this long, and no more than this many. */
const STRAYS_KEPT_MS = 48 * 3_600_000
const STRAYS_KEPT = 100_000

interface Stray {
  readonly message: string
  readonly status: string
  readonly at: number
  readonly received_at: number
}

/** Drops old statuses of unknown ids; true if there may be more. */
export function* pruneStrays(tx: Pick<Tx, 'isLong'>, { now, limit }: Pruning): Steps<boolean> {
  const oldest = yield* all<Stray>(sql`
    SELECT message, status, at, received_at FROM stray_statuses ORDER BY received_at LIMIT ${limit}`)
  const count = yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM stray_statuses`)
  const tooMany = (count?.n ?? 0) - STRAYS_KEPT
  const dropped = oldest.filter((stray, index) => stray.received_at < now - STRAYS_KEPT_MS || index < tooMany)
  const done = yield* untilLong(tx, dropped, ({ message, status, at }) =>
    run(sql`DELETE FROM stray_statuses WHERE message = ${message} AND status = ${status} AND at = ${at}`),
  )
  return done === limit || done < dropped.length
}
