import { inNumbers, inTexts, NOTHING, type Query, sql, when } from '../database/sql.ts'
import { all, allAs, exists, nextOfPage, one, oneAs, type Steps, valuesOf } from '../database/steps.ts'
import { SHARES_BYTES_OF } from '../inbox/unread.ts'
import { unlessForgotten } from '../customers/forgotten.ts'
import { sendsOfItems } from '../outbox/rows.ts'
import { countBehind } from '../work/lanes.ts'
import {
  contents,
  inbox,
  once_results,
  work,
  type InboxState,
  type DeliveryState,
  type ItemState,
} from '../database/inbox-tables.ts'
import type { NewDelivery } from '../inbox/accept.ts'
import { type Failure, OWN_SUBSCRIPTION, type NewItem } from '../work/items.ts'

export interface DeliveryQuery {
  readonly states?: readonly InboxState[] | undefined
  readonly event?: string | undefined
  readonly number?: string | undefined
  readonly customer?: string | undefined
  readonly receivedFrom?: number | undefined
  /** Return only rows with a higher id, which were stored later. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number | undefined
}

export interface DeliveryRow
  extends Pick<NewDelivery, 'subscription' | 'deliveryId' | 'event' | 'timestamp' | 'receivedAt' | 'clockOffset'> {
  readonly seq: number
  readonly state: DeliveryState
  readonly pending: boolean
  /** The first delivery with the same id, or with the same signed bytes. */
  readonly resembles: number | undefined
  readonly repeats: number
  readonly note: string | undefined
  readonly hasBytes: boolean
  readonly items: readonly ItemRow[]
}

export interface ItemRow extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at'> {
  readonly id: number
  readonly state: ItemState
  /** Attempts; undefined after the item was settled: the count is deleted with its work row. */
  readonly attempts: number | undefined
  /** Wall time of the next attempt. */
  readonly readyAt: number
  /** How many items of the lane wait because of this one's back-off. */
  readonly behind: number
  /** Set if the item is in a bundle (`sealed` is true), or is being gathered for one. */
  readonly bundle: { readonly sealed: boolean; readonly deliveries: readonly number[] } | undefined
  readonly reason: string | undefined
  /** Wall time of the ingest, or of a person's retry. */
  readonly createdAt: number
}

/** A delivery that was verified and understood, with its bytes. */
export interface RecordedDelivery {
  readonly seq: number
  readonly event: string
  readonly body: Uint8Array
  readonly deliveryId: string
  readonly subscription: string
  readonly at: number
  /** The facts of its first message, as stored. */
  readonly facts?: string | null
}

/** The state of an item `i` with its work row `w`, as people see it. A closed item without a mark is done. */
export const ITEM_STATE = sql`
  CASE WHEN w.item IS NULL THEN coalesce(i.mark, 'done') WHEN w.state IN ('gathering', 'unread') THEN 'stored'
    WHEN w.state = 'running' AND coalesce(w.place, 1) <> 1 THEN 'stored'
    WHEN w.state IN ('forgotten', 'forgetting') THEN 'running' ELSE w.state END`

export const DELIVERY_STATE = sql`CASE WHEN d.kind IS NULL THEN coalesce(d.mark, 'stored') ELSE 'stored' END`

const IS_UNREAD = sql`EXISTS (
  SELECT 1 FROM ${work} u WHERE u.state = 'unread' AND u.item IN (SELECT id FROM ${inbox} e WHERE e.id = d.id OR e.delivery = d.id))`

const DELIVERY = sql`
  SELECT d.id AS seq, d.subscription, coalesce(d.delivery_id, d.other_id) AS "deliveryId", d.event, d.timestamp,
    d.received_at AS "receivedAt", d.clock_offset AS "clockOffset",
    ${DELIVERY_STATE} AS state,
    CASE WHEN ${IS_UNREAD} THEN 1 ELSE 0 END AS pending, d.first AS resembles, d.repeats, d.note,
    CASE WHEN EXISTS (
      SELECT 1 FROM ${contents} c WHERE c.body IS NOT NULL AND c.id IN (d.id, ${SHARES_BYTES_OF})
    ) THEN 1 ELSE 0 END AS "hasBytes"
  FROM ${inbox} d`

