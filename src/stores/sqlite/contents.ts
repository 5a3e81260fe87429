import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'

/**
 * The log of contents: bytes of deliveries, and the facts read from them. Wiped must mean gone. SQLite zeroes a row
 * that is deleted (`secure_delete`), but if it rebuilds a page it leaves copies of living rows behind, and if one of
 * these is deleted later, its copy stays. A page is rebuilt if a row grows, comes between others, or leaves so little
 * that the pages beside it are joined. So rows of this table are added at the end alone, shrink in their place when
 * they are wiped, and leave the table only from its beginning, far from any row that still has content.
 */
const ADD = 'INSERT INTO contents (seq, content) VALUES (?, ?)'

/**
 * Adds bytes or facts of a delivery at the end of the log; `seq` is null for the bytes that give the delivery its seq.
 */
export function addContent(tx: Tx, seq: number | null, content: Uint8Array | string): number {
  return Number(tx.sql(ADD).run(seq, content).lastInsertRowid)
}

const WIPE = 'UPDATE contents SET content = NULL WHERE place = ?'
const FACTS = `SELECT facts_place AS place FROM items WHERE ${ofDelivery('items.id', '?')}`
const PARKED = `${FACTS} AND state = 'parked'`

/** Wipes bytes, or one item's facts. */
export function wipe(tx: Tx, place: number): void {
  tx.sql(WIPE).run(place)
}

/** Wipes the facts of a delivery's items: of all, or of parked ones. */
export function wipeFacts(tx: Tx, seq: number, which: 'all' | 'parked' = 'all'): void {
  const rows = tx.sql(which === 'all' ? FACTS : PARKED).all(seq, seq) as { place: number }[]
  for (const { place } of rows) wipe(tx, place)
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

const BLOCK_END = 'SELECT place FROM contents ORDER BY place LIMIT 1 OFFSET ?'
const LIVING = `
  SELECT place, coalesce(seq, place) AS seq, length(content) AS size FROM contents
  WHERE place <= ? AND content IS NOT NULL ORDER BY place LIMIT ?`
const LEAVE = 'DELETE FROM contents WHERE place < (SELECT place FROM contents ORDER BY place LIMIT 1 OFFSET ?)'

/**
 * Gives back the space at the beginning of the log: rows with content move to its end, and then the wiped rows leave.
 * One small transaction; the answer says whether there may be more.
 */
export function cutContents(tx: Tx): boolean {
  const end = tx.sql(BLOCK_END).get(AT_ONCE + APART) as { place: number } | undefined
  if (!end) return false
  const living = tx.sql(LIVING).all(end.place, MOVED_AT_MOST + 1) as { place: number; seq: number; size: number }[]
  if (living.length > MOVED_AT_MOST) return false
  let bytes = 0
  for (const { place, seq, size } of living) {
    move(tx, place, seq)
    bytes += size
    if (bytes >= MOVED_BYTES_AT_MOST) return true
  }
  tx.sql(LEAVE).run(AT_ONCE)
  return true
}

const CONTENT = 'SELECT content FROM contents WHERE place = ?'
const BODY_MOVED = 'UPDATE deliveries SET body_place = ? WHERE seq = ? AND body_place = ?'
const FACTS_MOVED = `UPDATE items SET facts_place = ? WHERE ${ofDelivery('items.id', '?')} AND facts_place = ?`

function move(tx: Tx, place: number, seq: number): void {
  const { content } = tx.sql(CONTENT).get(place) as { content: Uint8Array | string }
  const moved = addContent(tx, seq, content)
  if (tx.sql(BODY_MOVED).run(moved, seq, place).changes === 0) tx.sql(FACTS_MOVED).run(moved, seq, seq, place)
  wipe(tx, place)
}
