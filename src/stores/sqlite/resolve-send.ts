import { type Resolution, type Resolved, resolutionsOf } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE } from './lanes.ts'
import { joinLane } from './open-send.ts'
import { sendById } from './send-rows.ts'

/** A person's word on a send: see `Store.resolveSend`. */
export function resolveSend(tx: Tx, id: string, as: Resolution, now: number): Resolved | undefined {
  const send = sendById(tx.sql, id)
  if (!send) return undefined
  if (!resolutionsOf(send).includes(as)) return { done: false, was: send.state, send }
  if (as === 'resend') resend(tx, id, now)
  else tx.sql(SETTLE).run(SETTLED[as].state, SETTLED[as].reason, now, id)
  return { done: true, was: send.state, send: sendById(tx.sql, id) ?? send }
}

const SETTLED = {
  accepted: { state: 'accepted', reason: 'somebody said that it arrived' },
  drop: { state: 'dropped', reason: 'somebody dropped it' },
} as const

const SETTLE = `
  UPDATE sends SET state = ?, code = NULL, reason = ?, held_from = NULL, settled_at = ? WHERE id = ?`

// Where the first bytes may have arrived, the fallback stays behind; a deadline and a
// silence are overruled by who sends it now; what was for later is still for later.
const FOR_LATER = "(held_from = 'scheduled' OR (state = 'cancelled' AND due_at IS NOT NULL))"
const MAY_HAVE_ARRIVED = "(state = 'unknown' OR held_from IS NOT NULL)"
const MAY_HAVE_LEFT = "(via = 'freeform' AND (state = 'unknown' OR held_from = 'attempting'))"
const RESEND = `
  UPDATE sends SET
    state = CASE WHEN ${FOR_LATER} THEN 'scheduled' ELSE 'ready' END,
    possibly_twice = possibly_twice OR ${MAY_HAVE_ARRIVED},
    fallback_key = CASE WHEN ${MAY_HAVE_LEFT} THEN NULL ELSE fallback_key END,
    fallback_body = CASE WHEN ${MAY_HAVE_LEFT} THEN NULL ELSE fallback_body END,
    attempts = 0, first_attempt_at = NULL, attempting_since = NULL, next_at = ?, code = NULL, reason = NULL,
    held_from = NULL, expires_at = NULL, unless_silent = 0, settled_at = NULL
  WHERE id = ? RETURNING id, number, lane, state`

function resend(tx: Tx, id: string, now: number): void {
  const send = tx.sql(RESEND).get(AT_ONCE, id) as { id: string; number: string; lane: string; state: string }
  if (send.state !== 'scheduled') joinLane(tx, send, now)
}
