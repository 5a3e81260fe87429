import { freezeRecipient, pruneAnnouncements } from '../recipients.ts'
import { removeConversations } from '../conversations.ts'
import { KNOWS_NOTHING } from '../customers.ts'
import { prunePeople } from '../people.ts'
import { pruneStrays } from '../outbox/statuses.ts'
import { APP_CAUSE } from '../rules/sends.ts'
import { all, exists, portionOf, Query, execute, sql, type Steps, type Tx, untilLong, when } from '../steps.ts'
import type { CustomerOfNumber, Pruned, PruneMark, Pruning } from '../types/types.ts'
import { eraseForgotten, lookAgain } from './forget.ts'
import { metaValue, setMeta } from '../meta.ts'
import {
  CLAIMED_FOR_MS,
  cutContents,
  isPointedTo,
  type Kept,
  keptAfter,
  keptOne,
  type Portion,
  removeDelivery,
  removeSends,
  sendsOfItems,
  wipeContents,
  withContentsAfter,
} from './rows.ts'

/**
 * Call it with `next` until there is none. Age counts from receipt. What is open, parked, dead, quarantined or a conflict
 * is never removed by age, a suspected replay no sooner than what it resembles, bytes not while a conflict shares them.
 * Identity claims live at least 30 days, sends and `once` results as long as their delivery, which stays while one of its
 * sends is open or unknown.
 */
export function* prune(tx: Tx, pruning: Pruning): Steps<Pruned> {
  if (tx.situation.newerSchema !== undefined) return NOTHING
  if (!pruning.after) {
    const begunAt = yield* takeTurn(pruning)
    if (begunAt !== undefined) return { ...NOTHING, begunAt }
    yield* lookAgain()
  }
  const { stage = STAGES[0], at = [] } = pruning.after ?? {}
  const { pruned = 0, next } = yield* RUN[stage](tx, pruning, at)
  const following = STAGES[STAGES.indexOf(stage) + 1]
  return {
    wiped: stage === 'bytes' ? pruned : 0,
    removed: stage === 'rows' ? pruned : 0,
    strays: stage === 'strays' ? pruned : 0,
    next: next ? { stage, at: next } : following && { stage: following, at: [] },
  }
}

const NOTHING: Pruned = { wiped: 0, removed: 0, strays: 0, next: undefined }

function* takeTurn({ now, unlessSince, bytesBefore, idsBefore }: Pruning): Steps<number | undefined> {
  if (unlessSince === undefined) return undefined
  const retention = `${now - bytesBefore} ${now - idsBefore}`
  const [, last = 0, lastRetention] = /^(\d+) (.*)$/.exec((yield* metaValue('pruned_at')) ?? '') ?? []
  // A turn that lies ahead was taken before the clock was set back.
  if (+last > unlessSince && +last <= now && lastRetention === retention) return +last
  yield* setMeta('pruned_at', `${now} ${retention}`)
  return undefined
}

type At = PruneMark['at']

interface StageEnd {
  readonly pruned?: number
  readonly next: At | undefined
}

const whileTrue = (portion: (tx: Tx, pruning: Pruning) => Steps<boolean>) =>
  function* (tx: Tx, pruning: Pruning): Steps<StageEnd> {
    return { next: (yield* portion(tx, pruning)) ? [] : undefined }
  }

const RUN: Readonly<Record<PruneMark['stage'], (tx: Tx, pruning: Pruning, at: At) => Steps<StageEnd>>> = {
  forgotten: whileTrue((tx, { limit }) => eraseForgotten(tx, limit)),
  bytes: pruneBytes,
  rows: pruneRows,
  sends: pruneSendsOfApp,
  strays: pruneStrays,
  customers: pruneCustomers,
  people: whileTrue((_, { idsBefore, limit }) => prunePeople(idsBefore, limit)),
  conversations: pruneConversations,
  announcements: whileTrue((_, { idsBefore, limit }) => pruneAnnouncements(idsBefore, limit)),
}
const STAGES = Object.keys(RUN) as [PruneMark['stage'], ...PruneMark['stage'][]]

function isAtRest({ mark, items }: Kept): boolean {
  if (mark === 'quarantined' || mark === 'conflict') return false
  return items.every(({ state }) => state === null)
}

