import type { SendPage, SendQuery, SendRow, SendState, Via } from '../port/index.ts'
import { all, one, sql, type Steps, when } from './steps.ts'

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

/** A row before the database has given it its place in the order of recording. */
export type NewRow = Omit<Row, 'seq'>

/** See `Store.send`. */
export function* sendById(id: string): Steps<SendRow | undefined> {
  return optional(yield* rowById(id))
}

/** See `Store.sendByKey`. */
export function* sendByKey(key: string): Steps<SendRow | undefined> {
  return optional(yield* rowByKey(key))
}

/** The send that this transaction has just found or written. */
export function* presentSend(id: string): Steps<SendRow> {
  const send = yield* sendById(id)
  if (!send) throw new Error(`send ${id} vanished within its own transaction`)
  return send
}

/** See `Store.sendOf`. */
export function* sendOfMessage({
  messageId,
  upstreamId,
}: {
  messageId?: string | undefined
  upstreamId?: string | undefined
}): Steps<SendRow | undefined> {
  const byMessage =
    messageId === undefined ? undefined : yield* one<Row>(sql`SELECT * FROM sends WHERE message_id = ${messageId}`)
  if (byMessage || upstreamId === undefined) return optional(byMessage)
  return optional(yield* one<Row>(sql`SELECT * FROM sends WHERE upstream_id = ${upstreamId}`))
}

export const rowById = (id: string): Steps<Row | undefined> => one<Row>(sql`SELECT * FROM sends WHERE id = ${id}`)
export const rowByKey = (key: string): Steps<Row | undefined> => one<Row>(sql`SELECT * FROM sends WHERE key = ${key}`)

/**
 * The lane's oldest send that is to go out, ready or not: the sends behind it wait for it. A send that a restored
 * database holds waits for a person, and nothing waits for it.
 */
export function headOfLane(lane: string): Steps<Row | undefined> {
  return one<Row>(sql`
    SELECT * FROM sends WHERE lane = ${lane} AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
    ORDER BY seq LIMIT 1`)
}

/** See `Store.listSends`. */
export function* listSends({ state, number, customer, limit, after }: SendQuery): Steps<SendPage> {
  const rows = yield* all<Row>(sql`
    SELECT * FROM sends WHERE true
      ${when(after !== undefined, () => sql`AND seq < ${after}`)}
      ${when(state !== undefined, () => sql`AND state = ${state}`)}
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}
    ORDER BY seq DESC LIMIT ${limit}`)
  return { sends: rows.map(sendOf), next: rows.length < limit ? undefined : rows.at(-1)?.seq }
}

function optional(row: Row | undefined): SendRow | undefined {
  return row && sendOf(row)
}

export function sendOf(row: NewRow): SendRow {
  const { fallback_key: key, fallback_body: body } = row
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
    fallback: key === null || body === null ? undefined : { key, body },
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
