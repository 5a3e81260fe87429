import type { Fence, Settlement, StartedItem } from '../port/index.ts'
import { beginItem, nextItemAt } from './begin-item.ts'
import type { Tx } from './group-commit.ts'
import { holdsLane, releaseLane } from './lanes.ts'
import { newerSchema } from './schema-version.ts'
import { writeSession } from './sessions.ts'

interface Next {
  now: number
  goOn: boolean
}

/** Settles an item and goes on with its lane: see `Store.settleItem`. */
export function settleItem(
  tx: Tx,
  fence: Fence,
  item: number,
  settlement: Settlement,
  { now, goOn }: Next,
): { held: boolean; next: StartedItem | undefined } {
  if (!holdsLane(tx, fence)) return { held: false, next: undefined }
  write(tx, item, settlement, now)
  const holdsUntil = settlement.as === 'retry' && settlement.blocksLane ? settlement.at : 0
  // Most lanes have nothing more, and that costs less to see than what is next.
  const nextAt = nextItemAt(tx, fence.lane)
  const isReady = nextAt !== undefined && nextAt <= now && holdsUntil === 0
  const begins = goOn && isReady && newerSchema(tx.sql) === undefined
  const next = begins ? beginItem(tx, fence.lane, now) : undefined
  if (next !== undefined && next !== 'suspect') return { held: true, next }
  // A lane that is let go with work in it stands behind those that wait, however long its items have waited.
  releaseLane(tx, fence.lane, nextAt, now, holdsUntil)
  if (nextAt !== undefined) tx.wake('items')
  return { held: true, next: undefined }
}

const HANDLED = `
  UPDATE windows SET handled_at = max(coalesce(handled_at, items.at), items.at) FROM items
  WHERE items.id = ? AND items.kind = 'message' AND windows.number = items.number AND windows.customer = items.customer`
const REST = 'UPDATE items SET state = ?, reason = ?, settled_at = ? WHERE id = ?'
const AT_REST = 'UPDATE items SET state = ?, reason = ?, settled_at = ?, finished = ? WHERE id = ?'
const RETRY = "UPDATE items SET state = 'retry', reason = ?, ready_at = ?, finished = ? WHERE id = ?"
const GIVE_BACK = "UPDATE items SET state = 'stored', attempts = attempts - 1, finished = ?, ready_at = ? WHERE id = ?"

function write(tx: Tx, item: number, settlement: Settlement, now: number): void {
  switch (settlement.as) {
    case 'done':
      tx.sql(HANDLED).run(item)
      tx.sql(REST).run(settlement.as, null, now, item)
      if (settlement.session) writeSession(tx, item, settlement.session)
      return
    case 'ignored':
      tx.sql(REST).run(settlement.as, null, now, item)
      return
    case 'parked':
    case 'dead':
      if (settlement.completedHandlers) {
        const finished = JSON.stringify(settlement.completedHandlers)
        tx.sql(AT_REST).run(settlement.as, settlement.reason, now, finished, item)
      } else tx.sql(REST).run(settlement.as, settlement.reason, now, item)
      return
    case 'retry':
      tx.sql(RETRY).run(settlement.reason, settlement.at, JSON.stringify(settlement.completedHandlers), item)
      return
    case 'released':
      tx.sql(GIVE_BACK).run(JSON.stringify(settlement.completedHandlers), settlement.at ?? 0, item)
  }
}
