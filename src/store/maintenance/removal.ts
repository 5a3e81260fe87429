import { raised } from '../database/meta.ts'
import { type CausedSend, keyOf, type Row, sendsIn, sendsOfItems } from '../outbox/rows.ts'
import { GREATEST, inNumbers, inTexts, notInNumbers, type Query, sql } from '../database/sql.ts'
import { all, allTogether, exists, nextOfPage, execute, type Steps } from '../database/steps.ts'
import { reached, sends, statuses } from '../database/outbox-tables.ts'
import { contents, inbox, once_results, work } from '../database/inbox-tables.ts'

export interface DeliveryRows {
  readonly id: number
  readonly received_at: number
  readonly mark: string | null
  readonly first: number | null
  readonly items: readonly ItemRow[]
}

export interface ItemRow {
  readonly id: number
  readonly number: string | null
  readonly customer: string | null
  readonly cause: string | null
  readonly bundle: number | null
  readonly state: string | null
}

type DeliveryRow = Omit<DeliveryRows, 'items'>

export interface Portion {
  readonly kept: readonly DeliveryRows[]
  /** The last row of the portion; undefined if there is no row behind it. */
  readonly upto: number | undefined
}

/** How many rows each call reads at most. Millions of rows that stay may come before the first old one. */
export const PASSED_AT_ONCE = 2_000

export function* deliveriesAfter(after: number, limit: number): Steps<Portion> {
  const end = sql`SELECT id FROM ${inbox} WHERE id > ${after} ORDER BY id LIMIT 1 OFFSET ${PASSED_AT_ONCE - 1}`
  const [rows = [], [last] = []] = yield* allTogether<DeliveryRow>(
    sql`
      SELECT id, received_at, mark, first FROM ${inbox}
      WHERE idx = 0 AND id > ${after} AND id <= coalesce((${end}), ${Number.MAX_SAFE_INTEGER})
        AND coalesce(cause, ' ') <> ''
      ORDER BY id LIMIT ${limit}`,
    end,
  )
  return { kept: yield* withItems(rows), upto: (nextOfPage(rows, limit) ?? last)?.id }
}

