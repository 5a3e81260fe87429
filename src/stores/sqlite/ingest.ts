import type { NewItem, Ingested, IngestOutcome, WindowMove } from '../port/index.ts'
import { claimIdentity } from './claim-identity.ts'
import { addContent } from './contents.ts'
import type { Tx } from './group-commit.ts'
import { itemId } from './item-ids.ts'
import { wakeLane } from './lanes.ts'
import { promoteGenuine } from './event-name-spoofing.ts'
import { newerSchema } from './schema-version.ts'
import { silence } from './mutes.ts'
import { type Earlier, earlierItems, removeParked } from './reingest.ts'
import { recordStatus } from './statuses.ts'
import { leaveToSortAgain } from './pending.ts'

const WAITING = 'SELECT again FROM unsorted WHERE seq = ?'
const SORTED = 'DELETE FROM unsorted WHERE seq = ?'
// A conflict stays one, whatever else is wrong with it: so it is kept once, however often it comes.
const AT_REST = `
  UPDATE deliveries SET state = CASE state WHEN 'conflict' THEN state ELSE ? END, note = ?, own_event = ? WHERE seq = ?`

/** A stored delivery becomes its items: see `Store.sort`. */
export function sort(tx: Tx, seq: number, sorted: Ingested, now: number): IngestOutcome[] {
  if (newerSchema(tx.sql) !== undefined) return []
  const waiting = tx.sql(WAITING).get(seq) as { again: number } | undefined
  if (!waiting) return []
  tx.sql(SORTED).run(seq)
  if (sorted.state === 'conflict') return waiting.again === 1 ? leave(tx, seq) : settleConflict(tx, seq, sorted.items)
  const earlier = waiting.again === 1 ? earlierItems(tx, seq) : undefined
  // Sorted again and understood no better: what is parked stays so, rather than vanish.
  if (earlier && sorted.state !== 'ingested') return []
  if (earlier) removeParked(tx, seq)
  if (sorted.state !== 'ingested') {
    tx.sql(AT_REST).run(sorted.state, sorted.note ?? null, sorted.ownEvent ?? null, seq)
    if (sorted.ownEvent !== undefined) promoteGenuine(tx, seq)
  }
  for (const move of sorted.windows) moveWindow(tx, move, now)
  for (const status of sorted.statuses) recordStatus(tx, status, now)
  for (const one of sorted.mutes ?? []) silence(tx, one)
  return sorted.items.flatMap((item) => insertItem(tx, seq, item, now, earlier))
}

/** Read as a conflict by who was slower than the person that put it back: whoever looks next reads it anew. */
function leave(tx: Tx, seq: number): [] {
  leaveToSortAgain(tx, seq)
  return []
}

const FIRST = 'SELECT of_seq FROM deliveries WHERE seq = ?'
const CLAIMED_BY = 'SELECT 1 FROM identities WHERE number = ? AND identity = ? AND binding = ? AND seq = ?'

const RENDERED_ANEW = `
  UPDATE deliveries SET state = 'rendered_anew', note = 'the same message as the first one under this id, in other bytes'
  WHERE seq = ?`

/** The service may render a delivery anew: the same message in other bytes is no conflict. */
function settleConflict(tx: Tx, seq: number, items: readonly NewItem[]): IngestOutcome[] {
  const first = tx.sql(FIRST).get(seq) as { of_seq: number }
  const saysTheSame =
    items.length > 0 &&
    items.every(
      ({ number, identity }) =>
        identity && tx.sql(CLAIMED_BY).get(number, identity.key, identity.binding, first.of_seq) !== undefined,
    )
  if (!saysTheSame) return [{ idx: 0, identity: 'conflict' }]
  tx.sql(RENDERED_ANEW).run(seq)
  return []
}

/** Not the time of the sort: a clock that goes back must not make an item wait. */
const READY_AT_ONCE = 0

const INSERT_ITEM = `
  INSERT INTO items
    (id, seq, idx, kind, number, customer, lane, at, facts_place, cause, identity, state, ready_at, finished, reason, created_at,
    settled_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insertItem(tx: Tx, seq: number, item: NewItem, now: number, earlier: Earlier | undefined): IngestOutcome[] {
  const id = itemId(seq, item.idx)
  if (earlier?.kept.has(id)) return []
  const ran = earlier?.ran.get(id)
  const claimed = item.identity === undefined ? undefined : claimIdentity(tx, item.number, item.identity, seq, now)
  const known = claimed === 'same_message'
  const cause = ran?.cause ?? (claimed === 'free' ? (item.cause.identity ?? item.cause.signed) : item.cause.signed)
  const waits = item.state === 'stored' && !known
  tx.sql(INSERT_ITEM).run(
    id,
    seq,
    item.idx,
    item.kind,
    item.number,
    item.customer ?? null,
    item.lane,
    item.at,
    addContent(tx, seq, item.facts),
    cause,
    item.identity?.key ?? null,
    known ? 'same_message' : item.state,
    READY_AT_ONCE,
    ran?.finished ?? '[]',
    item.reason ?? null,
    now,
    waits ? null : now,
  )
  if (waits) wakeLane(tx, item.lane, 'item', now)
  return claimed === undefined || claimed === 'free' ? [] : [{ idx: item.idx, identity: claimed }]
}

const MOVE_WINDOW = `
  INSERT INTO windows (number, customer, last_at, moved_at) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET last_at = max(last_at, excluded.last_at), moved_at = excluded.moved_at`

function moveWindow(tx: Tx, move: WindowMove, now: number): void {
  tx.sql(MOVE_WINDOW).run(move.number, move.customer, move.lastAt, now)
}