export function* listDeliveries(query: DeliveryQuery) {
  const { limit, after = Number.MAX_SAFE_INTEGER, newerThan = 0, customer } = query
  const theirs = customer === undefined ? sql`` : yield* unlessForgotten('items', customer, sql`i.number`, sql`d.id`)
  // `newerThan` is only a condition if needed: for a range with two ends PostgreSQL expects few rows, and sorts all of
  // them.
  const rows = yield* rowsOf(sql`
    ${DELIVERY} WHERE d.idx = 0 AND d.id < ${after}
      ${when(newerThan > 0, () => sql`AND d.id > ${newerThan}`)} ${matching(query, theirs)}
    ORDER BY d.id DESC LIMIT ${limit}`)
  return { deliveries: rows, next: nextOfPage(rows, limit)?.seq }
}

// For `done` the newest rows are read one by one, because nearly all are done. Other states have an index.
function matching(query: DeliveryQuery, theirs: Query = NOTHING): Query {
  const { states = [], event, receivedFrom } = query
  return sql`
    ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
    ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
    ${when(states.length > 0 && !states.includes('done'), () => sql`AND d.id IN (${idsInStates(states)})`)}
    ${withItem(query, theirs)}`
}

function withItem({ states, number, customer }: DeliveryQuery, theirs: Query): Query {
  if (!states && number === undefined && customer === undefined) return sql``
  const list = states ?? []
  const ofItem = sql`EXISTS (
    SELECT 1 FROM ${inbox} i LEFT JOIN ${work} w ON w.item = i.id
    WHERE (i.id = d.id OR i.delivery = d.id) AND i.kind IS NOT NULL
      ${when(states !== undefined, () => sql`AND ${ITEM_STATE} ${inTexts(list)}`)}
      ${when(number !== undefined, () => sql`AND i.number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND i.customer = ${customer}`)} ${theirs})`
  if (number !== undefined || customer !== undefined) return sql`AND ${ofItem}`
  return sql`AND (${ofItem} OR (d.kind IS NULL AND coalesce(d.mark, CASE WHEN ${IS_UNREAD} THEN 'stored' END) ${inTexts(list)}))`
}

/** Finds deliveries that may be in one of these states, except done: by their work rows and marks. */
function idsInStates(states: readonly InboxState[]): Query {
  return states
    .map((state) =>
      state === 'stored' || state === 'running' || state === 'retry'
        ? sql`SELECT coalesce(i.delivery, i.id) AS id FROM ${work} w JOIN ${inbox} i ON i.id = w.item
            WHERE w.state NOT IN ('parked', 'dead')`
        : state === 'parked' || state === 'dead'
          ? sql`SELECT coalesce(i.delivery, i.id) AS id FROM ${work} w JOIN ${inbox} i ON i.id = w.item
              WHERE w.place IS NULL AND w.state = ${state}`
          : sql`SELECT coalesce(m.delivery, m.id) AS id FROM ${inbox} m WHERE m.mark = ${state}`,
    )
    .reduce((before, part) => sql`${before} UNION ${part}`)
}

export function* restingSeqs(query: DeliveryQuery & { readonly states: readonly InboxState[] }) {
  if (query.states.length === 0 || query.states.includes('done')) return []
  const rows = yield* all<{ id: number }>(sql`
    SELECT d.id FROM ${inbox} d WHERE d.idx = 0 ${matching(query)} ORDER BY d.id LIMIT ${query.limit}`)
  return rows.map(({ id }) => id)
}

export function* deliveries(seqs: readonly number[]): Steps<DeliveryRow[]> {
  return yield* rowsOf(sql`
    ${DELIVERY} WHERE d.idx = 0 AND d.id ${inNumbers(seqs)} ORDER BY d.id DESC`)
}

export function* deliveriesWithId(deliveryId: string): Steps<DeliveryRow[]> {
  const others = sql`inbox WHERE delivery_id IS NOT NULL AND subscription > ${OWN_SUBSCRIPTION}`
  const known = yield* all(valuesOf(sql`subscription`, others))
  const names = [OWN_SUBSCRIPTION, ...known.map(({ value }) => value)]
  // There are two queries: without statistics, PostgreSQL would read all rows to find these few ids in one query.
  const found = yield* all<{ id: number }>(sql`
    SELECT id FROM ${inbox} WHERE delivery_id = ${deliveryId} AND subscription ${inTexts(names)}
    UNION SELECT id FROM ${inbox} WHERE other_id = ${deliveryId}`)
  return yield* rowsOf(sql`
    ${DELIVERY} WHERE d.id ${inNumbers(found.map(({ id }) => id))} ORDER BY d.id DESC`)
}

