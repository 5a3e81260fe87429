import type { SendRow, SendState, Via } from '../port/index.ts'
import type { Sql } from './connection.ts'

export interface Row {
  seq: number
  id: string
  key: string
  number: string
  customer: string
  lane: string
  cause: string
  slot: string
  ref: string | null
  state: SendState
  via: Via
  body: string
  fallback_key: string | null
  fallback_body: string | null
  attempts: number
  first_attempt_at: number | null
  attempting_since: number | null
  next_at: number
  message_id: string | null
  upstream_id: string | null
  code: string | null
  reason: string | null
  possibly_twice: number
  diverged: number
  created_at: number
  settled_at: number | null
  asked: string | null
  due_at: number | null
  expires_at: number | null
  withheld: number
  unless_silent: number
}

const BY_ID = 'SELECT * FROM sends WHERE id = ?'
const BY_KEY = 'SELECT * FROM sends WHERE key = ?'
const BY_MESSAGE = 'SELECT * FROM sends WHERE message_id = ?'
const BY_UPSTREAM = 'SELECT * FROM sends WHERE upstream_id = ?'
const HEAD = `
  SELECT * FROM sends WHERE lane = ? AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
  ORDER BY seq LIMIT 1`

export const sendById = (sql: Sql, id: string) => one(sql, BY_ID, id)
export const sendByKey = (sql: Sql, key: string) => one(sql, BY_KEY, key)
/**
 * The lane's oldest send that is to go out, ready or not: it holds what stands behind it. What a restored database
 * holds waits for a person, and holds nothing.
 */
export const headOfLane = (sql: Sql, lane: string) => one(sql, HEAD, lane)

/** The send that this transaction has just found or written. */
export function presentSend(sql: Sql, id: string): SendRow {
  const send = sendById(sql, id)
  if (!send) throw new Error(`send ${id} vanished within its own transaction`)
  return send
}

/** The send that a status names, by the service's id or the upstream platform's. */
export function sendOfMessage(sql: Sql, ids: { messageId?: string; upstreamId?: string }): SendRow | undefined {
  const byMessage = ids.messageId === undefined ? undefined : one(sql, BY_MESSAGE, ids.messageId)
  if (byMessage) return byMessage
  return ids.upstreamId === undefined ? undefined : one(sql, BY_UPSTREAM, ids.upstreamId)
}

function one(sql: Sql, query: string, value: string): SendRow | undefined {
  const row = sql(query).get(value) as Row | undefined
  return row && sendOf(row)
}

export function sendOf(row: Row): SendRow {
  return {
    id: row.id,
    key: row.key,
    number: row.number,
    customer: row.customer,
    lane: row.lane,
    cause: row.cause,
    slot: row.slot,
    ref: row.ref ?? undefined,
    state: row.state,
    via: row.via,
    body: row.body,
    fallback:
      row.fallback_key === null || row.fallback_body === null
        ? undefined
        : { key: row.fallback_key, body: row.fallback_body },
    attempts: row.attempts,
    firstAttemptAt: row.first_attempt_at ?? undefined,
    attemptingSince: row.attempting_since ?? undefined,
    nextAt: row.next_at,
    messageId: row.message_id ?? undefined,
    upstreamId: row.upstream_id ?? undefined,
    code: row.code ?? undefined,
    reason: row.reason ?? undefined,
    possiblyTwice: row.possibly_twice === 1,
    diverged: row.diverged === 1,
    createdAt: row.created_at,
    settledAt: row.settled_at ?? undefined,
    asked: row.asked ?? undefined,
    dueAt: row.due_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    withheld: row.withheld === 1,
    unlessMuted: row.unless_silent === 1,
  }
}
