import type {
  NumberThrottle,
  SendBy,
  SendPage,
  SendQuery,
  SendRow,
  SendState,
  UnderWay,
  Via,
} from '../../port/index.ts'
import { isHeld } from '../../rules/sends.ts'
import { customerLane, inLanesOf } from '../lanes/lanes.ts'
import { all, one, type Query, sql, type Steps, when } from '../steps.ts'
import { INDEXED_SEND } from './by-state.ts'
import { stoppedThrottles, throttleOf } from './throttles.ts'

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
  delivery: string | null
  /** `ready`, if a stopped number holds the send: see the rule `isHeld`. */
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
  awaited_until: number | null
  trace: string | null
}

/** A row before the database has given it its place in the order of recording. */
export type NewRow = Omit<Row, 'seq'>

/** See `Store.findSend`. */
export function* findSend(by: SendBy): Steps<SendRow | undefined> {
  const row = yield* findRow(by)
  return row && (yield* shown(row))
}

/** The send of a row, which its number may hold. */
export function* shown(row: Row): Steps<SendRow> {
  return sendOf(row, row.state === 'ready' ? yield* throttleOf(row.number) : undefined)
}

export function* findRow(by: SendBy): Steps<Row | undefined> {
  if ('id' in by) return yield* one<Row>(sql`SELECT * FROM sends WHERE id = ${by.id}`)
  if ('key' in by) return yield* one<Row>(sql`SELECT * FROM sends WHERE key = ${by.key}`)
  const { messageId, upstreamId } = by
  const named =
    messageId === undefined ? undefined : yield* one<Row>(sql`SELECT * FROM sends WHERE message_id = ${messageId}`)
  if (named || upstreamId === undefined) return named
  return yield* one<Row>(sql`SELECT * FROM sends WHERE upstream_id = ${upstreamId}`)
}

/** The send that this transaction has just found or written. */
export function* presentSend(id: string): Steps<SendRow> {
  const send = yield* findSend({ id })
  if (!send) throw new Error(`send ${id} vanished within its own transaction`)
  return send
}

/**
 * The condition of a send that is in its lane: it is to go out, ready or not. A send that a restored database holds
 * waits for a person, and nothing waits for it.
 */
export const IN_LANE = sql`settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'`

/** The lane's oldest send: those behind it wait for it. */
export function headOfLane(lane: string): Steps<Row | undefined> {
  return one<Row>(sql`SELECT * FROM sends WHERE lane = ${lane} AND ${IN_LANE} ORDER BY seq LIMIT 1`)
}

/** See `Store.underWay`. */
export function* underWay(number: string, customer: string | undefined, by: number): Steps<UnderWay> {
  const to = sql`number = ${number} ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}`
  const begunIn = (lanes: Query) =>
    one(sql`
      SELECT 1 FROM sends WHERE ${lanes} AND settled_at IS NULL AND first_attempt_at <= ${by} AND ${to} LIMIT 1`)
  const lanes = customer === undefined ? number : customerLane({ number, customer })
  const begun = (yield* begunIn(inLanesOf(lanes))) ?? (yield* begunIn(inLanesOf('code')))
  const unknown = yield* one(sql`SELECT 1 FROM sends WHERE state = 'unknown' AND ${to} LIMIT 1`)
  return { begun: begun !== undefined, unknown: unknown !== undefined }
}

/** The state that people see, by the rule `isHeld`. */
export const SHOWN_STATE = sql`
  CASE WHEN state = 'ready' AND withheld = 0 AND number IN (SELECT number FROM throttles WHERE stopped = 1)
    THEN 'held' ELSE state END`

/** See `Store.listSends`. */
export function* listSends(query: SendQuery): Steps<SendPage> {
  const { state, limit } = query
  const rows =
    state !== undefined && WAITING.includes(state)
      ? yield* waitingRows(state, query)
      : yield* rowsThat(sql`${state === undefined ? sql`true` : inState(state)} ${filterOf(query)}`, limit)
  return { sends: yield* shownRows(rows), next: rows.length < limit ? undefined : rows.at(-1)?.seq }
}

