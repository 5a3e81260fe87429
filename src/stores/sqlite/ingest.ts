import type { Ingested, IngestOutcome, NewItem, WindowMove } from '../port/index.ts'
import { mute } from '../operations/customers.ts'
import { recordStatus } from '../operations/statuses.ts'
import { isRenderedAnew, placeItem, planIngest } from '../rules/ingest.ts'
import { claimIdentity } from './claim-identity.ts'
import { addContent } from './contents.ts'
import { promoteGenuine } from './event-name-spoofing.ts'
import type { Tx } from './group-commit.ts'
import { itemId } from './item-ids.ts'
import { wakeLane } from './lanes.ts'
import { leavePendingAgain } from './pending.ts'
import { type EarlierItems, earlierItems, removeParked } from './reingest.ts'
import { newerSchema } from './schema-version.ts'

const PENDING = 'SELECT again FROM pending WHERE seq = ?'
const NOT_PENDING = 'DELETE FROM pending WHERE seq = ?'

/** Turns a pending delivery into its items: see `Store.ingest`. */
export function ingest(tx: Tx, seq: number, ingested: Ingested, now: number): IngestOutcome[] {
  if (newerSchema(tx.sql) !== undefined) return []
  const pending = tx.sql(PENDING).get(seq) as { again: number } | undefined
  if (!pending) return []
  tx.sql(NOT_PENDING).run(seq)
  const again = pending.again === 1
  const earlier = again ? earlierItems(tx, seq) : undefined
  const plan = planIngest(ingested.state, { again, hasItems: earlier !== undefined })
  switch (plan) {
    case 'keep':
      return []
    case 'wait':
      leavePendingAgain(tx, seq)
      return []
    case 'compare':
      return compareWithFirst(tx, seq, ingested.items)
    case 'replace':
      removeParked(tx, seq)
      break
    case 'rest':
      putToRest(tx, seq, ingested)
  }
  for (const move of ingested.windows) moveWindow(tx, move, now)
  for (const status of ingested.statuses) tx.drive(recordStatus(status, now))
  for (const asked of ingested.mutes ?? []) tx.drive(mute(asked))
  return ingested.items.flatMap((item) => insertItem(tx, seq, item, now, earlier))
}

// A conflict stays one, whatever else is wrong with it: so it is kept once, however often it comes.
const AT_REST = `
  UPDATE deliveries SET state = CASE state WHEN 'conflict' THEN state ELSE ? END, note = ?, own_event = ? WHERE seq = ?`

function putToRest(tx: Tx, seq: number, { state, note, ownEvent }: Ingested): void {
  tx.sql(AT_REST).run(state, note ?? null, ownEvent ?? null, seq)
  if (ownEvent !== undefined) promoteGenuine(tx, seq)
}

const FIRST = 'SELECT of_seq FROM deliveries WHERE seq = ?'
const CLAIMED_BY = 'SELECT 1 FROM identities WHERE number = ? AND identity = ? AND binding = ? AND seq = ?'
const RENDERED_ANEW = `
  UPDATE deliveries SET state = 'rendered_anew', note = 'the same message as the first one under this id, in other bytes'
  WHERE seq = ?`

function compareWithFirst(tx: Tx, seq: number, items: readonly NewItem[]): IngestOutcome[] {
  const first = tx.sql(FIRST).get(seq) as { of_seq: number }
  const claimed = items.map(
    ({ number, identity }) =>
      identity !== undefined &&
      tx.sql(CLAIMED_BY).get(number, identity.key, identity.binding, first.of_seq) !== undefined,
  )
  if (!isRenderedAnew(claimed)) return [{ idx: 0, identity: 'conflict' }]
  tx.sql(RENDERED_ANEW).run(seq)
  return []
}

/** Not the time of ingest: a clock that goes back must not make an item wait. */
const READY_AT_ONCE = 0

const INSERT_ITEM = `
  INSERT INTO items
    (id, seq, idx, kind, number, customer, lane, at, facts_place, cause, identity, state, ready_at,
    completed_handlers, reason, created_at, settled_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insertItem(
  tx: Tx,
  seq: number,
  item: NewItem,
  now: number,
  earlier: EarlierItems | undefined,
): IngestOutcome[] {
  const id = itemId(seq, item.idx)
  if (earlier?.kept.has(id)) return []
  const lane = item.lane ?? `${item.number}//${seq}.${item.idx}`
  const ran = earlier?.ran.get(id)
  const claimed = item.identity === undefined ? undefined : claimIdentity(tx, item.number, item.identity, seq, now)
  const { state, cause, waits, outcome } = placeItem(item, claimed, ran)
  tx.sql(INSERT_ITEM).run(
    id,
    seq,
    item.idx,
    item.kind,
    item.number,
    item.customer ?? null,
    lane,
    item.at,
    addContent(tx, seq, item.facts),
    cause,
    item.identity?.key ?? null,
    state,
    READY_AT_ONCE,
    ran?.completed_handlers ?? '[]',
    item.reason ?? null,
    now,
    waits ? null : now,
  )
  if (waits) wakeLane(tx, lane, 'item', now)
  return outcome === undefined ? [] : [{ idx: item.idx, identity: outcome }]
}

// Windows move forward only, whatever the order in which their messages come.
const MOVE_WINDOW = `
  INSERT INTO windows (number, customer, last_at, moved_at) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET last_at = max(last_at, excluded.last_at), moved_at = excluded.moved_at`

function moveWindow(tx: Tx, move: WindowMove, now: number): void {
  tx.sql(MOVE_WINDOW).run(move.number, move.customer, move.lastAt, now)
}