interface Row extends Omit<DeliveryRow, 'pending' | 'hasBytes' | 'items'> {
  readonly pending: number
  readonly hasBytes: number
}

function* rowsOf(query: Query): Steps<DeliveryRow[]> {
  const rows = yield* allAs<Row>(query)
  const items = yield* itemsOfEach(rows.map(({ seq }) => seq))
  return rows.map((row) => ({
    ...row,
    pending: row.pending === 1,
    hasBytes: row.hasBytes === 1,
    items: items.get(row.seq) ?? [],
  }))
}

interface Item extends Omit<ItemRow, 'bundle' | 'behind'> {
  readonly seq: number
  readonly bundle: number | undefined
  readonly isGathered: 0 | 1
  readonly lane: string
  readonly place: number | undefined
}

function* itemsOfEach(seqs: readonly number[]): Steps<Map<number, ItemRow[]>> {
  const found = new Map<number, ItemRow[]>()
  if (seqs.length === 0) return found
  const rows = yield* allAs<Item>(sql`
    SELECT i.id, coalesce(i.delivery, i.id) AS seq, i.idx, i.kind, i.number, i.customer, i.at,
      ${ITEM_STATE} AS state, w.attempts, coalesce(w.due, (SELECT r.due FROM ${work} r WHERE r.item = i.bundle), 0) AS "readyAt", i.bundle, i.lane, w.place,
      CASE w.state WHEN 'gathering' THEN 1 ELSE 0 END AS "isGathered",
      coalesce(w.reason, CASE i.cause WHEN 'forgotten' THEN 'forgotten' END) AS reason, coalesce(w.since, (SELECT d.received_at FROM ${inbox} d WHERE d.id = coalesce(i.delivery, i.id))) AS "createdAt"
    FROM ${inbox} i LEFT JOIN ${work} w ON w.item = i.id
    WHERE i.kind IS NOT NULL AND (i.id ${inNumbers(seqs)} OR i.delivery ${inNumbers(seqs)}) ORDER BY i.id`)
  for (const { seq, lane, bundle, isGathered, place, ...item } of rows) {
    const items = found.get(seq) ?? []
    found.set(seq, items)
    items.push({
      ...item,
      behind: item.state === 'retry' && place === 0 ? yield* countBehind(lane) : 0,
      bundle: bundle === undefined && isGathered === 0 ? undefined : yield* itemBundle(bundle, lane),
    })
  }
  return found
}

/** Returns the bundle of an item, or the items that are being gathered in its lane. */
function* itemBundle(bundle: number | undefined, lane: string): Steps<ItemRow['bundle']> {
  const rows = yield* all<{ seq: number }>(
    bundle === undefined
      ? sql`
        SELECT coalesce(i.delivery, i.id) AS seq FROM ${work} w JOIN ${inbox} i ON i.id = w.item
        WHERE w.state = 'gathering' AND w.lane = ${lane} ORDER BY i.at, i.id`
      : sql`SELECT coalesce(delivery, id) AS seq FROM ${inbox} WHERE bundle = ${bundle} ORDER BY at, id`,
  )
  return { sealed: bundle !== undefined, deliveries: [...new Set(rows.map(({ seq }) => seq))] }
}

export function hasDeliveriesOf(subscription: string): Steps<boolean> {
  return exists(sql`SELECT 1 FROM ${inbox} WHERE subscription = ${subscription} AND delivery_id IS NOT NULL LIMIT 1`)
}

