import type { NewStatus, SendRow } from '../port/index.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { sendOfMessage } from './send-rows.ts'

const recordIn = (table: string) => `
  INSERT INTO ${table} (message, status, at, number, reason, received_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const RECORD = recordIn('statuses')
const RECORD_STRAY = recordIn('stray_statuses')

// The upstream platform may name a message later than the service does.
const LEARN = `
  UPDATE sends SET upstream_id = ?
  WHERE id = ? AND upstream_id IS NULL AND NOT EXISTS (SELECT 1 FROM sends WHERE upstream_id = ?)`

/** Records a status under each id that the service gave, since a send may know only one of the two. */
export function recordStatus(tx: Tx, status: NewStatus, now: number): void {
  const { messageId, upstreamId } = status
  const known = sendOfMessage(tx.sql, { ...(messageId && { messageId }), ...(upstreamId && { upstreamId }) })
  if (known?.messageId !== undefined && known.upstreamId === undefined && upstreamId !== undefined)
    if (tx.sql(LEARN).run(upstreamId, known.id, upstreamId).changes > 0) adoptStatuses(tx, known.messageId, upstreamId)
  for (const message of [messageId, upstreamId])
    if (message !== undefined)
      tx.sql(known ? RECORD : RECORD_STRAY).run(
        message,
        status.status,
        status.at,
        status.number,
        status.reason ?? null,
        now,
      )
}

const ADOPT = 'INSERT INTO statuses SELECT * FROM stray_statuses WHERE message IN (?, ?) ON CONFLICT DO NOTHING'
const ADOPTED = 'DELETE FROM stray_statuses WHERE message IN (?, ?)'

/** Gives a send that has got its ids the statuses that came before its answer. */
export function adoptStatuses(tx: Tx, messageId: string, upstreamId: string | undefined): void {
  // A missing upstream id is the message id twice.
  const ids = [messageId, upstreamId ?? messageId]
  if (tx.sql(ADOPT).run(...ids).changes > 0) tx.sql(ADOPTED).run(...ids)
}

const STATUSES = 'SELECT DISTINCT status, at, reason FROM statuses WHERE message IN (?, ?) ORDER BY at'

/** See `Store.statusesOf`. */
export function statusesOfSend(sql: Sql, send: SendRow) {
  const rows = sql(STATUSES).all(send.messageId ?? '', send.upstreamId ?? '')
  return (rows as { status: string; at: number; reason: string | null }[]).map((row) => ({
    status: row.status,
    at: row.at,
    reason: row.reason ?? undefined,
  }))
}

const CLAIM = 'INSERT INTO reached (message, status, item) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
const CLAIMED = 'SELECT status FROM reached WHERE message = ? AND item = ?'

/** See `Store.claimReached`. */
export function claimReached(tx: Tx, item: number, message: string, statuses: readonly string[]): string[] {
  for (const status of statuses) tx.sql(CLAIM).run(message, status, item)
  const claimed = (tx.sql(CLAIMED).all(message, item) as { status: string }[]).map(({ status }) => status)
  return statuses.filter((status) => claimed.includes(status))
}

const BEGUN = `
  SELECT 1 FROM sends
  WHERE settled_at IS NULL AND number = ? AND (? IS NULL OR customer = ?) AND first_attempt_at <= ? LIMIT 1`

/** See `Store.hadBegun`. */
export function hadBegun(sql: Sql, number: string, customer: string | undefined, by: number): boolean {
  const who = customer ?? null
  return sql(BEGUN).get(number, who, who, by) !== undefined
}

const UNKNOWN = "SELECT 1 FROM sends WHERE number = ? AND customer = ? AND state = 'unknown' LIMIT 1"

/** See `Store.hasUnknown`. */
export function hasUnknown(sql: Sql, number: string, customer: string): boolean {
  return sql(UNKNOWN).get(number, customer) !== undefined
}

const FORGET_OLD = `
  DELETE FROM stray_statuses WHERE (message, status, at) IN (
    SELECT message, status, at FROM stray_statuses WHERE received_at < ? ORDER BY received_at LIMIT ?)`
const FORGET_MANY = `
  DELETE FROM stray_statuses WHERE (message, status, at) IN (
    SELECT message, status, at FROM stray_statuses ORDER BY received_at
    LIMIT min(?, max(0, (SELECT count(*) FROM stray_statuses) - ?)))`

/** Statuses of unknown ids are kept for this long, and no more than this many. */
const STRAYS_KEPT_MS = 48 * 3_600_000
const STRAYS_KEPT = 100_000

/** Drops old statuses of unknown ids; the answer counts them. */
export function pruneStrays(tx: Tx, now: number, limit: number): number {
  const old = tx.sql(FORGET_OLD).run(now - STRAYS_KEPT_MS, limit).changes
  return old + tx.sql(FORGET_MANY).run(limit - old, STRAYS_KEPT).changes
}
