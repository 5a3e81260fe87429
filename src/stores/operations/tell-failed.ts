import { createHash } from 'node:crypto'
import { OWN_SUBSCRIPTION, SEND_FAILED, type SendRow } from '../port/index.ts'
import { A_RERUN_ASKS, causeOfTelling, isToldOf } from '../rules/send-failures.ts'
import { addContent } from './contents.ts'
import { insertItem } from './insert-item.ts'
import { customerLane } from './lanes.ts'
import { findSend, presentSend } from './sends.ts'
import { one, run, sql, type Steps, type Tx } from './steps.ts'

/**
 * Tells of a send that has failed, in the commit that settles it: a delivery of the bot's own, whose id is the send's,
 * with one item in the lane of the customer's statuses.
 */
export function* tellIfFailed(tx: Tx, id: string, now: number, isAwaited = false): Steps<void> {
  const send = yield* presentSend(id)
  if (!isToldOf(send, isAwaited) || (yield* isForgotten(send))) return
  const seq = yield* insertDelivery(tx, send, now)
  const { number, customer } = send
  const item = {
    idx: 0,
    kind: 'send_failed',
    number,
    customer,
    lane: `${customerLane(send)}/status`,
    at: now,
    facts: NO_FACTS,
    identity: undefined,
    cause: { identity: undefined, signed: causeOfTelling(seq) },
    state: 'stored',
  } as const
  yield* insertItem(tx, item, { seq, now, moves: new Map() })
}

const NO_FACTS = JSON.stringify({ values: {}, sure: [], mapped: [], own: {} })

/** The send was under way when its customer was forgotten. */
function* isForgotten({ id, number, customer }: SendRow): Steps<boolean> {
  return (
    (yield* one(sql`
      SELECT 1 FROM forgotten f JOIN sends s ON s.id = ${id} AND f.upto >= s.seq
      WHERE f.number = ${number} AND f.customer = ${customer} AND f.what = 'sends'`)) !== undefined
  )
}

function* insertDelivery(tx: Tx, send: SendRow, now: number): Steps<number> {
  const { id, state, code, reason, ref, settledAt } = send
  const body = Buffer.from(JSON.stringify({ send: id, ref, state, code, reason, settledAt }))
  const digest = createHash('sha256').update(body).digest()
  const seq = tx.nextPlace()
  yield* run(sql`
    INSERT INTO deliveries
      (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, state, holds_id,
      holds_signed)
    VALUES (${seq}, ${seq}, ${OWN_SUBSCRIPTION}, ${id}, ${SEND_FAILED}, ${Math.floor(now / 1_000)}, ${digest}, ${now},
      coalesce((SELECT clock_offset FROM deliveries ORDER BY seq DESC LIMIT 1), 0), 'stored', 0, 0)`)
  return yield* addContent(tx, { seq, body })
}

/** See `Store.stopAwaiting`. */
export function* stopAwaiting(id: string): Steps<SendRow | undefined> {
  yield* run(sql`
    UPDATE sends SET awaited_until = CASE WHEN settled_at IS NULL THEN NULL ELSE ${A_RERUN_ASKS} END WHERE id = ${id}`)
  return yield* findSend({ id })
}
