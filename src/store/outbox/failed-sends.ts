import type { CustomerOfNumber } from '../database/customer-tables.ts'
import { customerLane, statusLane } from '../database/lane-names.ts'
import { eachDoes } from '../database/effects-of-features.ts'
import { storeOwn } from '../work/items.ts'
import { isByPerson } from './send-rules.ts'
import { sql } from '../database/sql.ts'
import { one, type Steps, type Tx } from '../database/steps.ts'
import { forgottenUpto } from '../customers/forgotten.ts'
import { presentSend } from './rows.ts'
import { sends, type SendRow } from '../database/outbox-tables.ts'

/** Stores an item for a failed send, in the lane of the customer's statuses. It is for `onSendFailed`. */
export function* reportIfFailed(tx: Tx, id: string, now: number, isAwaited = false): Steps<void> {
  const send = yield* presentSend(id)
  if (!isReported(send, isAwaited)) return
  const row = yield* one<{ seq: number }>(sql`SELECT seq FROM ${sends} WHERE id = ${id}`)
  // If the customer was forgotten while the send was under way, nothing is reported.
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
      cause: causeOfReport,
    },
    now,
  )
}

/** If a person wrote the message, its customer waits for a person again. */
export function* answerFailed(send: CustomerOfNumber & Pick<SendRow, 'cause' | 'slot'>, now: number): Steps<void> {
  if (isByPerson(send)) yield* eachDoes((effects) => effects.answerFailed?.(send, now))
}

/**
 * A value of `awaitedUntil` that is not a time. A refusal is then never reported, because a handler's rerun requests
 * the send again, or the caller knows the outcome.
 */
export const A_RERUN_ASKS = Number.MAX_SAFE_INTEGER

const CAUSE = 'send_failed:'

export function causeOfReport(seq: number): string {
  return `${CAUSE}${seq}`
}

type Failed = Pick<SendRow, 'state' | 'code' | 'cause' | 'awaitedUntil'>

/**
 * Returns true if `onSendFailed` runs for a send. It does not run for a send that the app or a person cancelled, nor
 * for one that an `onSendFailed` handler sent, because that could continue for ever. `isAwaited`: a caller in this
 * process already receives the refusal or skip.
 */
export function isReported({ state, code, cause, awaitedUntil }: Failed, isAwaited: boolean): boolean {
  if (cause.startsWith(CAUSE)) return false
  if (state === 'unknown' || state === 'lost_code') return true
  const failed = state === 'refused' || (state === 'skipped' && code === 'stale')
  return failed && !isAwaited && awaitedUntil !== A_RERUN_ASKS
}

interface FailureReport {
  readonly reported: Pick<SendRow, 'state' | 'settledAt'>
  readonly now: Pick<SendRow, 'state' | 'settledAt' | 'awaitedUntil'> | undefined
}

/**
 * Decides when a failure is reported. `at`: a caller in another process may wait until then. `over`: the failure was
 * reported, or the send has ended differently since.
 */
export function whenToReport({ reported, now }: FailureReport, wall: number): 'due' | 'over' | { readonly at: number } {
  if (now?.state !== reported.state || now.settledAt !== reported.settledAt) return 'over'
  if (reported.state === 'unknown' || reported.state === 'lost_code') return 'due'
  const { awaitedUntil = 0 } = now
  if (awaitedUntil === A_RERUN_ASKS) return 'over'
  return awaitedUntil > wall ? { at: awaitedUntil } : 'due'
}
