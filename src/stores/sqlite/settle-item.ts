import type { Fence, Settlement, StartedItem } from '../port/index.ts'
import { type ItemChange, itemChange } from '../rules/items.ts'
import { canGoOn } from '../rules/lanes.ts'
import { beginItem, nextItemAt } from './begin-item.ts'
import type { Tx } from './group-commit.ts'
import { holdsLane, releaseLane } from './lanes.ts'
import { newerSchema } from './schema-version.ts'
import { writeSession } from '../operations/sessions.ts'

/** Settles an item and goes on with its lane: see `Store.settleItem`. */
export function settleItem(
  tx: Tx,
  fence: Fence,
  item: number,
  settlement: Settlement,
  { now, goOn }: { now: number; goOn: boolean },
): { held: boolean; next: StartedItem | undefined } {
  if (!holdsLane(tx, fence)) return { held: false, next: undefined }
  const change = itemChange(settlement, now)
  if (settlement.as === 'done') tx.sql(HANDLED).run(item)
  write(tx, item, change)
  if (settlement.as === 'done' && settlement.session) tx.drive(writeSession(item, settlement.session))
  const blockedUntil = change.waits ? change.blocksLaneUntil : 0
  // Most lanes have nothing more, and the time of the next item costs less to read than the item.
  const nextAt = nextItemAt(tx, fence.lane)
  const begins = goOn && canGoOn({ nextAt, blockedUntil }, now) && newerSchema(tx.sql) === undefined
  const next = begins ? beginItem(tx, fence.lane, now) : undefined
  if (next !== undefined && next !== 'suspect') return { held: true, next }
  // A lane that is released with work in it stands behind those that wait, however long its items have waited.
  releaseLane(tx, fence.lane, nextAt, now, blockedUntil)
  if (nextAt !== undefined) tx.wake('items')
  return { held: true, next: undefined }
}

// The latest handled message of a customer tells which later one is late: see the rule `isLate`.
const HANDLED = `
  UPDATE windows SET handled_at = max(coalesce(handled_at, items.at), items.at) FROM items
  WHERE items.id = ? AND items.kind = 'message' AND windows.number = items.number AND windows.customer = items.customer`
const AT_REST = `
  UPDATE items SET state = ?, reason = ?, settled_at = ?, completed_handlers = coalesce(?, completed_handlers)
  WHERE id = ?`
const WAITING = `
  UPDATE items SET state = ?, reason = coalesce(?, reason), ready_at = ?, completed_handlers = ?,
    attempts = attempts - ?
  WHERE id = ?`

function write(tx: Tx, item: number, change: ItemChange): void {
  const { state, reason = null, completedHandlers } = change
  const completed = completedHandlers === undefined ? null : JSON.stringify(completedHandlers)
  if (change.waits) tx.sql(WAITING).run(state, reason, change.readyAt, completed, change.attemptsTakenBack, item)
  else tx.sql(AT_REST).run(state, reason, change.settledAt, completed, item)
}
