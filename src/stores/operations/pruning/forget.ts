import type { CustomerOfNumber, Fence } from '../../port/index.ts'
import { customerLane, holdsLane, inLanesOf } from '../lanes/lanes.ts'
import { Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { removeConversations } from '../turns/conversations.ts'

/**
 * Notes that a customer is to be forgotten, and does what an index finds: see `Store.forget`. All else is erased by
 * `eraseForgotten`.
 */
export function* forget(tx: Tx, who: CustomerOfNumber, now: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsLane(fence))) return false
  const { number, customer } = who
  for (const what of ['deliveries', 'sends'] as const)
    yield* run(sql`
      INSERT INTO forgotten (number, customer, what, upto)
      SELECT ${number}, ${customer}, ${what}, coalesce(max(seq), 0) FROM ${new Query(what)} WHERE true
      ON CONFLICT (number, customer, what) DO UPDATE SET upto = excluded.upto, erased_upto = -1, open_from = NULL`)
  const lane = customerLane(who)
  for (const lanes of [inLanesOf(lane), inLanesOf('code')])
    yield* run(sql`
      UPDATE sends SET state = 'cancelled', held_from = NULL, settled_at = ${now}
      WHERE ${lanes} AND number = ${number} AND customer = ${customer} AND settled_at IS NULL
        AND state IN ('scheduled', 'ready', 'held')`)
  yield* run(sql`
    UPDATE items SET state = 'ignored', settled_at = ${now}
    WHERE lane IN (${lane}, ${`${lane}/status`}) AND settled_at IS NULL AND state <> 'running'
      AND kind IN ('send_failed', 'window_closing', 'conversation_due', 'enter')`)
  yield* run(sql`DELETE FROM timers WHERE number = ${number} AND customer = ${customer}`)
  yield* removeConversations(sql`number = ${number} AND customer = ${customer}`)
  yield* run(sql`DELETE FROM mutes WHERE number = ${number} AND customer = ${customer}`)
  yield* run(sql`DELETE FROM sessions WHERE number = ${number} AND customer = ${customer}`)
  yield* run(sql`
    UPDATE lanes SET last_at = NULL, moved_at = NULL, handled_at = NULL, sent_at = NULL WHERE key = ${lane}`)
  yield* run(sql`DELETE FROM lanes WHERE key = ${lane} AND ready_at IS NULL`)
  tx.wake('erasure')
  return true
}
