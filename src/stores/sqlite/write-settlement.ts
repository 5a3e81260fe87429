import type { SendSettlement } from '../port/index.ts'
import { type SendChange, sendChange } from '../rules/send-settlement.ts'
import type { Tx } from './group-commit.ts'
import { markSent } from './mutes.ts'
import { adoptStatuses } from './statuses.ts'

const ACCEPTED = `
  UPDATE sends SET state = 'accepted', message_id = ?, upstream_id = ?, possibly_twice = ?, code = NULL, reason = NULL,
    settled_at = ?
  WHERE id = ? RETURNING number, customer`
const ENDED = 'UPDATE sends SET state = ?, code = ?, reason = ?, settled_at = ? WHERE id = ?'
// A send that was put off before an attempt at it began may have been cancelled meanwhile.
const WAITING = `
  UPDATE sends SET state = ?, code = ?, reason = ?, next_at = ?, held_from = NULL WHERE id = ? AND settled_at IS NULL`
const ATTEMPT_TAKEN_BACK = `
  UPDATE sends SET state = ?, code = ?, reason = ?, next_at = ?, held_from = NULL, attempts = max(0, attempts - 1),
    first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END
  WHERE id = ? AND settled_at IS NULL`
const FALL_BACK = `
  UPDATE sends SET state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL, attempting_since = NULL,
    next_at = ?
  WHERE id = ?`

/** Writes into a send's row what a settlement changes by the rule `sendChange`. */
export function writeSettlement(tx: Tx, send: string, settlement: SendSettlement, now: number): void {
  const change = sendChange(settlement, now)
  switch (change.to) {
    case 'accepted': {
      const { number, customer } = accept(tx, send, change)
      const at = settlement.as === 'accepted' ? settlement.at : undefined
      if (at !== undefined) markSent(tx, number, customer, at)
      return
    }
    case 'ended':
      tx.sql(ENDED).run(change.state, change.code ?? null, change.reason, change.settledAt, send)
      return
    case 'waiting': {
      const statement = change.takesBackAttempt ? ATTEMPT_TAKEN_BACK : WAITING
      tx.sql(statement).run(change.state, change.code ?? null, change.reason, change.nextAt, send)
      return
    }
    case 'fallback':
      tx.sql(FALL_BACK).run(change.nextAt, send)
      return
    case 'unchanged':
  }
}

type Accepted = Extract<SendChange, { to: 'accepted' }>

function accept(tx: Tx, send: string, { messageId, upstreamId, possiblyTwice, settledAt }: Accepted) {
  const row = tx.sql(ACCEPTED).get(messageId, upstreamId ?? null, possiblyTwice ? 1 : 0, settledAt, send)
  adoptStatuses(tx, messageId, upstreamId)
  return row as { number: string; customer: string }
}
