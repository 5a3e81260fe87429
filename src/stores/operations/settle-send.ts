import type { CustomerOfNumber, SendSettlement } from '../port/index.ts'
import { type SendChange, sendChange } from '../rules/send-settlement.ts'
import { markSent } from './customers.ts'
import { adoptStatuses } from './statuses.ts'
import { one, run, sql, type Steps, when } from './steps.ts'

/** Writes into a send's row what a settlement changes by the rule `sendChange`. */
export function* writeSettlement(send: string, settlement: SendSettlement, now: number): Steps<void> {
  const change = sendChange(settlement, now)
  switch (change.to) {
    case 'accepted': {
      const to = yield* accept(send, change)
      if (settlement.as === 'accepted' && settlement.at !== undefined) yield* markSent(to, settlement.at)
      return
    }
    case 'ended':
      yield* run(sql`
        UPDATE sends SET state = ${change.state}, code = ${change.code}, reason = ${change.reason},
          settled_at = ${change.settledAt}
        WHERE id = ${send}`)
      return
    case 'waiting':
      // A send that was put off before an attempt at it began may have been cancelled meanwhile.
      yield* run(sql`
        UPDATE sends SET state = ${change.state}, code = ${change.code}, reason = ${change.reason},
          next_at = ${change.nextAt}, held_from = NULL
          ${when(change.takesBackAttempt, () => ATTEMPT_TAKEN_BACK)}
        WHERE id = ${send} AND settled_at IS NULL`)
      return
    case 'fallback':
      yield* run(sql`
        UPDATE sends SET state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL,
          attempting_since = NULL, next_at = ${change.nextAt}
        WHERE id = ${send}`)
      return
    case 'unchanged':
  }
}

const ATTEMPT_TAKEN_BACK = sql`,
  attempts = greatest(0, attempts - 1), first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END`

type Accepted = Extract<SendChange, { to: 'accepted' }>

function* accept(send: string, change: Accepted): Steps<CustomerOfNumber> {
  const { messageId, upstreamId } = change
  const row = yield* one<CustomerOfNumber>(sql`
    UPDATE sends SET state = 'accepted', message_id = ${messageId}, upstream_id = ${upstreamId},
      possibly_twice = ${change.possiblyTwice}, code = NULL, reason = NULL, settled_at = ${change.settledAt}
    WHERE id = ${send} RETURNING number, customer`)
  yield* adoptStatuses(messageId, upstreamId)
  return row as CustomerOfNumber
}
