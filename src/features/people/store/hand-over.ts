import { eachDoes } from '../../../store/database/effects-of-features.ts'
import { setTimer, type Timer, type TimerSays, wholeRow } from '../../../store/customers/customer.ts'
import { isInForce } from '../../../store/database/silence.ts'
import { sql } from '../../../store/database/sql.ts'
import { all, one, execute, type Steps, MOST_COUNTED } from '../../../store/database/steps.ts'
import { itemPassesFence, type Fence } from '../../../store/work/lanes.ts'
import { customers, timers, type CustomerOfNumber } from '../../../store/database/customer-tables.ts'
import { inbox } from '../../../store/database/inbox-tables.ts'
import { putSome } from '../../../store/database/statements.ts'
import { beginWait, markAnswered } from './queue.ts'
import { prolongedBy, type TakenOver, takenOverAfter, takenOverIn } from './taken-over.ts'

export interface NewTakeover extends CustomerOfNumber, Omit<TakenOver, 'cause'> {
  /** True if the customer waits for a person from then on. Default true. */
  readonly waits?: boolean
  readonly now?: number
}

/** Records a take-over, unless it is a `BOT` older than the last change. Returns false if the fence no longer holds. */
export function* takeOver(asked: NewTakeover, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const { number, customer, waits = true, now = asked.since, ...takenOver } = asked
  const row = yield* wholeRow(asked)
  const known = takenOverIn(row)
  const item =
    fence &&
    (yield* one<{ cause: string; kind: string }>(sql`SELECT cause, kind FROM ${inbox} WHERE id = ${Number(fence.of)}`))
  const after = takenOverAfter(known, { ...takenOver, cause: item?.cause }, row?.resumed_at ?? undefined)
  if (!after) return true
  const goesOn = known?.by === 'person' && isInForce(known, after.since)
  const { by: taken_by, since: taken_since, until: taken_until, cause: taken_cause } = after
  const taken = { number, customer, taken_by, taken_since, taken_until, taken_cause }
  yield* execute(putSome(customers, ['number', 'customer'], taken))
  // An item of the kind `event` reports that a person wrote to the customer elsewhere, so the wait is answered.
  if (item?.kind === 'event') {
    yield* markAnswered(asked, { upto: Number(fence?.of), by: null }, now)
  } else if (after.by === 'person' && waits && !goesOn) {
    yield* beginWait(asked, { why: 'handed_over', at: after.since, item: fence && Number(fence.of) }, now)
  }
  yield* moveTimers(asked, prolongedBy(known, after, asked.since))
  return true
}

/** Ends the take-over, even if the clock was set back before it began. Returns false if the fence no longer holds. */
export function* resume(who: CustomerOfNumber, at: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const takenOver = takenOverIn(yield* wholeRow(who))
  const { number, customer } = who
  yield* execute(sql`
    INSERT INTO ${customers} (number, customer, resumed_at) VALUES (${number}, ${customer}, ${at})
    ON CONFLICT (number, customer) DO UPDATE SET resumed_at = excluded.resumed_at,
      taken_since = CASE WHEN customers.taken_since > ${at} THEN ${at} ELSE customers.taken_since END,
      taken_until = CASE WHEN customers.taken_until > ${at} THEN ${at} ELSE customers.taken_until END`)
  yield* moveTimers(who, prolongedBy(takenOver, undefined, at))
  return true
}

export function* countTakenByPerson(at: number): Steps<number> {
  const counted = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM (
      SELECT 1 FROM ${customers} WHERE taken_by = 'person' AND taken_until > ${at} LIMIT ${MOST_COUNTED}) AS taken`)
  return counted?.n ?? 0
}

/** Timers wait until the take-over ends, and questions stay open for `prolongedMs` longer. */
function* moveTimers(who: CustomerOfNumber, prolongedMs: number): Steps<void> {
  if (prolongedMs === 0) return
  const { number, customer } = who
  const theirs = yield* all<Timer & { readonly item: number; readonly says: string }>(sql`
    SELECT number, customer, kind, name, item, says FROM ${timers} WHERE number = ${number} AND customer = ${customer}`)
  for (const { item, says, ...timer } of theirs) yield* setTimer(timer, { item, says: JSON.parse(says) as TimerSays })
  yield* eachDoes(({ prolong }) => prolong?.(who, prolongedMs))
}
