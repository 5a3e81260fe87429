import { all, one, run, sql, type Steps } from './steps.ts'
import type { Tx } from './steps.ts'
import { wakeLane } from './lanes.ts'

/** As many as this in one commit; the rest is found by the next claim. */
const MOST_IN_ONE_COMMIT = 256

/** Puts scheduled sends whose time has come into their lanes. */
export function* releaseDue(tx: Tx, serviceNow: number, now: number): Steps<void> {
  const due = yield* all<{ id: string }>(sql`
    SELECT id FROM sends WHERE state = 'scheduled' AND due_at <= ${serviceNow}
    ORDER BY due_at, seq LIMIT ${MOST_IN_ONE_COMMIT}`)
  for (const { id } of due) {
    // A send that comes due joins its lane as if it were recorded now: the sends that wait there keep their place.
    const send = yield* one<{ lane: string }>(sql`
      UPDATE sends SET state = 'ready', seq = (SELECT max(seq) FROM sends) + 1 WHERE id = ${id} RETURNING lane`)
    if (send) yield* wakeLane(tx, send.lane, 'send', now)
  }
}

/**
 * Takes a send back: see `Store.cancelSend`. One conditional statement, since a worker may begin the send at the same
 * moment. A send that a restored database holds may have gone out after the backup was taken, so it is taken back only
 * if no attempt had begun.
 */
export function* cancelSend(key: string, now: number): Steps<boolean> {
  const cancelled = yield* run(sql`
    UPDATE sends SET state = 'cancelled', settled_at = ${now}, held_from = NULL, code = NULL, reason = NULL
    WHERE key = ${key} AND state IN ('scheduled', 'ready', 'held') AND withheld = 0
      AND (held_from IS NULL OR first_attempt_at IS NULL)`)
  return cancelled > 0
}
