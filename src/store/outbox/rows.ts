import { stoppedThrottles, throttleOf } from './throttles.ts'
import { unlessForgotten } from '../customers/forgotten.ts'
import { inTexts, type Query, sql, when } from '../database/sql.ts'
import { type RowOf } from '../database/table.ts'
import {
  sends,
  throttles,
  type SendRow,
  type SendState,
  type ByPerson,
  type SendFields,
} from '../database/outbox-tables.ts'
import { all, exists, nextOfPage, one, type Steps } from '../database/steps.ts'
import { numberNamesOf } from '../work/subscriptions.ts'
import { isShownAsHeld, type NumberThrottle } from './send-rules.ts'

/** A message that a person writes now. `onlyIf` and `recorded` run in the commit that records it. */
export interface WritingPerson extends ByPerson {
  /** Called if the key is new. Unless it returns true, the message is not recorded. */
  readonly onlyIf?: (() => Steps<boolean>) | undefined
  /** Called if the message is to go out. */
  readonly recorded?: (() => Steps<void>) | undefined
}

export interface NewSend extends SendFields {
  /** The app's own request, if that is not the body. A rerun's request is compared with it. */
  readonly asked?: string | undefined
  /** For a reply: the time of the request. In a silence the reply is not sent. */
  readonly repliedAt?: number | undefined
  /** For marketing: the time of the request, and whether an opt-out on another number counts. */
  readonly marketing?: { readonly at: number; readonly anyNumber: boolean } | undefined
  /**
   * Called in the commit: unless it returns true, nothing is recorded. A send with this function is not opened
   * again after a person has cancelled it.
   */
  readonly onlyIf?: (() => Steps<boolean>) | undefined
  /** For a text without a fallback: refuse it if the customer has surely not written since this service time. */
  readonly needsInboundSince?: number | undefined
  /** The parts that follow this one, recorded in the same commit. */
  readonly later?: readonly NewSend[] | undefined
  /** True if the app gave a key and a time. If it asks for another time, a send that has not begun is moved. */
  readonly moves?: boolean | undefined
  readonly byPerson?: WritingPerson | undefined
}

/**
 * Ways to find a send. The third uses the ids that a status contains. `number` may be a shared subscription: then the
 * send is of one of its numbers. Default: any number.
 */
export type SendBy =
  | { readonly id: string }
  | { readonly key: string }
  | { readonly messageId?: string | undefined; readonly upstreamId?: string | undefined; readonly number?: string }

