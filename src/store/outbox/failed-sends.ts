import { customerLane, statusLane } from '../database/lane-names.ts'
import { eachDoes } from '../database/effects-of-features.ts'
import { storeOwn } from '../work/items.ts'
import { causeOfTelling, isToldOf } from './send-resolutions.ts'
import { isByPerson } from './send-rules.ts'
import { sql } from '../database/sql.ts'
import { one, type Steps, type Tx } from '../database/steps.ts'
import { forgottenUpto } from '../customers/forgotten.ts'
import { presentSend } from './rows.ts'
import { sends } from '../database/outbox-tables.ts'

/** Stores an item for a failed send, in the lane of the customer's statuses. */
export function* reportIfFailed(tx: Tx, id: string, now: number, isAwaited = false): Steps<void> {
  const send = yield* presentSend(id)
  if (!isToldOf(send, isAwaited)) return
  const row = yield* one<{ seq: number }>(sql`SELECT seq FROM ${sends} WHERE id = ${id}`)
  // The customer was forgotten while the send was under way.
  if ((yield* forgottenUpto(send)).sends >= (row?.seq ?? 0)) return
  const { number, customer, state, code, reason, ref, settledAt, trace } = send
  yield* storeOwn(
    tx,
    {
      kind: 'send_failed',
      id,
      says: JSON.stringify({ send: id, ref, state, code, reason, settledAt }),
      number,
      customer,
      lane: statusLane(customerLane(send)),
      at: now,
      trace,
      cause: causeOfTelling,
    },
    now,
  )
}

export function* tellDesk(id: string, now: number): Steps<void> {
  const send = yield* presentSend(id)
  if (isByPerson(send)) yield* eachDoes(({ answerFailed }) => answerFailed?.(send, now))
}
