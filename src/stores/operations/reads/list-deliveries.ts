import { GATHERED } from '../items/bursts.ts'
import { placeOfBody } from '../items/contents.ts'
import { itemIdsOf, ofDelivery } from '../items/item-ids.ts'
import { sendsOfCauses } from '../pruning/stages.ts'
import { seqsByState } from '../sends/sends.ts'
import { all, allAs, one, oneAs, Query, sql, type Steps, when } from '../steps.ts'
import {
  type DeliveryDetail,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryRow,
  type Failure,
  type ItemBurst,
  type ItemDetail,
  type ItemRow,
  OWN_SUBSCRIPTION,
  type RecordedDelivery,
} from '../../port/index.ts'

const IS_PENDING = '(SELECT 1 FROM pending p WHERE p.seq = d.seq) IS NOT NULL'
const COLUMNS = new Query(`
  SELECT d.seq, d.subscription, d.delivery_id AS "deliveryId", d.event, d.timestamp, d.received_at AS "receivedAt",
    d.clock_offset AS "clockOffset", d.state, CASE WHEN ${IS_PENDING} THEN 1 ELSE 0 END AS pending, d.of_seq AS resembles,
    d.repeats, d.note, CASE WHEN ${placeOfBody('d').text} IS NULL THEN 0 ELSE 1 END AS "hasBytes"
  FROM deliveries d`)

/** Deliveries by their arrival, the newest first, a page at a time: ask with `next` until there is none. */
export function* listDeliveries(query: DeliveryQuery): Steps<DeliveryPage> {
  const { limit } = query
  const deliveries = yield* matchingRows(query)
  return { deliveries, next: deliveries.length < limit ? undefined : deliveries.at(-1)?.seq }
}

/** Waiting ones are among the newest if there are many. */
const NEWEST = 2_000

function* matchingRows(query: DeliveryQuery): Steps<DeliveryRow[]> {
  const { limit, states = [], after, newerThan = 0 } = query
  const page = (are: Query) => rowsOf(sql`${COLUMNS} WHERE ${are} ORDER BY d.seq DESC LIMIT ${limit}`)
  const byState = seqsByState({ ...query, states })
  if (!byState) return yield* page(inOrder(query))
  if (states.includes('stored')) {
    const last = yield* one<{ seq: number }>(sql`SELECT seq FROM deliveries ORDER BY seq DESC LIMIT 1`)
    const from = Math.max(newerThan, (after ?? last?.seq ?? 0) - NEWEST)
    const newest = yield* page(inOrder({ ...query, newerThan: from }))
    if (newest.length === limit) return newest
  }
  return yield* page(sql`d.seq IN (${byState})`)
}

function inOrder(query: DeliveryQuery): Query {
  const { after = Number.MAX_SAFE_INTEGER, newerThan = 0, event, receivedFrom } = query
  return sql`
    d.seq < ${after} AND d.seq > ${newerThan}
      ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
      ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
      ${matching(query)}`
}

// Reads the items of one delivery after the other: an index for so rare a question would cost every delivery.
function matching({ states, number, customer }: DeliveryQuery): Query {
  if (!states && number === undefined && customer === undefined) return sql``
  const list = JSON.stringify(states ?? [])
  const ofItem = sql`EXISTS (
    SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'd.seq')}
      ${when(states !== undefined, () => sql`AND i.state IN list(${list})`)}
      ${when(number !== undefined, () => sql`AND i.number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND i.customer = ${customer}`)})`
  if (number !== undefined || customer !== undefined) return sql`AND ${ofItem}`
  return sql`AND (${ofItem} OR
    CASE d.state WHEN 'stored' THEN CASE WHEN ${new Query(IS_PENDING)} THEN 'stored' END ELSE d.state END IN list(${list}))`
}

/** The deliveries with these numbers that exist, newest first. */
export function* deliveries(seqs: readonly number[]): Steps<DeliveryRow[]> {
  return yield* rowsOf(sql`${COLUMNS} WHERE d.seq IN numbers(${JSON.stringify(seqs)}) ORDER BY d.seq DESC`)
}

/**
 * All that came under this id, the newest first: in several subscriptions, or with other bytes or another event.
 *
 * The unique key knows the first delivery alone, and none that resembles it.
 */
