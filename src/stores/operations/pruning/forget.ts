import { wipeFactsAt } from '../items/contents.ts'
import { itemId, ofDelivery } from '../items/item-ids.ts'
import { customerLane, holdsLane, inLanesOf } from '../lanes/lanes.ts'
import { type RemovedSend, removeTraces, wipeDeliveries } from './stages.ts'
import { all, one, Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { removeConversations } from '../turns/conversations.ts'
import type { CustomerOfNumber, Fence } from '../../port/index.ts'

/**
 * Forgets a customer. At once a send that surely did not go out is cancelled, session, mute and window are erased, and
 * all that has come and gone out by now is noted for `eraseForgotten`; what comes later is kept.
 *
 * All else is erased by
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

/**
 * Erases a portion of what is kept of forgotten customers: see `Store.eraseForgotten`. No index knows a customer's rows:
 * it would cost every delivery, for so rare a question. So deliveries, and then sends, are looked at in the order of
 * their seq, at once for all customers that were forgotten.
 */
type PortionTx = Pick<Tx, 'newerSchema' | 'isLong'>

/**
 * Erases what is kept of forgotten customers, a small transaction at a time: messages, sends and their statuses,
 * results of `once`, and deliveries that nobody handled and that name the customer. Call it until it answers false.
 * An item or a send that has not ended is left to a later pruning. Ids stay as long as any, so that a delivery
 * that comes again is known.
 *
 * @param limit deliveries, items or sends looked at; a transaction may end earlier if they are large.
 */
export function* eraseForgotten(tx: PortionTx, limit: number): Steps<boolean> {
  if (tx.newerSchema() !== undefined) return false
  for (const what of ['deliveries', 'sends'] as const) {
    const left = yield* one<Pick<Portion, 'after' | 'upto'>>(sql`
      SELECT min(erased_upto) AS after, max(upto) AS upto FROM forgotten
      WHERE what = ${what} AND erased_upto < upto GROUP BY what`)
    if (!left) continue
    const looked = yield* (what === 'deliveries' ? eraseDeliveries : eraseSends)(tx, { ...left, limit })
    yield* run(sql`UPDATE forgotten SET erased_upto = ${looked} WHERE what = ${what} AND erased_upto < ${looked}`)
    yield* run(sql`DELETE FROM forgotten WHERE what = ${what} AND erased_upto >= upto AND open_from IS NULL`)
    return true
  }
  return false
}

/** Looks once more at what could not be erased, since it was waiting or under way: it may have ended. */
export function* eraseOpenAgain(): Steps<void> {
  yield* run(sql`
    UPDATE forgotten SET erased_upto = open_from - 1, open_from = NULL
    WHERE erased_upto >= upto AND open_from IS NOT NULL`)
}

/** Looks at rows with a seq above `after`, up to `upto` and as many as `limit`; the answer is the last seq looked at. */
interface Portion {
  readonly after: number
  readonly upto: number
  readonly limit: number
}

/** SQL condition for rows of an alias that are to be erased, as far as their customer goes. */
function isForgotten(alias: string, what: 'deliveries' | 'sends'): Query {
  const row = new Query(alias)
  return sql`EXISTS (
    SELECT 1 FROM forgotten f
    WHERE f.number = ${row}.number AND f.customer = ${row}.customer AND f.what = ${what} AND f.upto >= ${row}.seq)`
}

function* eraseDeliveries(tx: PortionTx, portion: Portion): Steps<number> {
  const { after } = portion
  const looked = yield* unhandledWithin({ ...portion, upto: yield* endOf(portion) })
  let { upto } = looked
  for (const { seq, place } of looked.unhandled) {
    yield* wipeDeliveries([{ seq, place }])
    if (!tx.isLong()) continue
    upto = seq
    break
  }
  const items = (end: number) => sql`items i WHERE i.id >= ${itemId(after + 1, 0)} AND i.id < ${itemId(end + 1, 0)}
    AND ${isForgotten('i', 'deliveries')}`
  // A reply may be recorded later than the customer was forgotten: it goes with its item, and the item waits for it. It
  // waits for deliveries too that are pending, and may need the bytes that go with it: its own, or one that resembles it.
  const open = sql`(i.settled_at IS NULL
    OR (
      SELECT count(*) > count(s.settled_at) FROM sends s
      WHERE s.cause = i.cause AND s.number = i.number AND s.customer = i.customer)
    OR (SELECT 1 FROM pending p WHERE p.seq = i.seq) IS NOT NULL
    OR (SELECT 1 FROM deliveries d JOIN pending p ON p.seq = d.seq WHERE d.of_seq = i.seq LIMIT 1) IS NOT NULL)`
  const erasable = yield* all<Item>(sql`
    SELECT i.id, i.seq, i.number, i.customer, i.cause, i.facts_place FROM ${items(upto)} AND NOT ${open} ORDER BY i.id`)
  for (const [index, item] of erasable.entries()) {
    yield* eraseItem(item)
    // The bytes go with the last item of their delivery.
    if (erasable[index + 1]?.seq === item.seq) continue
    yield* eraseBytes(item.seq)
    if (!tx.isLong()) continue
    upto = item.seq
    break
  }
  yield* noteOpen('deliveries', sql`SELECT i.number, i.customer, min(i.seq) AS seq FROM ${items(upto)} AND ${open}`)
  // A pending delivery may turn out to be theirs.
  const pending = yield* one<{ seq: number }>(sql`
    SELECT seq FROM pending WHERE seq > ${after} AND seq <= ${upto} ORDER BY seq LIMIT 1`)
  if (pending)
    yield* run(sql`
      UPDATE forgotten SET open_from = least(coalesce(open_from, ${pending.seq}), ${pending.seq})
      WHERE what = 'deliveries' AND upto >= ${pending.seq}`)
  return upto
}

/** The seq at which as many deliveries, or as many items, were looked at as may be. */
function* endOf({ after, upto, limit }: Portion): Steps<number> {
  const end = yield* one<{ seq: number }>(sql`
    SELECT least(${upto},
      coalesce((SELECT seq FROM deliveries WHERE seq > ${after} ORDER BY seq LIMIT 1 OFFSET ${limit - 1}), ${upto}),
      coalesce((SELECT seq FROM items WHERE id >= ${itemId(after + 1, 0)} ORDER BY id LIMIT 1 OFFSET ${limit - 1}), ${upto})
    ) AS seq`)
  return end?.seq ?? upto
}

/** Large bodies end a portion early, since they are searched. */
const BYTES_AT_ONCE = 4_194_304

interface Unhandled {
  readonly seq: number
  readonly place: number
  readonly body: Buffer
}

/**
 * The deliveries of a portion that name a forgotten customer and were never read for their customer, and where the
 * portion ends now.
 */
function* unhandledWithin(
  portion: Portion,
): Steps<{ readonly upto: number; readonly unhandled: readonly Unhandled[] }> {
  const { after } = portion
  const forgotten = yield* all<{ customer: string; upto: number }>(sql`
    SELECT customer, upto FROM forgotten WHERE what = 'deliveries' AND erased_upto < upto`)
  const within = (upto: number) => sql`
    deliveries d JOIN contents c ON c.place = d.body_place
    WHERE d.seq > ${after} AND d.seq <= ${upto} AND d.state <> 'stored'
      AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.seq = d.seq)
    ORDER BY d.seq`
  let { upto } = portion
  let bytes = 0
  for (const { seq, size } of yield* all<{ seq: number; size: number }>(sql`
    SELECT d.seq, length(c.body) AS size FROM ${within(upto)}`)) {
    bytes += size * forgotten.length
    if (bytes < BYTES_AT_ONCE) continue
    upto = seq
    break
  }
  const rows = yield* all<Unhandled>(sql`SELECT d.seq, c.place, c.body FROM ${within(upto)}`)
  const names = ({ seq, body }: Unhandled) => forgotten.some((who) => seq <= who.upto && body.includes(who.customer))
  return { upto, unhandled: rows.filter(names) }
}

interface Item {
  readonly id: number
  readonly seq: number
  readonly number: string
  readonly customer: string
  readonly cause: string
  readonly facts_place: number
}

function* eraseItem({ id, number, customer, cause, facts_place: place }: Item): Steps<void> {
  yield* run(sql`
    UPDATE items SET customer = NULL, lane = '', reason = 'forgotten', failure = NULL, burst = NULL,
      state = CASE WHEN state IN ('parked', 'dead') THEN 'ignored' ELSE state END
    WHERE id = ${id}`)
  yield* wipeFactsAt(place)
  yield* run(sql`DELETE FROM once_results WHERE item = ${id}`)
  yield* removeSends(sql`cause = ${cause} AND number = ${number} AND customer = ${customer}`)
}

// The bytes of a batch hold what other customers wrote too: they go when no item of others is left, or by their age.
function* eraseBytes(seq: number): Steps<void> {
  if (yield* isNeeded(seq)) return
  const resembling = yield* all<{ seq: number; place: number }>(sql`
    SELECT seq, body_place AS place FROM deliveries WHERE (seq = ${seq} OR of_seq = ${seq}) AND body_place IS NOT NULL`)
  for (const { seq: each, place } of resembling) {
    if (yield* isNeeded(each)) continue
    yield* wipeDeliveries([{ seq: each, place }])
  }
}

/** An item of the delivery is another customer's, or waits: for its turn, or for a person. */
function* isNeeded(seq: number): Steps<boolean> {
  const item = yield* one(sql`
    SELECT 1 FROM items WHERE ${ofDelivery('items.id', seq)}
      AND (customer IS NOT NULL OR settled_at IS NULL OR state IN ('parked', 'dead')) LIMIT 1`)
  return item !== undefined
}

function* eraseSends(tx: PortionTx, { after, upto, limit }: Portion): Steps<number> {
  const end = yield* one<{ seq: number }>(sql`
    SELECT seq FROM sends WHERE seq > ${after} AND seq <= ${upto} ORDER BY seq LIMIT 1 OFFSET ${limit - 1}`)
  let last = end?.seq ?? upto
  const within = (to: number) => sql`seq > ${after} AND seq <= ${to} AND ${isForgotten('sends', 'sends')}`
  const settled = yield* all<{ seq: number }>(sql`
    SELECT seq FROM sends WHERE ${within(last)} AND settled_at IS NOT NULL ORDER BY seq`)
  for (const { seq } of settled) {
    yield* removeSends(sql`seq = ${seq}`)
    if (!tx.isLong()) continue
    last = seq
    break
  }
  yield* noteOpen('sends', sql`SELECT number, customer, min(seq) AS seq FROM sends WHERE ${within(last)}`)
  return last
}

function* removeSends(where: Query): Steps<void> {
  const removed = yield* all<RemovedSend>(sql`
    DELETE FROM sends WHERE ${where} AND settled_at IS NOT NULL RETURNING id, message_id, upstream_id`)
  yield* removeTraces(removed)
}

/** Notes where the first row lies that cannot be erased yet, for each customer. */
function* noteOpen(what: 'deliveries' | 'sends', first: Query): Steps<void> {
  const rows = yield* all<{ number: string; customer: string; seq: number }>(sql`${first} GROUP BY number, customer`)
  for (const { number, customer, seq } of rows)
    yield* run(sql`
      UPDATE forgotten SET open_from = least(coalesce(open_from, ${seq}), ${seq})
      WHERE number = ${number} AND customer = ${customer} AND what = ${what}`)
}
