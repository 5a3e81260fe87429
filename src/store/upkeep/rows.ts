import { raiseMeta } from '../meta.ts'
import type { Row } from '../outbox/rows.ts'
import { GREATEST, inNumbers, inTexts, notInNumbers, type Query, sql } from '../statements/sql.ts'
import { all, exists, nextOfPage, one, execute, type Steps } from '../steps.ts'
import { contents, inbox, once_results, work } from '../tables/inbox-tables.ts'
import { reached, sends, statuses } from '../tables/outbox-tables.ts'

export interface Kept {
  readonly id: number
  readonly received_at: number
  readonly mark: string | null
  readonly first: number | null
  readonly items: readonly KeptItem[]
}

export interface KeptItem {
  readonly id: number
  readonly number: string | null
  readonly customer: string | null
  readonly cause: string | null
  readonly burst: number | null
  readonly state: string | null
}

type KeptRow = Omit<Kept, 'items'>

export interface Portion {
  readonly kept: readonly Kept[]
  /** Undefined if none is behind it. */
  readonly upto: number | undefined
}

/** Millions of identity claims may come first: each call skips at most so many rows. */
const PASSED_AT_ONCE = 2_000

export function* keptAfter(after: number, limit: number): Steps<Portion> {
  const end = yield* one<{ id: number }>(sql`
    SELECT id FROM ${inbox} WHERE id > ${after} ORDER BY id LIMIT 1 OFFSET ${PASSED_AT_ONCE - 1}`)
  const rows = yield* all<KeptRow>(sql`
    SELECT id, received_at, mark, first FROM ${inbox}
    WHERE ordinal = 0 AND id > ${after} AND id <= ${end?.id ?? Number.MAX_SAFE_INTEGER} AND coalesce(cause, ' ') <> ''
    ORDER BY id LIMIT ${limit}`)
  return { kept: yield* withItems(rows), upto: (nextOfPage(rows, limit) ?? end)?.id }
}