export function* deliveryDetail(seq: number) {
  const found = yield* oneAs<{ readonly digest: Uint8Array; readonly body: Uint8Array | undefined }>(sql`
    SELECT coalesce(d.digest, r.digest) AS digest,
      coalesce(c.body, o.body) AS body
    FROM ${inbox} d LEFT JOIN ${contents} c ON c.id = d.id LEFT JOIN ${inbox} r ON r.id = d.first
      LEFT JOIN ${contents} o ON o.id = ${SHARES_BYTES_OF}
    WHERE d.id = ${seq} AND d.idx = 0`)
  if (!found) return undefined
  const causes = yield* all<{ cause: string; number: string }>(sql`
    SELECT cause, number FROM ${inbox} WHERE (id = ${seq} OR delivery = ${seq}) AND kind IS NOT NULL`)
  const sends = yield* sendsOfItems(causes)
  const resembling = yield* all<{ seq: number }>(sql`SELECT id AS seq FROM ${inbox} WHERE first = ${seq} ORDER BY id`)
  return {
    ...found,
    items: yield* itemDetails(seq),
    sends: sends.map(({ id, state }) => ({ id, state })),
    resembledBy: resembling.map((other) => other.seq),
  }
}

interface DetailRow {
  readonly id: number
  readonly facts: string | undefined
  readonly cause: string
  readonly identity: string | undefined
  readonly completed: string | undefined
  readonly failure: string | undefined
}

function* itemDetails(seq: number) {
  const rows = yield* allAs<DetailRow>(sql`
    SELECT i.id, f.facts, i.cause, i.identity, w.completed, w.failure
    FROM ${inbox} i LEFT JOIN ${contents} f ON f.id = i.id LEFT JOIN ${work} w ON w.item = i.id
    WHERE (i.id = ${seq} OR i.delivery = ${seq}) AND i.kind IS NOT NULL ORDER BY i.id`)
  const kept = yield* all<{ item: number; name: string }>(sql`
    SELECT item, name FROM ${once_results} WHERE item IN (SELECT id FROM ${inbox} WHERE id = ${seq} OR delivery = ${seq})
    ORDER BY item, name`)
  return rows.map(({ completed, failure, ...row }) => ({
    ...row,
    completedHandlers: completed === undefined ? [] : (JSON.parse(completed) as string[]),
    once: kept.filter(({ item }) => item === row.id).map(({ name }) => name),
    failure: failure === undefined ? undefined : (JSON.parse(failure) as Failure),
  }))
}

// ── recorded deliveries ─────────────────────────────────────────────────────────────────────────────

// Deliveries that were understood. A suspected replay, a conflict or a stale delivery may be forged, or have another
// event's name, which is not signed. The bot's own deliveries are not the service's.
const UNDERSTOOD = sql`
  d.idx = 0 AND d.event IS NOT NULL AND d.subscription <> ${OWN_SUBSCRIPTION}
  AND (d.kind IS NOT NULL OR d.mark IS NULL OR d.mark IN ('ignored', 'rested', 'rendered_anew'))`

const AT_ONCE = 2_000

export interface RecordedQuery {
  readonly event?: string | undefined
  readonly receivedFrom?: number | undefined
  readonly after: number
  readonly limit: number
}

type Read = <T>(operation: () => Steps<T>) => Promise<T>

/**
 * Lists recorded deliveries. Millions of rows without bytes may come before the first one, so each query reads a
 * limited number of rows.
 */
export async function recordedDeliveries(read: Read, query: RecordedQuery): Promise<readonly RecordedDelivery[]> {
  const found: RecordedDelivery[] = []
  let after: number | undefined = query.after
  while (after !== undefined && found.length < query.limit) {
    const rest: RecordedQuery = { ...query, after, limit: query.limit - found.length }
    const portion = await read(() => recordedPortion(rest))
    found.push(...portion.found)
    after = portion.next
  }
  return found
}

function* recordedPortion({ event, receivedFrom, after, limit }: RecordedQuery) {
  const end = yield* one<{ id: number }>(sql`
    SELECT id FROM ${inbox} WHERE id > ${after} ORDER BY id LIMIT 1 OFFSET ${AT_ONCE - 1}`)
  const found = yield* all<RecordedDelivery>(sql`
    SELECT d.id AS seq, d.event, coalesce(d.delivery_id, d.other_id) AS "deliveryId", d.subscription,
      d.received_at + d.clock_offset AS at, c.body, c.facts
    FROM ${inbox} d JOIN ${contents} c ON c.id = d.id AND c.body IS NOT NULL
    WHERE d.id > ${after} AND d.id <= ${end?.id ?? Number.MAX_SAFE_INTEGER} AND ${UNDERSTOOD}
      ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
      ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
    ORDER BY d.id LIMIT ${limit}`)
  return { found, next: end?.id }
}
