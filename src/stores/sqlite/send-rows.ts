import type { SendRow, SendState, Via } from '../port/index.ts'
import type { Sql } from './connection.ts'

/** A row of the table of sends, with what only the store itself needs. */
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
  /** A digest of what the app asked for; null if that is the body. */
  asked: string | null
  due_at: number | null
  expires_at: number | null
  withheld: number
  /** 1 for a reply, which is not sent while its customer is muted. */
  unless_muted: number
  /** The state that a restored database took the send out of. */
  held_from: SendState | null
}

const BY_ID = 'SELECT * FROM sends WHERE id = ?'
const BY_KEY = 'SELECT * FROM sends WHERE key = ?'
const BY_MESSAGE = 'SELECT * FROM sends WHERE message_id = ?'
const BY_UPSTREAM = 'SELECT * FROM sends WHERE upstream_id = ?'
const HEAD = `
  SELECT * FROM sends WHERE lane = ? AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
  ORDER BY seq LIMIT 1`

export const rowById = (sql: Sql, id: string) => sql(BY_ID).get(id) as Row | undefined
export const rowByKey = (sql: Sql, key: string) => sql(BY_KEY).get(key) as Row | undefined
/**
 * The lane's oldest send that is to go out, ready or not: the sends behind it wait for it. A send that a restored
 * database holds waits for a person, and nothing waits for it.
 */
export const headOfLane = (sql: Sql, lane: string) => sql(HEAD).get(lane) as Row | undefined

export const sendById = (sql: Sql, id: string) => optional(rowById(sql, id))
export const sendByKey = (sql: Sql, key: string) => optional(rowByKey(sql, key))

/** The send that this transaction has just found or written. */
export function presentSend(sql: Sql, id: string): SendRow {
  const send = sendById(sql, id)
  if (!send) throw new Error(`send ${id} vanished within its own transaction`)
  return send
}

/** The send that a status names, by the service's id or the upstream platform's. */
export function sendOfMessage(sql: Sql, ids: { messageId?: string; upstreamId?: string }): SendRow | undefined {
  const byMessage = ids.messageId === undefined ? undefined : sql(BY_MESSAGE).get(ids.messageId)
  const found = byMessage ?? (ids.upstreamId === undefined ? undefined : sql(BY_UPSTREAM).get(ids.upstreamId))
  return optional(found as Row | undefined)
}

function optional(row: Row | undefined): SendRow | undefined {
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
    dueAt: row.due_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    withheld: row.withheld === 1,
  }
}
