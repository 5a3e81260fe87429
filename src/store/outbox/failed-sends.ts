import { customerLane, statusLane } from '../customers.ts'
import { eachDoes } from '../built-in.ts'
import { storeOwn } from '../work/items.ts'
import { causeOfTelling, isToldOf } from '../rules/send-resolutions.ts'
import { isByPerson } from '../rules/sends.ts'
import { sql } from '../statements/sql.ts'
import { one, type Steps, type Tx } from '../statements/steps.ts'
import { forgottenUpto } from '../meta.ts'
import { presentSend } from './rows.ts'
import { sends } from '../tables/outbox-tables.ts'

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
