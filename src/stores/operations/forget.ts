import type { CustomerOfNumber, Fence } from '../port/index.ts'
import { type RemovedSend, removeTraces } from './prune-sends.ts'
import type { Tx } from './steps.ts'
import { wipeFactsAt } from './contents.ts'
import { ofDelivery } from './item-ids.ts'
import { customerLane, holdsLane } from './lanes.ts'
import { wipeDelivery } from './prune-bytes.ts'
import { all, one, type Query, run, sql, type Steps } from './steps.ts'

/** Erases what is at rest of a customer now, and notes that the rest is to be erased later: see `Store.forget`. */
export function* forget(tx: Tx, who: CustomerOfNumber, now: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsLane(fence))) return false
  const { number, customer } = who
  yield* run(sql`
    INSERT INTO forgotten (number, customer, upto)
    SELECT ${number}, ${customer}, coalesce(max(seq), 0) FROM deliveries WHERE true
    ON CONFLICT (number, customer) DO UPDATE SET upto = excluded.upto`)
  yield* run(sql`
    UPDATE sends SET state = 'cancelled', held_from = NULL, settled_at = ${now}
    WHERE number = ${number} AND customer = ${customer} AND settled_at IS NULL
      AND state IN ('scheduled', 'ready', 'held')`)
  yield* run(sql`DELETE FROM mutes WHERE number = ${number} AND customer = ${customer}`)
  yield* run(sql`DELETE FROM sessions WHERE number = ${number} AND customer = ${customer}`)
  const lane = customerLane(who)
  yield* run(sql`
    UPDATE lanes SET last_at = NULL, moved_at = NULL, handled_at = NULL, sent_at = NULL WHERE key = ${lane}`)
  yield* run(sql`DELETE FROM lanes WHERE key = ${lane} AND ready_at IS NULL`)
  yield* eraseAtRest(tx, who)
  return true
}

/** Reads all items: an index for so rare a question would cost every delivery. */
function* eraseAtRest(tx: Tx, { number, customer }: CustomerOfNumber): Steps<void> {
  const found = yield* one<{ upto: number }>(sql`
    SELECT upto FROM forgotten WHERE number = ${number} AND customer = ${customer}`)
  const upto = found?.upto ?? 0
  const items = yield* all<{ id: number; seq: number; facts_place: number }>(sql`
    UPDATE items SET customer = NULL, lane = '', reason = 'forgotten',
      state = CASE WHEN state IN ('parked', 'dead') THEN 'ignored' ELSE state END
    WHERE number = ${number} AND customer = ${customer} AND seq <= ${upto} AND settled_at IS NOT NULL
    RETURNING id, seq, facts_place`)
  for (const { id, facts_place: place } of items) {
    yield* wipeFactsAt(place)
    yield* run(sql`DELETE FROM once_results WHERE item = ${id}`)
  }
  for (const seq of new Set(items.map((item) => item.seq))) yield* eraseBytes(seq)
  const unhandled = yield* all<Bytes>(
    sql`SELECT d.seq, d.body_place FROM ${unhandledNaming(customer)} AND d.seq <= ${upto}`,
  )
  for (const { seq, body_place: place } of unhandled) yield* wipeDelivery(seq, place)
  const sends = yield* all<RemovedSend>(sql`
    DELETE FROM sends WHERE number = ${number} AND customer = ${customer} AND settled_at IS NOT NULL
    RETURNING id, message_id, upstream_id`)
  for (const send of sends) yield* removeTraces(send)
}

// Deliveries that nobody listens to, or that are kept for a person, were never read for their customer: they may name
// the customer all the same.
/** Deliveries `d` that name a customer and were never read for their customer. */
export function unhandledNaming(customer: string): Query {
  return sql`deliveries d JOIN contents c ON c.place = d.body_place
    WHERE d.state <> 'stored' AND position(${Buffer.from(customer)} IN c.body) > 0`
}

interface Bytes {
  readonly seq: number
  readonly body_place: number
}

// The bytes of a batch hold what other customers wrote too: they go when no item of others is left, or by their age.
function* eraseBytes(seq: number): Steps<void> {
  const others = yield* one(sql`
    SELECT 1 FROM items WHERE ${ofDelivery('items.id', seq)} AND (customer IS NOT NULL OR settled_at IS NULL) LIMIT 1`)
  if (others) return
  const bytes = yield* all<Bytes>(sql`
    SELECT seq, body_place FROM deliveries WHERE (seq = ${seq} OR of_seq = ${seq}) AND body_place IS NOT NULL`)
  for (const row of bytes) yield* wipeDelivery(row.seq, row.body_place)
}

/** Erases what was under way when its customer was forgotten, and has ended since. */
export function* eraseForgotten(tx: Tx): Steps<void> {
  const forgotten = yield* all<CustomerOfNumber & { upto: number }>(sql`
    SELECT number, customer, upto FROM forgotten ORDER BY number, customer`)
  for (const { number, customer, upto } of forgotten) {
    yield* eraseAtRest(tx, { number, customer })
    const open = yield* one(sql`
      SELECT 1 FROM pending WHERE seq <= ${upto}
      UNION ALL SELECT 1 FROM items
        WHERE number = ${number} AND customer = ${customer} AND seq <= ${upto} AND settled_at IS NULL
      UNION ALL SELECT 1 FROM sends WHERE number = ${number} AND customer = ${customer} LIMIT 1`)
    if (!open) yield* run(sql`DELETE FROM forgotten WHERE number = ${number} AND customer = ${customer}`)
  }
}
