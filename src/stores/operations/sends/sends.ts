import { customerLane, inLanesOf } from '../lanes/lanes.ts'
import { asThrottle, stoppedThrottles, throttleOf, type ThrottleRow } from './throttles.ts'
import { all, one, Query, sql, type Steps, when } from '../steps.ts'
import type {
  CustomerOfNumber,
  DeliveryQuery,
  DueSend,
  InboxState,
  Mute,
  NumberThrottle,
  RestingQuery,
  SendBy,
  SendPage,
  SendQuery,
  SendRow,
  SendState,
  UnderWay,
  Via,
} from '../../port/index.ts'
import { isHeld } from '../../rules/sends.ts'

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
  held_from: SendState | null
  awaited_until: number | null
  trace: string | null
}

/** A row before the database has given it its place in the order of recording. */
export type NewRow = Omit<Row, 'seq'>

export function* findSend(by: SendBy): Steps<SendRow | undefined> {
  const row = yield* findRow(by)
  return row && (yield* shown(row))
}

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

/** Tells of sends that may stand on the phone without our knowing, to that customer or to anybody of that number. */
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

/** Sends by the order of recording, the newest first, a page at a time: ask with `next` until there is none. */
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

/** The conditions of the indexes by state, word for word: an engine uses such an index for these words alone. */
export const INDEXED_ITEM = indexedItem('state')
const INDEXED_DELIVERY = noneOf('d.state', ['stored'])
export const INDEXED_SEND = noneOf('state', ['ready', 'attempting', 'accepted'])

function indexedItem(column: string): Query {
  return noneOf(column, ['stored', 'running', 'done'])
}

function noneOf(column: string, states: readonly string[]): Query {
  return new Query(states.map((state) => `${column} <> '${state}'`).join(' AND '))
}

/** Nearly all deliveries are in it: the newest of them are found at once. */
const COMMON: InboxState = 'done'

type Filter = Omit<DeliveryQuery, 'limit' | 'states'> & { readonly states: readonly InboxState[] }
type Wanted = Filter & { readonly limit: number; readonly oldestFirst?: boolean }

/**
 * SQL for the numbers of the deliveries in these states, so many of each at most; undefined if one of the states is too
 * common for an index.
 */
export function seqsByState(wanted: Wanted): Query | undefined {
  if (wanted.states.length === 0 || wanted.states.includes(COMMON)) return undefined
  return wanted.states
    .flatMap((state) => partsOf(state, wanted))
    .map((part) => sql`SELECT seq FROM (${part}) AS found`)
    .reduce((before, part) => sql`${before} UNION ${part}`)
}

function partsOf(state: InboxState, wanted: Wanted): Query[] {
  const { number, customer } = wanted
  const waits = state === 'stored' || state === 'running'
  const looksAtDelivery = wanted.event !== undefined || wanted.receivedFrom !== undefined
  // If the delivery's row went first, its item is left as a claim alone, without its cause.
  const items = sql`
    SELECT DISTINCT i.seq FROM items i ${when(looksAtDelivery, () => sql`JOIN deliveries d ON d.seq = i.seq`)}
    WHERE i.cause <> '' AND ${waits ? sql`i.settled_at IS NULL` : indexedItem('i.state')} AND i.state = ${state}
      ${when(number !== undefined, () => sql`AND i.number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND i.customer = ${customer}`)}
      ${ofDeliveries('i.seq', wanted)}`
  // A delivery that was never read has no number and no customer.
  if (state === 'running' || number !== undefined || customer !== undefined) return [items]
  if (state === 'stored')
    return [
      items,
      sql`SELECT p.seq FROM pending p JOIN deliveries d ON d.seq = p.seq
        WHERE d.state = 'stored' ${ofDeliveries('p.seq', wanted)}`,
    ]
  return [
    items,
    sql`SELECT d.seq FROM deliveries d
      WHERE ${INDEXED_DELIVERY} AND d.state = ${state} ${ofDeliveries('d.seq', wanted)}`,
  ]
}

function ofDeliveries(seq: string, { after, newerThan, event, receivedFrom, limit, oldestFirst }: Wanted): Query {
  const column = new Query(seq)
  return sql`
    ${when(after !== undefined, () => sql`AND ${column} < ${after}`)}
    ${when(newerThan !== undefined, () => sql`AND ${column} > ${newerThan}`)}
    ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
    ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
    ORDER BY ${column} ${new Query(oldestFirst === true ? 'ASC' : 'DESC')} LIMIT ${limit}`
}

export function* restingSeqs(query: RestingQuery): Steps<number[]> {
  const seqs = seqsByState({ ...query, oldestFirst: true })
  if (seqs === undefined) return []
  const rows = yield* all<{ seq: number }>(sql`
    SELECT seq FROM (${seqs}) AS resting ORDER BY seq LIMIT ${query.limit}`)
  return rows.map(({ seq }) => seq)
}

/** The facts that decide, beside its row, whether a send goes out now, and how. The mute may be over. */
export type SendFacts = Omit<DueSend, 'send' | 'begun'>

export interface FactsRow extends ThrottleRow {
  readonly last_at: number | null
  readonly unread: unknown
  readonly why: Mute['why'] | null
  readonly muted_since: number
  readonly muted_until: number
}

/** The columns of `FactsRow`, of a customer of a number, `who`, with what is joined to it. */
export const FACTS = sql`
  t.number, t.since, t.stopped, t.closed_until, t.in_a_row, t.code, t.reason, w.last_at,
  m.why, m.since AS muted_since, m.until AS muted_until, EXISTS (SELECT 1 FROM pending) AS unread`

export const JOINED_FACTS = sql`
  LEFT JOIN throttles t ON t.number = who.number
  LEFT JOIN mutes m ON m.number = who.number AND m.customer = who.customer
  LEFT JOIN lanes w ON w.key = who.own_lane`

export function* sendFacts(who: CustomerOfNumber): Steps<SendFacts> {
  const { number, customer } = who
  const row = yield* one<FactsRow>(sql`
    SELECT ${FACTS}
    FROM (SELECT ${number} AS number, ${customer} AS customer, ${customerLane(who)} AS own_lane) AS who ${JOINED_FACTS}`)
  return factsIn(row as FactsRow, who)
}

export function factsIn(row: FactsRow, { number, customer }: CustomerOfNumber): SendFacts {
  const { why, muted_since: since, muted_until: until } = row
  return {
    throttle: row.number === null ? undefined : asThrottle(row),
    lastInboundAt: row.last_at ?? undefined,
    unread: Boolean(row.unread),
    mute: why === null ? undefined : { number, customer, why, since, until },
  }
}

/** A mute counts for replies alone. */
export function dueSend(row: NewRow, { mute, ...facts }: SendFacts): DueSend {
  return { send: sendOf(row, facts.throttle), ...facts, mute: row.unless_muted === 1 ? mute : undefined }
}