function* mayGo(delivery: Kept): Steps<boolean> {
  if (!isAtRest(delivery) || (yield* lendsBytes(delivery.id))) return false
  if (delivery.mark !== 'suspected_replay' || delivery.first === null) return true
  const first = yield* keptOne(delivery.first)
  return first === undefined || isAtRest(first)
}

/** A conflict of the same bytes waits for a person, and its bytes are in the first one's row alone. */
function lendsBytes(id: number): Steps<boolean> {
  return exists(sql`SELECT 1 FROM inbox WHERE first = ${id} AND mark = 'conflict' AND digest IS NULL LIMIT 1`)
}

/** Ends where all are young, but for those that a fast clock has dated. `each`: whether it pruned the delivery. */
function* pruneDeliveries(
  tx: Pick<Tx, 'isLong'>,
  { kept, upto }: Portion,
  { now, before }: Pick<Pruning, 'now'> & { readonly before: number },
  each: (delivery: Kept) => Steps<boolean>,
): Steps<StageEnd> {
  let pruned = 0
  const looked = yield* untilLong(tx, kept, function* (delivery) {
    if (delivery.received_at < before && (yield* each(delivery))) pruned++
  })
  const areYoung = kept.every(({ received_at: at }) => at >= before) && kept.some(({ received_at: at }) => at <= now)
  const behind = areYoung ? undefined : upto
  const next = looked < kept.length ? kept[looked - 1]?.id : behind
  return { pruned, next: next === undefined ? undefined : [next] }
}

function* pruneBytes(tx: Tx, { now, bytesBefore, limit }: Pruning, [at = 0]: At): Steps<StageEnd> {
  const after = Number(at)
  const portion = yield* withContentsAfter(after, limit)
  const end = yield* pruneDeliveries(tx, portion, { now, before: bytesBefore }, function* (delivery) {
    if (!(yield* mayGo(delivery))) return false
    const hadContents = yield* hasContents(delivery)
    yield* wipeContents(delivery.items.map(({ id }) => id))
    return hadContents
  })
  yield* cutContents(after, Number(end.next?.[0] ?? portion.last ?? after))
  return end
}

function hasContents({ id }: Kept): Steps<boolean> {
  return exists(sql`SELECT 1 FROM contents WHERE id = ${id} AND body IS NOT NULL`)
}

const CLAIMS_AT_ONCE = 500

function* pruneRows(tx: Tx, { idsBefore, now, limit }: Pruning, [after = 0]: At): Steps<StageEnd> {
  const claimed = Math.min(idsBefore, now - CLAIMED_FOR_MS)
  const portion = yield* keptAfter(Number(after), limit)
  const end = yield* pruneDeliveries(tx, portion, { now, before: idsBefore }, function* (delivery) {
    if ((yield* hasContents(delivery)) || !(yield* isUnneeded(delivery, idsBefore))) return false
    yield* removeDelivery(delivery, claimed)
    return true
  })
  if (end.next) return end
  const gone = yield* execute(sql`
    DELETE FROM inbox WHERE id IN (
      SELECT id FROM inbox WHERE cause = '' AND received_at < ${claimed} ORDER BY received_at LIMIT ${CLAIMS_AT_ONCE})`)
  return gone < CLAIMS_AT_ONCE ? end : { ...end, next: [after] }
}

/** The key of its sends must not be free while a rerun may ask for it. */
function* isUnneeded(delivery: Kept, before: number): Steps<boolean> {
  if (!(yield* mayGo(delivery))) return false
  if (yield* isPointedTo(delivery.id)) return false
  const sends = yield* sendsOfItems(delivery.items)
  return sends.every(({ settled_at: at, state }) => at !== null && at < before && state !== 'unknown')
}