/** Lists deliveries that have a row of contents. The inbox has many more rows, which stay for weeks longer. */
export function* withContentsAfter(
  after: number,
  limit: number,
): Steps<Portion & { readonly last: number | undefined }> {
  const kept = yield* all<{ id: number }>(
    sql`SELECT id FROM ${contents} WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
  )
  const rows = yield* all<DeliveryRow>(sql`
    SELECT id, received_at, mark, first FROM ${inbox}
    WHERE id ${inNumbers(kept.map(({ id }) => id))} AND idx = 0 AND coalesce(cause, ' ') <> ''
    ORDER BY id`)
  return { kept: yield* withItems(rows), upto: nextOfPage(kept, limit)?.id, last: kept.at(-1)?.id }
}

export function* oneDelivery(id: number): Steps<DeliveryRows | undefined> {
  return (yield* deliveriesWith([id]))[0]
}

export function* deliveriesWith(ids: readonly number[]): Steps<readonly DeliveryRows[]> {
  if (ids.length === 0) return []
  const rows = yield* all<DeliveryRow>(sql`
    SELECT id, received_at, mark, first FROM ${inbox} WHERE idx = 0 AND id ${inNumbers(ids)}`)
  return yield* withItems(rows)
}

function* withItems(rows: readonly DeliveryRow[]): Steps<readonly DeliveryRows[]> {
  const list = rows.map(({ id }) => id)
  const items = yield* all<ItemRow & { readonly seq: number }>(sql`
    SELECT i.id, coalesce(i.delivery, i.id) AS seq, i.number, i.customer, i.cause, i.bundle, w.state
    FROM ${inbox} i LEFT JOIN ${work} w ON w.item = i.id
    WHERE i.id ${inNumbers(list)} OR i.delivery ${inNumbers(list)} ORDER BY i.id`)
  const of = Map.groupBy(items, ({ seq }) => seq)
  return rows.map((row) => ({ ...row, items: of.get(row.id) ?? [] }))
}

/** Of a row longer than `WITHIN_PAGE` bytes, SQLite stores only a part in its page: at least `LEAST_WITHIN_PAGE`. */
const WITHIN_PAGE = 4_000
const LEAST_WITHIN_PAGE = 480
const FILLER = '0'.repeat(WITHIN_PAGE)

/**
 * Wipes contents in place. Rows only shrink: if one grew, SQLite would rebuild pages, and copies of rows would remain.
 * The filler keeps wiped rows large, so that few of them share a page with contents.
 */
export function* wipeContents(ids: readonly number[]): Steps<void> {
  if (ids.length === 0) return
  const length = sql`coalesce(length(body), 0) + coalesce(length(facts), 0)`
  yield* execute(sql`
    UPDATE ${contents} SET body = NULL, facts = NULL, filler = substr(${FILLER}, 1,
      CASE WHEN ${length} > ${WITHIN_PAGE} THEN ${LEAST_WITHIN_PAGE} ELSE ${GREATEST}(0, ${length} - 8) END)
    WHERE id ${inNumbers(ids)} AND (body IS NOT NULL OR facts IS NOT NULL)`)
}

/** How long an identity is kept after receipt, however soon its delivery is removed. */
export const IDENTITY_KEPT_MS = 30 * 86_400_000

/**
 * Removes deliveries. If an identity was received since `identitiesSince`, its row stays without contents, so that it
 * stays taken. `sends`: must contain all sends of the deliveries.
 */
export function* removeDeliveries(
  deliveries: readonly DeliveryRows[],
  identitiesSince: number,
  sends: readonly CausedSend[],
): Steps<void> {
  const items = deliveries.flatMap((delivery) => delivery.items)
  if (items.length === 0) return
  const ids = items.map(({ id }) => id)
  const only = yield* sendsOfOnlyThese(deliveries, sends, ids)
  if (only.length > 0) yield* removeSends(sql`seq ${inNumbers(only)}`)
  yield* allTogether(
    raised('last_id', Math.max(...items.map(({ id }) => id))),
    sql`DELETE FROM ${once_results} WHERE item ${inNumbers(ids)}`,
    sql`DELETE FROM ${reached} WHERE item ${inNumbers(ids)}`,
    sql`DELETE FROM ${work} WHERE item ${inNumbers(ids)}`,
    sql`DELETE FROM ${inbox} WHERE id ${inNumbers(ids)} AND (identity IS NULL OR received_at < ${identitiesSince})`,
    sql`
      UPDATE ${inbox} SET idx = 0, delivery = NULL, subscription = NULL, delivery_id = NULL, other_id = NULL, event = NULL,
        digest = NULL, note = NULL, mark = NULL, first = NULL, customer = NULL, lane = NULL, cause = '', kind = NULL, bundle = NULL
      WHERE id ${inNumbers(ids)}`,
  )
}

interface Other {
  readonly id: number
  readonly first: number | null
  readonly bundle: number | null
  readonly cause: string
  readonly number: string | null
}

/**
 * Lists the sends that belong to these deliveries only. Another item may share a send if it is in the same bundle, or
 * its delivery has the same bytes.
 */
function* sendsOfOnlyThese(
  deliveries: readonly DeliveryRows[],
  sends: readonly CausedSend[],
  ids: readonly number[],
): Steps<readonly number[]> {
  const known = new Set(sends.map(keyOf))
  const asking = deliveries.flatMap(({ id, first, items }) =>
    items.filter((item) => known.has(keyOf(item))).map((item) => ({ ...item, original: first ?? id })),
  )
  if (asking.length === 0) return []
  const originals = asking.map(({ original }) => original)
  const bundles = asking.flatMap(({ bundle }) => bundle ?? [])
  const causes = asking.flatMap(({ cause }) => cause ?? [])
  const columns = sql`SELECT id, first, bundle, cause, number FROM ${inbox}`
  const others = yield* all<Other>(sql`
    SELECT * FROM (
      ${columns} WHERE bundle ${inNumbers(bundles)}
      UNION ALL ${columns} WHERE id ${inNumbers(originals)}
      UNION ALL ${columns} WHERE first ${inNumbers(originals)}
    ) AS o WHERE cause ${inTexts(causes)} AND id ${notInNumbers(ids)}`)
  const shared = new Set(
    asking
      .filter((item) => others.some((other) => sharesSends(item, other) && keyOf(other) === keyOf(item)))
      .map((item) => keyOf(item)),
  )
  return sendsIn(sends, asking)
    .filter((send) => !shared.has(keyOf(send)))
    .map(({ seq }) => seq)
}

function sharesSends({ bundle, original }: { bundle: number | null; original: number }, other: Other): boolean {
  return other.id === original || other.first === original || (bundle !== null && other.bundle === bundle)
}

/**
 * When a row is removed, SQLite may join its page with two neighbours, which leaves copies of their rows. Wiped bytes
 * of this length fill all three pages.
 */
const APART = 3 * 4_096
const ROW_BYTES = 8
const NEAR = 600

interface SizedRow {
  readonly id: number
  readonly size: number | null
}

export function* cutContents(after: number, upto: number): Steps<void> {
  const sized = sql`
    SELECT id, CASE WHEN body IS NULL AND facts IS NULL THEN coalesce(length(filler), 0) + ${ROW_BYTES} END AS size
    FROM ${contents} WHERE id`
  const [before = [], between = [], behind = []] = yield* allTogether<SizedRow>(
    sql`${sized} <= ${after} ORDER BY id DESC LIMIT ${NEAR}`,
    sql`${sized} > ${after} AND id <= ${upto} ORDER BY id`,
    sql`${sized} > ${upto} ORDER BY id LIMIT ${NEAR}`,
  )
  const rows = [...before.toReversed(), ...between, ...behind]
  const fromLeft = farFromContent(rows, before.length < NEAR)
  const fromRight = farFromContent(rows.toReversed(), behind.length < NEAR).reverse()
  const cuts: Query[] = []
  let first: number | undefined
  for (const [index, { id }] of rows.entries()) {
    if (!fromLeft[index] || !fromRight[index]) continue
    first ??= id
    if (fromLeft[index + 1] && fromRight[index + 1]) continue
    cuts.push(sql`DELETE FROM ${contents} WHERE id >= ${first} AND id <= ${id}`)
    first = undefined
  }
  yield* allTogether(...cuts)
}

function farFromContent(rows: readonly SizedRow[], isEnd: boolean): boolean[] {
  let apart = isEnd ? APART : 0
  return rows.map(({ size }) => {
    const isFar = size !== null && apart >= APART
    apart = size === null ? 0 : apart + size
    return isFar
  })
}

/**
 * Removes a delivery because a person decided it. Does nothing if an item waits or runs, a send is open, or a later
 * delivery is its conflict or replay.
 */
export function* discard(seq: number): Steps<readonly number[]> {
  const delivery = yield* oneDelivery(seq)
  if (!delivery || delivery.items.some(({ state }) => state !== null && state !== 'parked' && state !== 'dead'))
    return []
  if (yield* exists(sql`SELECT 1 FROM ${inbox} WHERE first = ${seq} LIMIT 1`)) return []
  const sends = yield* sendsOfItems(delivery.items)
  if (sends.some(({ settled_at: at }) => at === null)) return []
  yield* wipeContents(delivery.items.map(({ id }) => id))
  yield* removeDeliveries([delivery], Number.MAX_SAFE_INTEGER, sends)
  return [seq]
}

export function* removeSends(where: Query): Steps<void> {
  const removed = yield* all<Pick<Row, 'seq' | 'id' | 'number' | 'message_id' | 'upstream_id'>>(sql`
    DELETE FROM ${sends} WHERE ${where} AND settled_at IS NOT NULL RETURNING seq, id, number, message_id, upstream_id`)
  if (removed.length === 0) return
  const ofMessages = [...Map.groupBy(removed, (send) => send.number)].map(([number, some]) => {
    const messages = some.flatMap(({ message_id: id, upstream_id: other }) => [id, other]).filter((id) => id !== null)
    return sql`DELETE FROM ${statuses} WHERE message ${inTexts(messages)} AND number = ${number}`
  })
  yield* allTogether(
    // SQLite would otherwise give the number of a removed last send to a later send.
    raised('last_send', Math.max(...removed.map(({ seq }) => seq))),
    ...ofMessages,
    sql`DELETE FROM ${reached} WHERE message ${inTexts(removed.map(({ id }) => id))}`,
  )
}
