import {
  closeThrottle,
  NOT_CLOSED,
  PROBE_EVERY_MS,
  PROBE_NOW,
  type ClosedThrottle,
  type ThrottleChange,
} from './send-rules.ts'
import { type Query, sql, when } from '../database/sql.ts'
import { all, one, execute, type Steps, type Tx } from '../database/steps.ts'
import { throttles } from '../database/outbox-tables.ts'
import { put } from '../database/statements.ts'
import type { RowOf } from '../database/table.ts'

export interface ThrottleMove {
  readonly number: string
  readonly move: ThrottleChange
  /**
   * The value of `inARow` when the attempt began; 0 if the number had no throttle. If another process has changed it,
   * the attempt changes nothing.
   */
  readonly seen?: number
}

export type ThrottleRow = RowOf<typeof throttles>

export function* throttleOf(number: string): Steps<ClosedThrottle | undefined> {
  const row = yield* one<ThrottleRow>(sql`SELECT * FROM ${throttles} WHERE number = ${number}`)
  return row && asThrottle(row)
}

export function closedThrottles(now: number): Steps<ClosedThrottle[]> {
  return throttlesThat(sql`stopped = 1 OR closed_until > ${now}`)
}

export function stoppedThrottles(): Steps<ClosedThrottle[]> {
  return throttlesThat(sql`stopped = 1`)
}

function* throttlesThat(are: Query): Steps<ClosedThrottle[]> {
  return (yield* all<ThrottleRow>(sql`SELECT * FROM ${throttles} WHERE ${are} ORDER BY number`)).map(asThrottle)
}

export function asThrottle({ number, since, code, reason, ...row }: ThrottleRow): ClosedThrottle {
  const is = { stopped: row.stopped === 1, closedUntil: row.closed_until, inARow: row.in_a_row }
  return { number, since, ...is, code: code ?? undefined, reason }
}

export function* changeThrottle(tx: Tx, { number, move, seen }: ThrottleMove, now: number): Steps<void> {
  if (move === 'resumed') {
    const gone = yield* execute(sql`
      DELETE FROM ${throttles} WHERE number = ${number} ${when(seen !== undefined, () => sql`AND in_a_row = ${seen}`)}`)
    // Claims have skipped the lanes of this number while the throttle was closed, so the workers have to claim again.
    if (gone > 0) tx.wake('sends')
    return
  }
  const closed = closeThrottle(yield* throttleOf(number), move, now, seen)
  if (!closed) return
  const { since, stopped, closedUntil, inARow, code, reason } = closed
  const row = { number, stopped: Number(stopped), since, closed_until: closedUntil, in_a_row: inARow, code, reason }
  yield* execute(put(throttles, ['number'], row))
}

export function* noteProbe(number: string, now: number): Steps<void> {
  yield* execute(sql`UPDATE ${throttles} SET closed_until = ${now + PROBE_EVERY_MS} WHERE number = ${number}`)
}

export function* probeThrottles(tx: Tx, number: string | undefined): Steps<string[]> {
  const probed = yield* all<{ number: string }>(sql`
    UPDATE ${throttles} SET closed_until = ${PROBE_NOW}
    WHERE closed_until > ${NOT_CLOSED} ${when(number !== undefined, () => sql`AND number = ${number}`)} RETURNING number`)
  if (probed.length > 0) tx.wake('sends')
  return probed.map((throttle) => throttle.number).sort()
}
