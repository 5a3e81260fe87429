import { createHash } from 'node:crypto'
import { deliverOwn } from '../items/insert-item.ts'
import { customerLane } from '../lanes/lanes.ts'
import { disarm, type Timer } from '../lanes/timers.ts'
import { timersCameBack } from '../sends/restored.ts'
import { all, one, sql, type Steps, type Tx } from '../steps.ts'

/** Timers that become items in one commit; the next claim finds the rest. */
const MOST_IN_ONE_COMMIT = 256

/** Each timer that has come due becomes an item in the lane of its customer's messages, at the service time of the timer. */
export function* makeItemsOfDueTimers(tx: Tx, serviceNow: number, now: number): Steps<void> {
  const due = yield* all<Timer & { readonly due_at: number; readonly says: string }>(sql`
    SELECT number, customer, kind, name, due_at, says FROM timers
    WHERE due_at <= ${serviceNow} AND NOT ${timersCameBack()} ORDER BY due_at LIMIT ${MOST_IN_ONE_COMMIT}`)
  for (const { due_at: at, says, ...timer } of due) {
    yield* disarm(timer)
    const { kind, number, customer } = timer
    const id = idOf(timer, says)
    yield* deliverOwn(tx, { kind, id, says, number, customer, lane: customerLane(timer), at, cause: () => id }, now)
  }
}

/** Service time at which the next timer or scheduled send is due; undefined if there is none. */
export function* nextDueAt(): Steps<number | undefined> {
  const row = yield* one<{ at: number | null }>(sql`
    SELECT min(due_at) AS at FROM (
      SELECT min(due_at) AS due_at FROM timers WHERE NOT ${timersCameBack()}
      UNION ALL SELECT min(due_at) FROM sends WHERE state = 'scheduled') AS due`)
  return row?.at ?? undefined
}

/**
 * The same for the same arming, also if a database was brought back from a backup in which the timer had not come due:
 * what its handlers send has the keys that it had before.
 */
function idOf({ kind, number, customer, name }: Timer, says: string): string {
  const what = createHash('sha256').update(JSON.stringify([number, customer, name, says]))
  return `${kind}:${what.digest('base64url').slice(0, 26)}`
}
