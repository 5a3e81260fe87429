import type { Identity, NewItem, NewStatus, Sorted, SortOutcome, WindowMove } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'

const SORTED = 'DELETE FROM unsorted WHERE seq = ?'
const AT_REST = 'UPDATE deliveries SET state = ?, note = ? WHERE seq = ?'
/** An item's id says where it comes from, and rises with the order of arrival. */
const ITEMS_PER_DELIVERY = 1_048_576

/** A stored delivery becomes its items: see `Store.sort`. */
export function sort(tx: Tx, seq: number, sorted: Sorted, now: number): SortOutcome[] {
  if (tx.sql(SORTED).run(seq).changes === 0) return []
  if (sorted.state === 'conflict') return settleConflict(tx, seq, sorted.items)
  if (sorted.state !== 'sorted') tx.sql(AT_REST).run(sorted.state, sorted.note ?? null, seq)
  for (const move of sorted.windows) moveWindow(tx, move)
  for (const status of sorted.statuses) recordStatus(tx, status, now)
  return sorted.items.flatMap((item) => insertItem(tx, seq, item, now))
}

const FIRST = 'SELECT of_seq FROM deliveries WHERE seq = ?'
const CLAIMED_BY = 'SELECT 1 FROM identities WHERE number = ? AND identity = ? AND binding = ? AND seq = ?'

/** The service may render a delivery anew: the same message in other bytes is no conflict. */
function settleConflict(tx: Tx, seq: number, items: readonly NewItem[]): SortOutcome[] {
  const first = tx.sql(FIRST).get(seq) as { of_seq: number }
  const saysTheSame =
    items.length > 0 &&
    items.every(
      ({ number, identity }) =>
        identity && tx.sql(CLAIMED_BY).get(number, identity.key, identity.binding, first.of_seq) !== undefined,
    )
  if (!saysTheSame) return [{ idx: 0, identity: 'conflict' }]
  tx.sql(AT_REST).run('rendered_anew', 'the same message as the first one under this id, in other bytes', seq)
  return []
}

/** Not the time of the sort: a clock that goes back must not make an item wait. */
const READY_AT_ONCE = 0

const INSERT_ITEM = `
  INSERT INTO items
    (id, seq, idx, kind, number, customer, lane, at, facts, cause, identity, state, ready_at, reason, created_at, settled_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insertItem(tx: Tx, seq: number, item: NewItem, now: number): SortOutcome[] {
  const claimed = item.identity === undefined ? undefined : claim(tx, item.number, item.identity, seq, now)
  const known = claimed === 'same_message'
  const cause = claimed === 'free' ? (item.cause.identity ?? item.cause.signed) : item.cause.signed
  const waits = item.state === 'stored' && !known
  tx.sql(INSERT_ITEM).run(
    seq * ITEMS_PER_DELIVERY + item.idx,
    seq,
    item.idx,
    item.kind,
    item.number,
    item.customer ?? null,
    item.lane,
    item.at,
    item.facts,
    cause,
    item.identity?.key ?? null,
    known ? 'same_message' : item.state,
    READY_AT_ONCE,
    item.reason ?? null,
    now,
    waits ? null : now,
  )
  if (waits) wakeLane(tx, item.lane, 'item', now)
  return claimed === undefined || claimed === 'free' ? [] : [{ idx: item.idx, identity: claimed }]
}

const CLAIM = `
  INSERT INTO identities (number, identity, binding, seq, claimed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const CLAIMED = 'SELECT binding FROM identities WHERE number = ? AND identity = ?'

/** An identity is claimed once, by who comes first; another binding means another message under the same id. */
function claim(
  tx: Tx,
  number: string,
  identity: Identity,
  seq: number,
  now: number,
): 'free' | 'same_message' | 'reused' {
  if (tx.sql(CLAIM).run(number, identity.key, identity.binding, seq, now).changes > 0) return 'free'
  const first = tx.sql(CLAIMED).get(number, identity.key) as { binding: string }
  return first.binding === identity.binding ? 'same_message' : 'reused'
}

const MOVE_WINDOW = `
  INSERT INTO windows (number, customer, last_at) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET last_at = max(last_at, excluded.last_at)`

function moveWindow(tx: Tx, move: WindowMove): void {
  tx.sql(MOVE_WINDOW).run(move.number, move.customer, move.lastAt)
}

const RECORD_STATUS = `
  INSERT INTO statuses (message, status, at, number, reason, received_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

/** Kept under each id that the service gave, since a send may know only one of the two. */
function recordStatus(tx: Tx, status: NewStatus, now: number): void {
  for (const message of [status.messageId, status.upstreamId])
    if (message !== undefined)
      tx.sql(RECORD_STATUS).run(message, status.status, status.at, status.number, status.reason ?? null, now)
}
