import type { SendRow } from '../../port/index.ts'
import { A_RERUN_ASKS, causeOfTelling, isToldOf } from '../../rules/send-failures.ts'
import { deliverOwn } from '../items/own-deliveries.ts'
import { customerLane } from '../lanes/lanes.ts'
import { one, run, sql, type Steps, type Tx } from '../steps.ts'
import { findSend, presentSend } from './sends.ts'

/**
 * Tells of a send that has failed, in the commit that settles it: a delivery of the bot's own, whose id is the send's,
 * with one item in the lane of the customer's statuses.
 */
export function* tellIfFailed(tx: Tx, id: string, now: number, isAwaited = false): Steps<void> {
  const send = yield* presentSend(id)
  if (!isToldOf(send, isAwaited) || (yield* isForgotten(send))) return
  const { number, customer, state, code, reason, ref, settledAt, trace } = send
  const own = {
    kind: 'send_failed',
    id,
    says: JSON.stringify({ send: id, ref, state, code, reason, settledAt }),
    number,
    customer,
    lane: `${customerLane(send)}/status`,
    at: now,
    trace,
    cause: causeOfTelling,
  } as const
  yield* deliverOwn(tx, own, now)
}

/** The send was under way when its customer was forgotten. */
function* isForgotten({ id, number, customer }: SendRow): Steps<boolean> {
  return (
    (yield* one(sql`
      SELECT 1 FROM forgotten f JOIN sends s ON s.id = ${id} AND f.upto >= s.seq
      WHERE f.number = ${number} AND f.customer = ${customer} AND f.what = 'sends'`)) !== undefined
  )
}

/** See `Store.stopAwaiting`. */
export function* stopAwaiting(id: string): Steps<SendRow | undefined> {
  yield* run(sql`
    UPDATE sends SET awaited_until = CASE WHEN settled_at IS NULL THEN NULL ELSE number(${A_RERUN_ASKS}) END WHERE id = ${id}`)
  return yield* findSend({ id })
}