export function* deliveriesWithId(deliveryId: string): Steps<DeliveryRow[]> {
  return yield* rowsOf(sql`
    ${COLUMNS} WHERE d.seq IN (
      ${SUBSCRIPTIONS}
      SELECT seq FROM deliveries
        WHERE holds_id = 1 AND subscription IN (SELECT name FROM subscriptions) AND delivery_id = ${deliveryId}
      UNION ALL SELECT seq FROM deliveries WHERE holds_id = 0 AND delivery_id = ${deliveryId})
    ORDER BY d.seq DESC`)
}

const SUBSCRIPTIONS = sql`
  WITH RECURSIVE subscriptions(name) AS (
    SELECT name FROM (
      SELECT subscription AS name FROM deliveries WHERE holds_id = 1 ORDER BY subscription LIMIT 1) AS first
    UNION ALL
    SELECT (SELECT subscription FROM deliveries WHERE holds_id = 1 AND subscription > subscriptions.name
      ORDER BY subscription LIMIT 1)
    FROM subscriptions WHERE name IS NOT NULL)`

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

interface Item extends Omit<ItemRow, 'burst'> {
  readonly seq: number
  readonly burst: number | undefined
  readonly lane: string
}

function* itemsOfEach(seqs: readonly number[]): Steps<Map<number, ItemRow[]>> {
  const found = new Map<number, ItemRow[]>()
  if (seqs.length === 0) return found
  const ids = yield* itemIdsOf(JSON.stringify(seqs))
  const rows = yield* allAs<Item>(sql`
    SELECT i.id, i.seq, i.idx, i.kind, i.number, i.customer, i.at, i.state, i.attempts, i.ready_at AS "readyAt", i.burst,
      i.lane, i.reason, i.created_at AS "createdAt", i.settled_at AS "settledAt",
      CASE WHEN i.state = 'retry' THEN (
        SELECT count(*) FROM lanes l JOIN items o ON o.lane = l.key AND o.settled_at IS NULL
          AND o.id <> i.id AND (o.burst IS NULL OR i.burst IS NULL OR o.burst <> i.burst)
        WHERE l.key = i.lane AND l.blocked_until = i.ready_at) ELSE 0 END AS behind
    FROM items i WHERE i.id IN numbers(${ids}) ORDER BY i.id`)
  for (const { seq, lane, burst, ...item } of rows) {
    const items = found.get(seq) ?? []
    found.set(seq, items)
    items.push({ ...item, burst: burst === undefined ? undefined : yield* itemBurst(burst, lane) })
  }
  return found
}

function* itemBurst(burst: number, lane: string): Steps<ItemBurst> {
  const rows = yield* all<{ seq: number }>(sql`
    SELECT seq FROM items WHERE burst = ${burst} AND lane = ${lane} ORDER BY at, id`)
  return { sealed: burst !== GATHERED, deliveries: [...new Set(rows.map(({ seq }) => seq))] }
}

/** The clock offset that the newest delivery came with; 0 if there is none. */
export function* lastClockOffset(): Steps<number> {
  const row = yield* one<{ clock_offset: number }>(sql`SELECT clock_offset FROM deliveries ORDER BY seq DESC LIMIT 1`)
  return row?.clock_offset ?? 0
}

/** True if a delivery of this subscription is known by its id. */
export function* hasDeliveriesOf(subscription: string): Steps<boolean> {
  const row = yield* one(sql`SELECT 1 FROM deliveries WHERE subscription = ${subscription} AND holds_id = 1 LIMIT 1`)
  return row !== undefined
}

/**
 * The subscriptions whose deliveries are known by their ids; the bot's own is none of them.
 *
 * One step into the index for each, however many deliveries there are.
 */
export function* subscriptions(): Steps<readonly string[]> {
  const next = (after: Query) => sql`
    SELECT subscription FROM deliveries WHERE subscription > ${after} AND holds_id = 1 ORDER BY subscription LIMIT 1`
  const rows = yield* all<{ name: string }>(sql`
    WITH RECURSIVE known(name) AS (
      SELECT subscription FROM (${next(sql`${OWN_SUBSCRIPTION}`)}) AS first
      UNION ALL
      SELECT (${next(sql`known.name`)}) FROM known WHERE name IS NOT NULL)
    SELECT name FROM known WHERE name IS NOT NULL`)
  return rows.map(({ name }) => name)
}