/** Found by their contents: those that were wiped stay for weeks, and are not to be read each hour. */
export function* withContentsAfter(
  after: number,
  limit: number,
): Steps<Portion & { readonly last: number | undefined }> {
  const kept = yield* all<{ id: number }>(
    sql`SELECT id FROM ${contents} WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
  )
  const rows = yield* all<KeptRow>(sql`
    SELECT id, received_at, mark, first FROM ${inbox}
    WHERE id ${inNumbers(kept.map(({ id }) => id))} AND ordinal = 0 AND coalesce(cause, ' ') <> ''
    ORDER BY id`)
  return { kept: yield* withItems(rows), upto: nextOfPage(kept, limit)?.id, last: kept.at(-1)?.id }
}

export function* keptOne(id: number): Steps<Kept | undefined> {
  const rows = yield* all<KeptRow>(sql`
    SELECT id, received_at, mark, first FROM ${inbox} WHERE ordinal = 0 AND id = ${id}`)
  return (yield* withItems(rows))[0]
}

function* withItems(rows: readonly KeptRow[]): Steps<readonly Kept[]> {
  const list = rows.map(({ id }) => id)
  const items = yield* all<KeptItem & { readonly seq: number }>(sql`
    SELECT i.id, coalesce(i.delivery, i.id) AS seq, i.number, i.customer, i.cause, i.burst, w.state
    FROM ${inbox} i LEFT JOIN ${work} w ON w.item = i.id
    WHERE i.id ${inNumbers(list)} OR i.delivery ${inNumbers(list)} ORDER BY i.id`)
  const of = Map.groupBy(items, ({ seq }) => seq)
  return rows.map((row) => ({ ...row, items: of.get(row.id) ?? [] }))
}

/** SQLite keeps a longer row in part outside its page, and no less than so much within it. */
const WITHIN_PAGE = 4_000
const LEAST_WITHIN_PAGE = 480
const FILLER = '0'.repeat(WITHIN_PAGE)

/**
 * In their place: the rows shrink, so no page is rebuilt, which would leave copies. The filler keeps few rows beside
 * content.
 */
export function* wipeContents(ids: readonly number[]): Steps<void> {
  if (ids.length === 0) return
  const length = sql`coalesce(length(body), 0) + coalesce(length(facts), 0)`
  yield* execute(sql`
    UPDATE ${contents} SET body = NULL, facts = NULL, filler = substr(${FILLER}, 1,
      CASE WHEN ${length} > ${WITHIN_PAGE} THEN ${LEAST_WITHIN_PAGE} ELSE ${GREATEST}(0, ${length} - 8) END)
    WHERE id ${inNumbers(ids)} AND (body IS NOT NULL OR facts IS NOT NULL)`)
}

/** An identity stays claimed for this long after receipt, however soon its delivery's row goes. */
export const CLAIMED_FOR_MS = 30 * 86_400_000

/** A row whose identity is claimed since `claimed` stays as that claim. */
export function* removeDelivery({ id, first, items }: Kept, claimed: number): Steps<void> {
  const ids = items.map((item) => item.id)
  yield* removeSends(sql`seq ${inNumbers(yield* sendsOfAlone(items, first ?? id, ids))}`)
  yield* raiseMeta('last_id', Math.max(...items.map((item) => item.id)))
  yield* execute(sql`DELETE FROM ${once_results} WHERE item ${inNumbers(ids)}`)
  yield* execute(sql`DELETE FROM ${reached} WHERE item ${inNumbers(ids)}`)
  yield* execute(sql`DELETE FROM ${work} WHERE item ${inNumbers(ids)}`)
  yield* execute(sql`
    DELETE FROM ${inbox} WHERE id ${inNumbers(ids)} AND (identity IS NULL OR received_at < ${claimed})`)
  yield* execute(sql`
    UPDATE ${inbox} SET ordinal = 0, delivery = NULL, subscription = NULL, delivery_id = NULL, other_id = NULL, event = NULL,
      digest = NULL, note = NULL, mark = NULL, first = NULL, customer = NULL, lane = NULL, cause = '', kind = NULL, burst = NULL
    WHERE id ${inNumbers(ids)}`)
}

function* sendsOfAlone(items: readonly KeptItem[], root: number, ids: readonly number[]): Steps<readonly number[]> {
  const sends = yield* sendsOfItems(items)
  if (sends.length === 0) return []
  const shared = new Set<string>()
  for (const { cause, number, burst } of items) {
    if (cause === null || number === null) continue
    const isShared = yield* exists(sql`
      SELECT 1 FROM (
        SELECT id, cause, number FROM ${inbox} WHERE burst = ${burst} AND burst > 0
        UNION ALL SELECT id, cause, number FROM ${inbox} WHERE id = ${root}
        UNION ALL SELECT id, cause, number FROM ${inbox} WHERE first = ${root}
      ) AS o WHERE cause = ${cause} AND number = ${number} AND id ${notInNumbers(ids)} LIMIT 1`)
    if (isShared) shared.add(keyOf({ cause, number }))
  }
  return sends.filter((send) => !shared.has(keyOf(send))).map(({ seq }) => seq)
}

/**
 * Where a row is removed, its page is joined with two beside it, which copies them. So many wiped bytes reach over all
 * three.
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
  const before = yield* all<SizedRow>(sql`${sized} <= ${after} ORDER BY id DESC LIMIT ${NEAR}`)
  const between = yield* all<SizedRow>(sql`${sized} > ${after} AND id <= ${upto} ORDER BY id`)
  const behind = yield* all<SizedRow>(sql`${sized} > ${upto} ORDER BY id LIMIT ${NEAR}`)
  const rows = [...before.toReversed(), ...between, ...behind]
  const fromLeft = farFromContent(rows, before.length < NEAR)
  const fromRight = farFromContent(rows.toReversed(), behind.length < NEAR).reverse()
  let first: number | undefined
  for (const [index, { id }] of rows.entries()) {
    if (!fromLeft[index] || !fromRight[index]) continue
    first ??= id
    if (fromLeft[index + 1] && fromRight[index + 1]) continue
    yield* execute(sql`DELETE FROM ${contents} WHERE id >= ${first} AND id <= ${id}`)
    first = undefined
  }
}

function farFromContent(rows: readonly SizedRow[], isEnd: boolean): boolean[] {
  let apart = isEnd ? APART : 0
  return rows.map(({ size }) => {
    const isFar = size !== null && apart >= APART
    apart = size === null ? 0 : apart + size
    return isFar
  })
}

/** Nothing for one that waits for its turn or runs, has an open send, or that a later delivery resembles. */
export function* discard(seq: number): Steps<readonly number[]> {
  const kept = yield* keptOne(seq)
  if (!kept || kept.items.some(({ state }) => state !== null && state !== 'parked' && state !== 'dead')) return []
  if (yield* isPointedTo(seq)) return []
  if ((yield* sendsOfItems(kept.items)).some(({ settled_at: at }) => at === null)) return []
  yield* wipeContents(kept.items.map(({ id }) => id))
  yield* removeDelivery(kept, Number.MAX_SAFE_INTEGER)
  return [seq]
}

export function isPointedTo(seq: number): Steps<boolean> {
  return exists(sql`SELECT 1 FROM ${inbox} WHERE first = ${seq} LIMIT 1`)
}

export function* removeSends(where: Query): Steps<void> {
  const removed = yield* all<Pick<Row, 'seq' | 'id' | 'number' | 'message_id' | 'upstream_id'>>(sql`
    DELETE FROM ${sends} WHERE ${where} AND settled_at IS NOT NULL RETURNING seq, id, number, message_id, upstream_id`)
  if (removed.length === 0) return
  // On SQLite a later send would be given the number of the last one again.
  yield* raiseMeta('last_send', Math.max(...removed.map(({ seq }) => seq)))
  for (const [number, sends] of Map.groupBy(removed, (send) => send.number)) {
    const messages = sends.flatMap(({ message_id: id, upstream_id: other }) => [id, other]).filter((id) => id !== null)
    yield* execute(sql`DELETE FROM ${statuses} WHERE message ${inTexts(messages)} AND number = ${number}`)
  }
  yield* execute(sql`DELETE FROM ${reached} WHERE message ${inTexts(removed.map(({ id }) => id))}`)
}

type CausedSend = Pick<Row, 'seq' | 'id' | 'state' | 'cause' | 'number' | 'settled_at'>

export function* sendsOfItems(items: readonly Pick<KeptItem, 'cause' | 'number'>[]): Steps<readonly CausedSend[]> {
  const known = new Set(items.map(keyOf))
  const found = yield* all<CausedSend>(sql`
    SELECT seq, id, state, cause, number, settled_at FROM ${sends}
    WHERE cause ${inTexts(items.flatMap(({ cause }) => cause ?? []))}`)
  return found.filter((send) => known.has(keyOf(send))).toSorted((a, b) => a.seq - b.seq)
}

function keyOf({ cause, number }: Pick<KeptItem, 'cause' | 'number'>): string {
  return JSON.stringify([cause, number])
}
