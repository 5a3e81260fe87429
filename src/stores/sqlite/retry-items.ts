import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'

// Conditional on purpose: an item that waits, runs or is done is left alone, however often it is asked for.
const WAIT_AGAIN = `
  UPDATE items SET state = 'stored', attempts = 0, ready_at = 0, reason = NULL, created_at = ?, settled_at = NULL
  WHERE id = ? AND state IN ('dead', 'parked') RETURNING lane`

/** Makes dead and parked items wait again: see `Store.retryItems`. Completed handlers stay completed. */
export function retryItems(tx: Tx, ids: readonly number[], now: number): number[] {
  return ids.filter((id) => {
    const item = tx.sql(WAIT_AGAIN).get(now, id) as { lane: string } | undefined
    if (item) wakeLane(tx, item.lane, 'item', now)
    return item !== undefined
  })
}