/** Undefined if there is no such delivery. */
export function* deliveryDetail(seq: number): Steps<DeliveryDetail | undefined> {
  const found = yield* oneAs<Pick<DeliveryDetail, 'digest' | 'body'>>(sql`
    SELECT d.digest, c.body FROM deliveries d LEFT JOIN contents c ON c.place = ${placeOfBody('d')} WHERE d.seq = ${seq}`)
  if (!found) return undefined
  const causes = yield* all<{ cause: string; number: string }>(sql`
    SELECT cause, number FROM items WHERE ${ofDelivery('items.id', seq)}`)
  const sends = yield* sendsOfCauses(causes)
  const resembling = yield* all<{ seq: number }>(sql`SELECT seq FROM deliveries WHERE of_seq = ${seq} ORDER BY seq`)
  return {
    ...found,
    items: yield* itemDetails(seq),
    sends: sends.map(({ id, state }) => ({ id, state })),
    resembledBy: resembling.map((other) => other.seq),
  }
}

interface DetailRow extends Omit<ItemDetail, 'completedHandlers' | 'once' | 'failure'> {
  readonly completed: string
  readonly failure: string | undefined
}

function* itemDetails(seq: number): Steps<ItemDetail[]> {
  const rows = yield* allAs<DetailRow>(sql`
    SELECT i.id, f.facts, i.cause, i.identity, i.completed_handlers AS completed, i.failure
    FROM items i LEFT JOIN contents f ON f.place = i.facts_place WHERE ${ofDelivery('i.id', seq)} ORDER BY i.id`)
  const kept = yield* all<{ item: number; name: string }>(sql`
    SELECT item, name FROM once_results WHERE ${ofDelivery('item', seq)} ORDER BY item, name`)
  return rows.map(({ completed, failure, ...row }) => ({
    ...row,
    completedHandlers: JSON.parse(completed) as string[],
    once: kept.filter(({ item }) => item === row.id).map(({ name }) => name),
    failure: failure === undefined ? undefined : (JSON.parse(failure) as Failure),
  }))
}

// A suspected replay, a conflict or a stale delivery may be forged, or bear another event's name, which is not signed.
// The bot's own tellings are no deliveries of the service.
const WITH_BYTES = new Query(
  `body_place IS NOT NULL AND event IS NOT NULL AND state IN ('stored', 'ignored', 'rendered_anew')
    AND subscription <> '${OWN_SUBSCRIPTION}'`,
)

const RECORDED = new Query(
  'd.seq, d.event, d.delivery_id AS "deliveryId", d.subscription, d.received_at + d.clock_offset AS at',
)

/** Rows that one read goes through: a few milliseconds, or some tens if they have to come from the disk. */
const AT_ONCE = 2_000

export interface RecordedQuery {
  readonly event?: string
  readonly receivedFrom?: number
  readonly after: number
  readonly limit: number
}

/**
 * Deliveries that were verified and understood and whose bytes are kept, the oldest first, those after `after`.
 *
 * Millions of rows that have lost their bytes may lie before the first.
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

type Read = <T>(operation: () => Steps<T>) => Promise<T>

/** Those among the next rows, and where to go on; undefined if there are no more rows. */
function* recordedPortion({ event, receivedFrom, after, limit }: RecordedQuery) {
  const end = yield* one<{ seq: number }>(sql`
    SELECT seq FROM deliveries WHERE seq > ${after} ORDER BY seq LIMIT 1 OFFSET ${AT_ONCE - 1}`)
  const found = yield* all<RecordedDelivery>(sql`
    SELECT ${RECORDED}, c.body
    FROM (
      SELECT * FROM deliveries WHERE seq > ${after} AND seq <= ${end?.seq ?? Number.MAX_SAFE_INTEGER} AND ${WITH_BYTES}
        ${when(receivedFrom !== undefined, () => sql`AND received_at >= ${receivedFrom}`)}
        ${when(event !== undefined, () => sql`AND event = ${event}`)}
      ORDER BY seq LIMIT ${limit}
    ) d JOIN contents c ON c.place = d.body_place ORDER BY d.seq`)
  return { found, next: end?.seq }
}
