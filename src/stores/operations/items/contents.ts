import { itemsOfAll, ofDelivery } from './item-ids.ts'
import { all, one, Query, run, sql, type Steps, type Tx } from '../steps.ts'

/**
 * The log of contents: bytes of deliveries, and the facts read from them. Wiped must mean gone. SQLite zeroes a row
 * that is deleted (`secure_delete`), but if it rebuilds a page it leaves copies of living rows behind, and if one of
 * these is deleted later, its copy stays. A page is rebuilt if a row grows, comes between others, or leaves so little
 * that the pages beside it are joined. So rows of this table are added at the end alone, shrink in their place when
 * they are wiped, and leave the table only from its beginning, far from any row that still has content.
 */

interface Content {
  readonly seq: number
  readonly body?: Uint8Array | undefined
  readonly facts?: string | undefined
}

export type Log = Pick<Tx, 'nextPlace' | 'takePlace'>

/** Adds bytes of a delivery, facts of an item, or both, at the end of the log; the answer is their place. */
export function* addContent(log: Log, { seq, body, facts }: Content): Steps<number> {
  const place = log.nextPlace()
  yield* run(sql`INSERT INTO contents (place, seq, body, facts) VALUES (${place}, ${seq}, ${body}, ${facts})`)
  log.takePlace()
  return place
}

/** The place of a delivery's bytes, by its alias: a suspected replay has none of its own if the first one has them. */
export function placeOfBody(alias: string): Query {
  return new Query(`coalesce(${alias}.body_place, (
    SELECT b.body_place FROM deliveries b WHERE b.seq = ${alias}.of_seq AND b.digest = ${alias}.digest))`)
}

/** Gives a delivery bytes of its own, before it is ingested. */
export function* ownBody(log: Log, seq: number): Steps<void> {
  const found = yield* one<{ body: Uint8Array | null }>(sql`
    SELECT c.body FROM deliveries d JOIN contents c ON c.place = ${placeOfBody('d')}
    WHERE d.seq = ${seq} AND d.body_place IS NULL`)
  if (found?.body)
    yield* run(
      sql`UPDATE deliveries SET body_place = ${yield* addContent(log, { seq, body: found.body })} WHERE seq = ${seq}`,
    )
}

/** Wipes the bytes at places, a JSON list. */
export function* wipeBodies(places: string): Steps<void> {
  yield* run(sql`UPDATE contents SET body = NULL WHERE place IN numbers(${places})`)
}

export function* wipeFactsAt(place: number): Steps<void> {
  yield* run(sql`UPDATE contents SET facts = NULL WHERE place = ${place}`)
}

export function* wipeFacts(seqs: string): Steps<void> {
  const { places } = yield* itemsOfAll(seqs)
  yield* run(sql`UPDATE contents SET facts = NULL WHERE place IN numbers(${places})`)
}

/**
 * How many wiped rows lie between a row that leaves and the next one with content. Joining pages touches two on each
 * side of the row that leaves, and a page of 4 KiB holds fewer than 455 wiped rows.
 */
const APART = 1_536
/** Rows that leave in one transaction: a few milliseconds. */
const AT_ONCE = 250
/** If less than half of them would leave, moving the others is not worth it. */
const MOVED_AT_MOST = AT_ONCE / 2
const MOVED_BYTES_AT_MOST = 4_194_304

/**
 * Gives back the space at the beginning of the log: rows with content move to its end, and then the wiped rows leave.
 * One small transaction; the answer says whether there may be more.
 */
export function* cutContents(log: Log & Pick<Tx, 'isLong'>): Steps<boolean> {
  const end = yield* one<{ place: number }>(sql`
    SELECT place FROM contents ORDER BY place LIMIT 1 OFFSET ${AT_ONCE + APART}`)
  if (!end) return false
  const living = yield* all<{ place: number; seq: number; size: number }>(sql`
    SELECT place, seq, coalesce(length(body), 0) + coalesce(length(facts), 0) AS size FROM contents
    WHERE place <= ${end.place} AND (body IS NOT NULL OR facts IS NOT NULL) ORDER BY place LIMIT ${MOVED_AT_MOST + 1}`)
  if (living.length > MOVED_AT_MOST) return false
  let bytes = 0
  for (const { place, seq, size } of living) {
    yield* move(log, place, seq)
    bytes += size
    if (bytes >= MOVED_BYTES_AT_MOST || log.isLong()) return true
  }
  yield* run(sql`
    DELETE FROM contents WHERE place < (SELECT place FROM contents ORDER BY place LIMIT 1 OFFSET ${AT_ONCE})`)
  return true
}

function* move(log: Log, place: number, seq: number): Steps<void> {
  const content = (yield* one<Content>(sql`SELECT seq, body, facts FROM contents WHERE place = ${place}`)) as Content
  const moved = yield* addContent(log, content)
  yield* run(sql`UPDATE deliveries SET body_place = ${moved} WHERE seq = ${seq} AND body_place = ${place}`)
  yield* run(sql`
    UPDATE items SET facts_place = ${moved} WHERE ${ofDelivery('items.id', seq)} AND facts_place = ${place}`)
  yield* run(sql`UPDATE contents SET body = NULL, facts = NULL WHERE place = ${place}`)
}

/**
 * The longest body that is read with each item: a longer one is read once for all items of its batch that begin in one
 * transaction.
 */
export const LONGEST_READ_ALONG = 65_536

const lastRead = new WeakMap<object, { readonly place: number; readonly body: Uint8Array }>()

/** The body at a place; asked for it again within a transaction, it is not read again. */
export function* bodyAt(tx: object, place: number): Steps<Uint8Array> {
  const last = lastRead.get(tx)
  if (last?.place === place) return last.body
  const { body } = (yield* one<{ body: Uint8Array }>(sql`SELECT body FROM contents WHERE place = ${place}`)) as {
    body: Uint8Array
  }
  lastRead.set(tx, { place, body })
  return body
}
