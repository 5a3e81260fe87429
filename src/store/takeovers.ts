import { findCustomer, setTimer, takenOverIn, type Timer, type TimerSays, waitsOf, wholeRow } from './customers.ts'
import { prolonged, waitAt } from './conversations.ts'
import { isInForce, prolongedBy, takenOverAfter } from './rules/items.ts'
import { all, one, execute, sql, type Steps, when } from './steps.ts'
import { type CustomerOfNumber, type Fence, MOST_COUNTED, type NewTakeover } from './types/types.ts'
import { itemPassesFence } from './work/processes.ts'

/** An older `BOT` changes nothing. False if the item was freed. */
export function* takeOver(asked: NewTakeover, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const { number, customer, ...takenOver } = asked
  const row = yield* wholeRow(asked)
  const known = takenOverIn(row)
  const item =
    fence &&
    (yield* one<{ cause: string; kind: string }>(sql`SELECT cause, kind FROM inbox WHERE id = ${Number(fence.of)}`))
  const after = takenOverAfter(known, { ...takenOver, cause: item?.cause }, row?.resumed_at ?? undefined)
  if (!after) return true
  const goesOn = known?.by === 'person' && isInForce(known, after.since)
  const waitingSince = goesOn ? row?.waiting_since : after.since
  yield* execute(sql`
    INSERT INTO customers (number, customer, taken_by, taken_since, taken_until, taken_cause, waiting_since)
    VALUES (${number}, ${customer}, ${after.by}, ${after.since}, ${after.until}, ${after.cause}, ${waitingSince})
    ON CONFLICT (number, customer) DO UPDATE SET taken_by = excluded.taken_by, taken_since = excluded.taken_since,
      taken_until = excluded.taken_until, taken_cause = excluded.taken_cause, waiting_since = excluded.waiting_since`)
  // A report of the service: a person has written elsewhere.
  if (item?.kind === 'event') yield* markAnswered(asked, Number(fence?.of))
  yield* moveTimers(asked, prolongedBy(known, after, asked.since))
  return true
}

/**
 * Ends what is in force, at a service time. It counts also if the clock has gone back since the take-over began. False if
 * the item was freed.
 */
export function* resume(who: CustomerOfNumber, at: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const takenOver = takenOverIn(yield* wholeRow(who))
  const { number, customer } = who
  yield* execute(sql`
    INSERT INTO customers (number, customer, resumed_at) VALUES (${number}, ${customer}, ${at})
    ON CONFLICT (number, customer) DO UPDATE SET resumed_at = excluded.resumed_at,
      taken_since = CASE WHEN customers.taken_since > ${at} THEN ${at} ELSE customers.taken_since END,
      taken_until = CASE WHEN customers.taken_until > ${at} THEN ${at} ELSE customers.taken_until END`)
  yield* moveTimers(who, prolongedBy(takenOver, undefined, at))
  return true
}

export function* markAnswered({ number, customer }: CustomerOfNumber, upto: number): Steps<void> {
  yield* execute(sql`
    UPDATE customers SET waiting_since = NULL, answered_upto = greatest(coalesce(answered_upto, 0), ${upto})
    WHERE number = ${number} AND customer = ${customer}`)
}

export function* countTakenByPerson(at: number): Steps<number> {
  const counted = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM (
      SELECT 1 FROM customers WHERE taken_by = 'person' AND taken_until > ${at} LIMIT ${MOST_COUNTED}) AS taken`)
  return counted?.n ?? 0
}

/** Customers whom a person has and who wait for that person's answer, those who have waited longest first. */
export function* waitingForPerson(o: {
  readonly number?: string | undefined
  readonly at: number
  readonly limit: number
}) {
  return yield* all<CustomerOfNumber & { readonly since: number; readonly until: number }>(sql`
    SELECT number, customer, since, until FROM (
      SELECT number, customer, taken_until AS until, coalesce(waiting_since, (
        SELECT i.at FROM inbox i
        WHERE i.kind = 'message' AND i.number = c.number AND i.customer = c.customer AND i.id > c.answered_upto
          AND coalesce(i.mark, '') <> 'same_message'
        ORDER BY i.id LIMIT 1)) AS since
      FROM customers c
      WHERE taken_by = 'person' AND taken_until > ${o.at} ${when(o.number !== undefined, () => sql`AND number = ${o.number}`)}
    ) AS waiting
    WHERE since IS NOT NULL ORDER BY since, number, customer LIMIT ${o.limit}`)
}

/** A question stays open for as much longer. Other timers wait for the end of the take-over. */
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
