import {
  findCustomer,
  setTimer,
  type TakenOverRow,
  takenOverIn,
  type Timer,
  type TimerSays,
  waitsOf,
} from './customers.ts'
import { prolonged, waitAt } from './conversations.ts'
import { prolongedBy, takenOverAfter } from './rules/items.ts'
import { all, one, run, sql, type Steps } from './steps.ts'
import type { CustomerOfNumber, Fence, NewTakeover, TakenOver } from './types/index.ts'
import { holdsItem } from './work/processes.ts'

/**
 * Keeps that somebody else has a customer: replies to them are skipped, and their timers wait. A `BOT` that is older than
 * the last take-over changes nothing. False if the lease was lost.
 */
export function* takeOver(asked: NewTakeover, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsItem(fence))) return false
  const { number, customer, ...takenOver } = asked
  const known = yield* takeoverOf(asked)
  const cause =
    fence && (yield* one<{ cause: string }>(sql`SELECT cause FROM inbox WHERE id = ${Number(fence.of)}`))?.cause
  const after = takenOverAfter(known.takenOver, { ...takenOver, cause }, known.resumedAt)
  if (!after) return true
  yield* run(sql`
    INSERT INTO customers (number, customer, taken_by, taken_since, taken_until, taken_cause)
    VALUES (${number}, ${customer}, ${after.by}, ${after.since}, ${after.until}, ${after.cause})
    ON CONFLICT (number, customer) DO UPDATE SET taken_by = excluded.taken_by, taken_since = excluded.taken_since,
      taken_until = excluded.taken_until, taken_cause = excluded.taken_cause`)
  yield* moveTimers(asked, prolongedBy(known.takenOver, after, asked.since))
  return true
}

/** Ends what is in force, at a service time. It counts also if the clock has gone back since the take-over began. */
export function* resume(who: CustomerOfNumber, at: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsItem(fence))) return false
  const { takenOver } = yield* takeoverOf(who)
  const { number, customer } = who
  yield* run(sql`
    INSERT INTO customers (number, customer, resumed_at) VALUES (${number}, ${customer}, ${at})
    ON CONFLICT (number, customer) DO UPDATE SET resumed_at = excluded.resumed_at,
      taken_since = CASE WHEN customers.taken_since > ${at} THEN ${at} ELSE customers.taken_since END,
      taken_until = CASE WHEN customers.taken_until > ${at} THEN ${at} ELSE customers.taken_until END`)
  yield* moveTimers(who, prolongedBy(takenOver, undefined, at))
  return true
}

interface Known {
  readonly takenOver: TakenOver | undefined
  readonly resumedAt: number | undefined
}

function* takeoverOf({ number, customer }: CustomerOfNumber): Steps<Known> {
  const row = yield* one<TakenOverRow & { readonly resumed_at: number | null }>(sql`
    SELECT taken_by, taken_since, taken_until, taken_cause, resumed_at FROM customers
    WHERE number = ${number} AND customer = ${customer}`)
  return { takenOver: takenOverIn(row), resumedAt: row?.resumed_at ?? undefined }
}

/**
 * A question stays open for as much longer as its customer is taken over. Every other timer keeps its time, and waits for
 * the end of the take-over.
 */
function* moveTimers(who: CustomerOfNumber, prolongedMs: number): Steps<void> {
  if (prolongedMs === 0) return
  const { number, customer } = who
  const timers = yield* all<Timer & { readonly item: number; readonly says: string }>(sql`
    SELECT number, customer, kind, name, item, says FROM timers WHERE number = ${number} AND customer = ${customer}`)
  for (const { item, says, ...timer } of timers) yield* setTimer(timer, { item, says: JSON.parse(says) as TimerSays })
  const id = (yield* findCustomer(who))?.conversation ?? undefined
  if (id === undefined) return
  const open = yield* one<{ waits: string | null; item: number }>(sql`
    SELECT waits, item FROM conversations WHERE id = ${id} AND state = 'open'`)
  const waits = waitsOf(open?.waits)
  if (open && waits?.for === 'answer') yield* waitAt(id, prolonged(waits, prolongedMs), open.item)
}
