import type { CustomerOfNumber, Fence, SendSettlement } from '../../port/index.ts'
import { type SendChange, sendChange } from '../../rules/send-settlement.ts'
import { markSent } from '../items/customers.ts'
import { holdsLane, stands } from '../lanes/lanes.ts'
import { one, run, sql, type Steps, when } from '../steps.ts'
import { adoptStatuses } from './statuses.ts'

/**
 * Writes into a send's row what a settlement changes by the rule `sendChange`. False if the lane was lost: nothing is
 * changed then.
 */
export function* writeSettlement(fence: Fence, send: string, settlement: SendSettlement, now: number): Steps<boolean> {
  const change = sendChange(settlement, now)
  const at = settlement.as === 'accepted' ? settlement.at : undefined
  const isWritten = change.to === 'accepted' ? yield* accept(fence, send, change, at) : yield* put(fence, send, change)
  // A send that was put off before an attempt at it began may have been cancelled meanwhile, and its lane is held.
  return isWritten || (yield* holdsLane(fence))
}

type Accepted = Extract<SendChange, { to: 'accepted' }>

/** @param at service time of the answer. */
function* accept(fence: Fence, send: string, change: Accepted, at: number | undefined): Steps<boolean> {
  const { messageId, upstreamId } = change
  const to = yield* one<CustomerOfNumber & { strays: unknown }>(sql`
    UPDATE sends SET state = 'accepted', message_id = ${messageId}, upstream_id = ${upstreamId},
      possibly_twice = ${change.possiblyTwice}, code = NULL, reason = NULL, settled_at = ${change.settledAt}
    WHERE id = ${send} AND ${stands(fence)}
    RETURNING number, customer,
      EXISTS (SELECT 1 FROM stray_statuses WHERE message IN (${messageId}, ${upstreamId})) AS strays`)
  if (!to) return false
  if (to.strays) yield* adoptStatuses(messageId, upstreamId)
  if (at !== undefined) yield* markSent(to, at)
  return true
}

function* put(fence: Fence, send: string, change: Exclude<SendChange, Accepted>): Steps<boolean> {
  if (change.to === 'unchanged') return false
  const columns = columnsOf(change)
  const isOpen = when(change.to === 'waiting', () => sql`AND settled_at IS NULL`)
  return (yield* run(sql`UPDATE sends SET ${columns} WHERE id = ${send} ${isOpen} AND ${stands(fence)}`)) > 0
}

function columnsOf(change: Extract<SendChange, { to: 'ended' | 'waiting' | 'fallback' }>) {
  switch (change.to) {
    case 'ended':
      return sql`
        state = ${change.state}, code = ${change.code}, reason = ${change.reason}, settled_at = ${change.settledAt}
        ${when(change.marksRepeated, () => REPEATS_MARKED)}`
    case 'waiting':
      return sql`
        state = ${change.state}, code = ${change.code}, reason = ${change.reason}, next_at = ${change.nextAt},
        held_from = NULL ${when(change.takesBackAttempt, () => ATTEMPT_TAKEN_BACK)}`
    case 'fallback':
      return sql`
        state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL, attempting_since = NULL,
        next_at = ${change.nextAt}`
  }
}

const REPEATS_MARKED = sql`, possibly_twice = CASE WHEN attempts > 1 THEN 1 ELSE possibly_twice END`

const ATTEMPT_TAKEN_BACK = sql`,
  attempts = greatest(0, attempts - 1), first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END`
