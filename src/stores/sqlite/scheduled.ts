import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'

// A send that comes due joins its lane as if it were recorded now: the sends that wait there keep their place.
const JOIN_LANE = `
  UPDATE sends SET state = 'ready', seq = (SELECT max(seq) FROM sends) + 1 WHERE id = ? RETURNING lane`
const DUE = "SELECT id FROM sends WHERE state = 'scheduled' AND due_at <= ? ORDER BY due_at, seq LIMIT ?"

/** As many as this in one commit; the rest is found by the next claim. */
const MOST_IN_ONE_COMMIT = 256

/** Puts scheduled sends whose time has come into their lanes. */
export function releaseDue(tx: Tx, serviceNow: number, now: number): void {
  for (const { id } of tx.sql(DUE).all(serviceNow, MOST_IN_ONE_COMMIT) as { id: string }[]) {
    const { lane } = tx.sql(JOIN_LANE).get(id) as { lane: string }
    wakeLane(tx, lane, 'send', now)
  }
}

// One conditional statement, since a worker may begin the send at the same moment. A send that a restored database
// holds may have gone out after the backup was taken, so it is taken back only if no attempt had begun.
const CANCEL = `
  UPDATE sends SET state = 'cancelled', settled_at = ?, held_from = NULL, code = NULL, reason = NULL
  WHERE key = ? AND state IN ('scheduled', 'ready', 'held') AND withheld = 0
    AND (held_from IS NULL OR first_attempt_at IS NULL)`

/** See `Store.cancelSend`. */
export function cancelSend(tx: Tx, key: string, now: number): boolean {
  return tx.sql(CANCEL).run(now, key).changes > 0
}
