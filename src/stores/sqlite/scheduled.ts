import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'

// It joins its lane as though it were asked for now: what waits there keeps its place.
const RELEASE = `
  UPDATE sends SET state = 'ready', seq = (SELECT max(seq) FROM sends) + 1 WHERE id = ? RETURNING lane`
const DUE = "SELECT id FROM sends WHERE state = 'scheduled' AND due_at <= ? ORDER BY due_at, seq LIMIT ?"

/** So many at most in one commit; the rest is found by the next look. */
const AT_ONCE_MOST = 256

/** Sends whose time has come wait in their lanes from now on. */
export function releaseDue(tx: Tx, serviceNow: number, now: number): void {
  for (const { id } of tx.sql(DUE).all(serviceNow, AT_ONCE_MOST) as { id: string }[]) {
    const { lane } = tx.sql(RELEASE).get(id) as { lane: string }
    wakeLane(tx, lane, 'send', now)
  }
}

// What a restored database holds may have gone out after the backup was taken.
const CANCEL = `
  UPDATE sends SET state = 'cancelled', settled_at = ?, held_from = NULL, code = NULL, reason = NULL
  WHERE key = ? AND state IN ('scheduled', 'ready', 'held') AND withheld = 0
    AND (held_from IS NULL OR first_attempt_at IS NULL)`

/** See `Store.cancelSend`. */
export function cancelSend(tx: Tx, key: string, now: number): boolean {
  return tx.sql(CANCEL).run(now, key).changes > 0
}