function* pruneSendsOfApp(tx: Tx, { idsBefore, limit }: Pruning, [after = 0]: At): Steps<StageEnd> {
  // The index over causes has them in the order of their seq. The cause is a parameter: if PostgreSQL knew that it is a common
  // one, it would read past all sends of other causes instead.
  const rows = yield* all<{ seq: number; old: number }>(sql`
    SELECT seq, CASE WHEN settled_at < ${idsBefore} AND state <> 'unknown' THEN 1 ELSE 0 END AS old
    FROM sends WHERE cause = ${APP_CAUSE} AND seq > ${Number(after)} ORDER BY seq LIMIT ${limit}`)
  const last = yield* portionOf(tx, rows, limit, function* ({ seq, old }) {
    if (old === 0) return
    yield* freezeRecipient(seq)
    yield* removeSends(sql`seq = ${seq}`)
  })
  return { next: last && [last.seq] }
}

const IS_TAKEOVER = sql`(taken_by IS NOT NULL OR resumed_at IS NOT NULL)`

function takenBefore(before: number): Query {
  return sql`(coalesce(taken_until, 0) < ${before} AND coalesce(resumed_at, 0) < ${before})`
}

/** A take-over that has just ended is kept, against a late `BOT`. By their keys: an index would cost every delivery. */
function* pruneCustomers(tx: Tx, { idsBefore, limit }: Pruning, at: At): Steps<StageEnd> {
  const rows = yield* all<CustomerOfNumber & { readonly old: number }>(sql`
    SELECT number, customer, CASE WHEN moved_at < ${idsBefore} OR session_expires_at < ${idsBefore}
      OR (${IS_TAKEOVER} AND ${takenBefore(idsBefore)}) OR ${KNOWS_NOTHING} THEN 1 ELSE 0 END AS old
    FROM customers WHERE true ${afterKey(sql`number, customer`, at)} ORDER BY number, customer LIMIT ${limit}`)
  const last = yield* portionOf(tx, rows, limit, function* ({ number, customer, old }) {
    if (old === 0) return
    const who = sql`number = ${number} AND customer = ${customer}`
    const lane = `${number}/${customer}`
    yield* execute(sql`
      UPDATE customers SET last_at = NULL, moved_at = NULL, handled_at = NULL, sent_at = NULL
      WHERE ${who} AND moved_at < ${idsBefore} AND NOT EXISTS (SELECT 1 FROM work WHERE lane = ${lane} AND place < 2)`)
    yield* execute(sql`
      UPDATE customers SET taken_by = NULL, taken_since = NULL, taken_until = NULL, taken_cause = NULL, resumed_at = NULL
      WHERE ${who} AND ${IS_TAKEOVER} AND ${takenBefore(idsBefore)}`)
    yield* execute(sql`
      UPDATE customers SET session = NULL, session_version = NULL, session_expires_at = NULL
      WHERE ${who} AND session_expires_at < ${idsBefore}`)
    yield* execute(sql`DELETE FROM customers WHERE ${who} AND ${KNOWS_NOTHING}`)
  })
  return { next: last && [last.number, last.customer] }
}

function afterKey(key: Query, at: PruneMark['at']): Query {
  return when(at.length > 0, () => sql`AND (${key}) > (${new Query(at.map(() => '?').join(', '), at)})`)
}

/** Ended, or never entered while its item has ended; and no send of it is open, unknown or younger. */
function isOld(before: number): Query {
  return sql`(
      (v.state = 'ended' AND v.ended_at < ${before})
      OR (v.state = 'entering' AND v.opened_at < ${before} AND NOT EXISTS (SELECT 1 FROM work w WHERE w.item = v.item))
    ) AND NOT EXISTS (
      SELECT 1 FROM sends s
      WHERE s.cause = v.id AND s.number = v.number
        AND (s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ${before}))`
}

function* pruneConversations(tx: Tx, { idsBefore, limit }: Pruning, at: PruneMark['at']): Steps<StageEnd> {
  const rows = yield* all<{ readonly id: string; readonly number: string; readonly old: number }>(sql`
    SELECT v.id, v.number, CASE WHEN ${isOld(idsBefore)} THEN 1 ELSE 0 END AS old
    FROM conversations v WHERE true ${afterKey(sql`v.id`, at)} ORDER BY v.id LIMIT ${limit}`)
  const last = yield* portionOf(tx, rows, limit, function* ({ id, number, old }) {
    if (old === 0) return
    yield* removeSends(sql`cause = ${id} AND number = ${number}`)
    yield* removeConversations(sql`id = ${id}`)
  })
  return { next: last && [last.id] }
}
