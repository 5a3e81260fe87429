import type { SendSettlement } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE } from './lanes.ts'
import { markSent } from './mutes.ts'
import { adoptStatuses } from './statuses.ts'

const ACCEPTED = `
  UPDATE sends SET state = 'accepted', message_id = ?, upstream_id = ?, possibly_twice = ?, code = NULL, reason = NULL,
    settled_at = ?
  WHERE id = ? RETURNING number, customer`
const ENDED = 'UPDATE sends SET state = ?, code = ?, reason = ?, settled_at = ? WHERE id = ?'
// A send that was put off before an attempt at it began may have been cancelled meanwhile.
const LATER = `
  UPDATE sends SET state = ?, code = ?, reason = ?, next_at = ?, held_from = NULL WHERE id = ? AND settled_at IS NULL`
// A stopped queue uses up no attempts.
const HOLD = `
  UPDATE sends SET state = 'held', code = ?, reason = ?, next_at = ?, held_from = NULL, attempts = max(0, attempts - 1),
    first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END
  WHERE id = ? AND settled_at IS NULL`
const FALL_BACK = `
  UPDATE sends SET state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL, attempting_since = NULL,
    next_at = ?
  WHERE id = ?`

/** What became of an attempt, in the send's row. */
export function writeSettlement(tx: Tx, send: string, it: SendSettlement, now: number): void {
  switch (it.as) {
    case 'accepted':
      accepted(tx, send, it, now)
      return
    case 'refused':
    case 'unknown':
    case 'skipped':
      tx.sql(ENDED).run(it.as, it.code ?? null, it.reason, now, send)
      return
    case 'held':
      tx.sql(HOLD).run(it.code ?? null, it.reason, AT_ONCE, send)
      return
    case 'ready':
    case 'attempting':
      tx.sql(LATER).run(it.as, it.code ?? null, it.reason, it.at, send)
      return
    case 'fall_back':
      tx.sql(FALL_BACK).run(AT_ONCE, send)
      return
    case 'gone':
  }
}

type Acceptance = Extract<SendSettlement, { as: 'accepted' }>

function accepted(tx: Tx, send: string, it: Acceptance, now: number): void {
  const row = tx.sql(ACCEPTED).get(it.messageId, it.upstreamId ?? null, it.possiblyTwice ? 1 : 0, now, send)
  const { number, customer } = row as { number: string; customer: string }
  adoptStatuses(tx, it.messageId, it.upstreamId)
  if (it.at !== undefined) markSent(tx, number, customer, it.at)
}