export interface SendQuery {
  readonly state?: SendState | undefined
  readonly number?: string | undefined
  readonly customer?: string | undefined
  /** Return only rows with a higher `seq`, which were recorded later. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number | undefined
}

export type Row = RowOf<typeof sends>

export type NewRow = Omit<Row, 'seq'>

export function* findSend(by: SendBy): Steps<SendRow | undefined> {
  const row = yield* findRow(by)
  return row && (yield* shown(row))
}

export function* shown(row: Row): Steps<SendRow> {
  return sendRowOf(row, row.state === 'ready' ? yield* throttleOf(row.number) : undefined)
}

export function* findRow(by: SendBy): Steps<Row | undefined> {
  if ('id' in by) return yield* one<Row>(sql`SELECT * FROM ${sends} WHERE id = ${by.id}`)
  if ('key' in by) return yield* one<Row>(sql`SELECT * FROM ${sends} WHERE key = ${by.key}`)
  const { messageId, upstreamId, number } = by
  const own = when(number !== undefined, () => sql`AND number ${inTexts(numberNamesOf(number ?? ''))}`)
  const named =
    messageId === undefined
      ? undefined
      : yield* one<Row>(sql`SELECT * FROM ${sends} WHERE message_id = ${messageId} ${own}`)
  if (named || upstreamId === undefined) return named
  return yield* one<Row>(sql`SELECT * FROM ${sends} WHERE upstream_id = ${upstreamId} ${own}`)
}

export function* presentSend(id: string): Steps<SendRow> {
  const send = yield* findSend({ id })
  if (!send) throw new Error(`send ${id} vanished within its own transaction`)
  return send
}

/** Lists sends that had begun by a wall time and have not ended, or are `unknown`. */
export function* underWay(number: string, customer: string | undefined, by: number) {
  const attempting = yield* isAttempting(number, customer, by)
  const unknown = yield* exists(sql`
    SELECT 1 FROM ${sends} WHERE ${BY_STATE} AND state = 'unknown' AND ${sentTo(number, customer)} LIMIT 1`)
  return { attempting, unknown }
}

export function isAttempting(number: string, customer: string | undefined, by: number): Steps<boolean> {
  return exists(sql`
    SELECT 1 FROM ${sends} WHERE place < 2 AND first_attempt_at <= ${by} AND ${sentTo(number, customer)} LIMIT 1`)
}

function sentTo(number: string, customer: string | undefined): Query {
  return sql`number = ${number} ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}`
}

/** The condition of an index. A database uses the index only for queries that contain the condition literally. */
export const BY_STATE = sql`state <> 'ready' AND state <> 'attempting' AND state <> 'accepted'`

const IN_LANE = sql`SELECT seq FROM ${sends} WHERE place < 2 UNION ALL SELECT seq FROM ${sends} WHERE place = 2`

const HELD = sql`SELECT seq FROM ${sends} WHERE ${BY_STATE} AND state = 'held'`

export const OPEN_SENDS = sql`(
  ${IN_LANE} UNION ALL ${HELD} UNION ALL SELECT seq FROM ${sends} WHERE state = 'scheduled')`

export const SHOWN_STATE = sql`
  CASE WHEN state = 'ready' AND withheld = 0 AND number IN (SELECT number FROM ${throttles} WHERE stopped = 1)
    THEN 'held' ELSE state END`

export function* listSends(query: SendQuery) {
  const { limit, customer } = query
  const theirs = customer === undefined ? sql`` : yield* unlessForgotten('sends', customer, sql`number`, sql`seq`)
  const rows = yield* all<Row>(sql`
    SELECT * FROM ${sends} WHERE ${inState(query.state)} ${filterOf(query)} ${theirs} ORDER BY seq DESC LIMIT ${limit}`)
  return { sends: yield* shownRows(rows), next: nextOfPage(rows, limit)?.seq }
}

export function inState(state: SendState | undefined): Query {
  switch (state) {
    case undefined:
      return sql`true`
    case 'accepted':
      return sql`state = 'accepted'`
    case 'ready':
    case 'attempting':
      return sql`seq IN (${IN_LANE}) AND ${SHOWN_STATE} = ${state}`
    case 'held':
      return sql`seq IN (${IN_LANE} UNION ALL ${HELD}) AND ${SHOWN_STATE} = 'held'`
    default:
      return sql`${BY_STATE} AND state = ${state}`
  }
}

function filterOf({ after, newerThan, number, customer }: SendQuery): Query {
  return sql`
    ${when(after !== undefined, () => sql`AND seq < ${after}`)}
    ${when(newerThan !== undefined, () => sql`AND seq > ${newerThan}`)}
    ${when(number !== undefined, () => sql`AND number = ${number}`)}
    ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}`
}

export function* sendsOf(condition: Query): Steps<readonly SendRow[]> {
  return yield* shownRows(yield* all<Row>(sql`SELECT * FROM ${sends} WHERE ${condition}`))
}

function* shownRows(rows: readonly Row[]): Steps<readonly SendRow[]> {
  const stopped = new Map((yield* stoppedThrottles()).map((throttle) => [throttle.number, throttle]))
  return rows.map((row) => sendRowOf(row, stopped.get(row.number)))
}

export function sendRowOf(row: NewRow, throttle: NumberThrottle | undefined): SendRow {
  const { fallback_key: key, fallback_body: body } = row
  const withheld = row.withheld === 1
  const shown = isShownAsHeld({ state: row.state, withheld }, throttle)
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
    isMarketing: row.marketing > 0,
    awaitedUntil: row.awaited_until ?? undefined,
    trace: row.trace ?? undefined,
    options: row.options === null ? undefined : (JSON.parse(row.options) as SendRow['options']),
    part: row.part_of === null ? undefined : { of: row.part_of, nth: Number(row.part) },
    byPerson: row.writer === null ? undefined : { writer: row.writer, seen: row.seen ?? 0 },
  }
}

export function* partsOf(first: string): Steps<readonly SendRow[]> {
  return yield* sendsOf(sql`part_of = ${first} ORDER BY part`)
}

/** Returns true for the first item that uses the options of a send, also when that item runs again. */
export function* useOption(send: string, cause: string): Steps<boolean> {
  const used = yield* one<{ by: string }>(sql`
    UPDATE ${sends} SET used_by = coalesce(used_by, ${cause}) WHERE id = ${send} RETURNING used_by AS by`)
  return used?.by === cause
}

export type CausedSend = Pick<Row, 'seq' | 'id' | 'state' | 'cause' | 'number' | 'settled_at'>

export function* sendsOfItems(items: readonly Caused[]): Steps<readonly CausedSend[]> {
  if (items.length === 0) return []
  const found = yield* all<CausedSend>(sql`
    SELECT seq, id, state, cause, number, settled_at FROM ${sends}
    WHERE cause ${inTexts(items.flatMap(({ cause }) => cause ?? []))}`)
  return sendsIn(found, items).toSorted((a, b) => a.seq - b.seq)
}

interface Caused {
  readonly cause: string | null
  readonly number: string | null
}

export function sendsIn(sends: readonly CausedSend[], items: readonly Caused[]): readonly CausedSend[] {
  const known = new Set(items.map(keyOf))
  return sends.filter((send) => known.has(keyOf(send)))
}

export function keyOf({ cause, number }: Caused): string {
  return JSON.stringify([cause, number])
}
