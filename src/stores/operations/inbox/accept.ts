import type { Accepted, Beginning, DeliveryState, Ingested, NewDelivery } from '../../port/index.ts'
import { earlierSpoofs, isRepeat, judgeDelivery, type KnownDelivery } from '../../rules/acceptance.ts'
import { addContent } from '../items/contents.ts'
import { one, oneAs, type Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { ingestArrived, wasDispatchedUnder } from './ingest.ts'
import { leavePending } from './pending.ts'

/**
 * Stores a delivery once. Two keys decide: (subscription, delivery id) and the signed material (subscription,
 * timestamp, digest). Rejects only if storing is impossible; a delivery that fails alone does not take its neighbours
 * along.
 *
 * A new delivery that was read before (`ingested`) becomes its items in the same commit, and its only item begins
 * there if its lane is idle, nothing is pending that may belong before it, and the process has room. Of the
 * deliveries in one commit the one with the oldest payload time goes first. Any other delivery is left pending.
 *
 * @param o.waitMs milliseconds for which the delivery may wait while another process writes; the store has a default.
 *
 * The insert itself decides the ordinary case, in which no other delivery holds
 * one of its keys; any other is judged by the rules.
 */
export function* accept(
  tx: Tx,
  delivery: NewDelivery,
  { ingested, begin }: { readonly ingested?: Ingested; readonly begin?: Beginning } = {},
): Steps<Accepted> {
  const isOrdinary = delivery.stale !== true && delivery.unclear === undefined
  const read = tx.newerSchema() === undefined ? ingested : undefined
  const facts = read?.items[0]?.facts
  const seq = isOrdinary
    ? yield* insert(tx, delivery, { state: 'stored', holdsId: true, holdsSigned: true, facts })
    : undefined
  if (seq === undefined) return yield* acceptUnusual(tx, delivery)
  if (read)
    return {
      as: 'stored',
      seq,
      ...(yield* ingestArrived(tx, { ...(delivery as ClearDelivery), seq }, read, begin)),
    }
  yield* leavePending(tx, seq)
  return { as: 'stored', seq }
}

type ClearDelivery = NewDelivery & { readonly deliveryId: string; readonly event: string }

function* acceptUnusual(tx: Tx, delivery: NewDelivery): Steps<Accepted> {
  const { subscription, deliveryId, timestamp, digest } = delivery
  const isKnowable = delivery.stale !== true && delivery.unclear === undefined
  const byId = isKnowable
    ? yield* holder(delivery, sql`subscription = ${subscription} AND delivery_id = ${deliveryId} AND holds_id = 1`)
    : undefined
  // The commonest repeat is told by its id alone, without a second look-up.
  const bySignature = isRepeat(delivery, byId)
    ? undefined
    : yield* holder(
        delivery,
        sql`subscription = ${subscription} AND timestamp = ${timestamp} AND digest = ${digest} AND holds_signed = 1`,
      )
  const known = { byId, bySignature }
  const verdict = judgeDelivery(delivery, known, yield* spoofOf(delivery, known))
  switch (verdict.write) {
    case 'row':
      return yield* store(tx, delivery, verdict.state, verdict.root)
    case 'resembling':
      return yield* setAside(tx, delivery, verdict.root, verdict.state)
    case 'repeat':
      yield* run(sql`UPDATE deliveries SET repeats = repeats + 1 WHERE seq = ${verdict.seq}`)
      // An unsettled delivery is woken by its repeat: perhaps nobody is at work on it.
      if (verdict.answer === 'duplicate') tx.wake('items')
      return { as: verdict.answer }
  }
}

function* holder({ digest }: NewDelivery, key: Query): Steps<KnownDelivery | undefined> {
  const row = yield* oneAs<Omit<KnownDelivery, 'sameBytes'> & { readonly digest: Buffer }>(sql`
    SELECT seq, coalesce(of_seq, seq) AS root, digest, delivery_id AS "deliveryId", event, own_event AS "ownEvent", state
    FROM deliveries WHERE ${key}`)
  return row && { ...row, sameBytes: row.digest.equals(digest) }
}

function* spoofOf(delivery: NewDelivery, known: Parameters<typeof earlierSpoofs>[1]): Steps<KnownDelivery | undefined> {
  for (const first of earlierSpoofs(delivery, known)) if (!(yield* wasDispatchedUnder(delivery, first))) return first
  return undefined
}

const NOTES = {
  conflict: 'this id came before with other signed bytes',
  suspected_replay: 'these signed bytes came before',
} as const

function* setAside(tx: Tx, delivery: NewDelivery, ofSeq: number, state: keyof typeof NOTES): Steps<Accepted> {
  // The unique index over resembling deliveries decides which of them is repeated.
  const repeated = yield* run(sql`
    UPDATE deliveries SET repeats = repeats + 1
    WHERE of_seq = ${ofSeq} AND digest = ${delivery.digest} AND coalesce(event, '') = ${delivery.event ?? ''}
      AND state = ${state}`)
  if (repeated > 0 || (state === 'suspected_replay' && (yield* countBeyond(ofSeq)))) return { as: state }
  const firstHasBytes = yield* one(sql`
    SELECT 1 FROM deliveries WHERE seq = ${ofSeq} AND digest = ${delivery.digest} AND body_place IS NOT NULL`)
  const seq = (yield* insert(tx, delivery, {
    state,
    ofSeq,
    note: NOTES[state],
    withoutBody: firstHasBytes !== undefined,
  })) as number
  // Ingest can read a conflict, and so can say whether it is the same message as the first one.
  if (state === 'conflict') yield* leavePending(tx, seq)
  return { as: state, seq }
}

/** Whoever has captured one delivery may post it under any number of event names: so many are kept, and others counted. */
const MOST_REPLAYS = 64

/** Counts a replay on the newest one that is kept, if no more are; false if there is room. */
function* countBeyond(ofSeq: number): Steps<boolean> {
  const kept = yield* one<{ n: number; newest: number | null }>(sql`
    SELECT count(*) AS n, max(seq) AS newest FROM deliveries WHERE of_seq = ${ofSeq} AND state = 'suspected_replay'`)
  if ((kept?.n ?? 0) < MOST_REPLAYS) return false
  return (yield* run(sql`UPDATE deliveries SET repeats = repeats + 1 WHERE seq = ${kept?.newest}`)) > 0
}

function* store(
  tx: Tx,
  delivery: NewDelivery,
  state: 'stored' | 'quarantined' | 'stale',
  ofSeq: number | undefined,
): Steps<Accepted> {
  const { subscription, deliveryId, timestamp, digest, unclear: note } = delivery
  const holdsId = state === 'stored'
  // A known key passes to the genuine delivery from the one with a false event name: see the rule `earlierSpoofs`.
  yield* run(sql`
    UPDATE deliveries SET holds_signed = 0
    WHERE subscription = ${subscription} AND timestamp = ${timestamp} AND digest = ${digest} AND holds_signed = 1`)
  if (holdsId)
    yield* run(sql`
      UPDATE deliveries SET holds_id = 0
      WHERE subscription = ${subscription} AND delivery_id = ${deliveryId} AND holds_id = 1`)
  const seq = (yield* insert(tx, delivery, { state, ofSeq, note, holdsId, holdsSigned: true })) as number
  if (state === 'stored') yield* leavePending(tx, seq)
  return { as: state, seq }
}

interface Row {
  readonly state: DeliveryState
  readonly ofSeq?: number | undefined
  readonly note?: string | undefined
  readonly holdsId?: boolean
  readonly holdsSigned?: boolean
  readonly facts?: string | undefined
  /** The first delivery has the same bytes. */
  readonly withoutBody?: boolean
}

/** Inserts a delivery with its bytes, whose place is its seq; undefined if another one holds a key that it should hold. */
function* insert(tx: Tx, delivery: NewDelivery, row: Row): Steps<number | undefined> {
  const { state, ofSeq, note, holdsId = false, holdsSigned = false, facts, withoutBody = false } = row
  const { subscription, deliveryId, event, timestamp, digest, receivedAt, clockOffset, body, trace } = delivery
  const seq = tx.nextPlace()
  const inserted = yield* run(sql`
    INSERT INTO deliveries
      (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, state, of_seq,
      note, holds_id, holds_signed, trace)
    VALUES (${seq}, ${withoutBody ? null : seq}, ${subscription}, ${deliveryId}, ${event}, ${timestamp}, ${digest}, ${receivedAt},
      ${clockOffset}, ${state}, ${ofSeq}, ${note}, ${holdsId}, ${holdsSigned}, ${trace})
    ON CONFLICT DO NOTHING`)
  if (inserted === 0) return undefined
  return yield* addContent(tx, { seq, body: withoutBody ? undefined : body, facts })
}
