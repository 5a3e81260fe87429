import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'

// Conditional on purpose: an item that waits, runs or is done is left alone, however often it is asked for.
const PUT_BACK = `
  UPDATE items SET state = 'stored', attempts = 0, ready_at = 0, reason = NULL, created_at = ?, settled_at = NULL
  WHERE id = ? AND state IN ('dead', 'parked') RETURNING lane`

/** Puts dead and parked items back: see `Store.retryItems`. Handlers that had finished stay finished. */
export function retryItems(tx: Tx, ids: readonly number[], now: number): number[] {
  return ids.filter((id) => {
    const item = tx.sql(PUT_BACK).get(now, id) as { lane: string } | undefined
    if (item) wakeLane(tx, item.lane, 'item', now)
    return item !== undefined
  })
}