const WAITING: readonly SendState[] = ['held', 'ready', 'attempting']

/** If many wait they are among the newest; the few of a large table are found by their lanes, or by their state. */
function* waitingRows(state: SendState, query: SendQuery): Steps<readonly Row[]> {
  const last = yield* one<{ seq: number }>(sql`SELECT seq FROM sends ORDER BY seq DESC LIMIT 1`)
  const from = Math.max(query.newerThan ?? 0, (query.after ?? last?.seq ?? 0) - NEWEST)
  const isMeant = sql`settled_at IS NULL AND ${SHOWN_STATE} = ${state}`
  const newest = yield* rowsThat(sql`${isMeant} ${filterOf({ ...query, newerThan: from })}`, query.limit)
  if (newest.length === query.limit) return newest
  return yield* rowsThat(
    sql`seq IN (
      SELECT seq FROM sends WHERE lane IN (
        SELECT key FROM lanes WHERE kind IN ('send', 'code') AND ready_at IS NOT NULL) AND ${isMeant}
      UNION SELECT seq FROM sends WHERE ${INDEXED_SEND} AND state = ${state}) ${filterOf(query)}`,
    query.limit,
  )
}

const NEWEST = 2_000

/** SQL condition for sends in a state that nearly all are in, or that has an index. */
function inState(state: SendState): Query {
  return state === 'accepted' ? sql`state = ${state}` : sql`${INDEXED_SEND} AND state = ${state}`
}

function filterOf({ after, newerThan, number, customer }: SendQuery): Query {
  return sql`
    ${when(after !== undefined, () => sql`AND seq < ${after}`)}
    ${when(newerThan !== undefined, () => sql`AND seq > ${newerThan}`)}
    ${when(number !== undefined, () => sql`AND number = ${number}`)}
    ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}`
}

function rowsThat(are: Query, limit: number): Steps<readonly Row[]> {
  return all<Row>(sql`SELECT * FROM sends WHERE ${are} ORDER BY seq DESC LIMIT ${limit}`)
}

/** The sends that a condition, with its order, names. */
export function* sendsOf(condition: Query): Steps<readonly SendRow[]> {
  return yield* shownRows(yield* all<Row>(sql`SELECT * FROM sends WHERE ${condition}`))
}

function* shownRows(rows: readonly Row[]): Steps<readonly SendRow[]> {
  const stopped = new Map((yield* stoppedThrottles()).map((throttle) => [throttle.number, throttle]))
  return rows.map((row) => sendOf(row, stopped.get(row.number)))
}

/** @param throttle that of the row's number, if it has one. */
export function sendOf(row: NewRow, throttle: NumberThrottle | undefined): SendRow {
  const { fallback_key: key, fallback_body: body } = row
  const withheld = row.withheld === 1
  const shown = isHeld({ state: row.state, withheld }, throttle)
    ? { state: 'held' as const, code: throttle.code, reason: throttle.reason }
    : { state: row.state, code: row.code ?? undefined, reason: row.reason ?? undefined }
  return {
    ...shown,
    id: row.id,
    key: row.key,
    number: row.number,
    customer: row.customer,
    lane: row.lane,
    cause: row.cause,
    slot: row.slot,
    ref: row.ref ?? undefined,
    delivery: row.delivery ?? undefined,
    via: row.via,
    body: row.body,
    fallback: key === null || body === null ? undefined : { key, body },
    attempts: row.attempts,
    firstAttemptAt: row.first_attempt_at ?? undefined,
    attemptingSince: row.attempting_since ?? undefined,
    nextAt: row.next_at,
    messageId: row.message_id ?? undefined,
    upstreamId: row.upstream_id ?? undefined,
    possiblyTwice: row.possibly_twice === 1,
    diverged: row.diverged === 1,
    createdAt: row.created_at,
    settledAt: row.settled_at ?? undefined,
    dueAt: row.due_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    withheld,
    awaitedUntil: row.awaited_until ?? undefined,
    trace: row.trace ?? undefined,
  }
}
