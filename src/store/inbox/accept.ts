import {
  type Accepted,
  type Ingested,
  isRepeat,
  judgeDelivery,
  type KnownDelivery,
  type Verdict,
  type NewDelivery,
} from './acceptance.ts'
import { type Query, sql } from '../database/sql.ts'
import { type Cells, grouped, insert, pick } from '../database/statements.ts'
import { blank } from '../database/table.ts'
import { contents, inbox, type DeliveryState } from '../database/inbox-tables.ts'
import { one, oneAs, execute, type Steps, type Tx } from '../database/steps.ts'
import { arriveWith, type FirstColumns, firstItemOf, fitsAtOnce, ITEM_COLUMNS } from './arrive.ts'
import { leaveUnread, type StoredDelivery } from './unread.ts'
import type { Lease } from '../work/lanes.ts'

const DELIVERY = pick(inbox, 'id', 'subscription', 'delivery_id', 'event', 'timestamp', 'digest', 'received_at')

const STORE = grouped({ ...DELIVERY, ...pick(inbox, 'clock_offset', 'note', 'trace', ...ITEM_COLUMNS) }, (given) =>
  insert(inbox, { ...blank(inbox), ...given, idx: 0, repeats: 0 }, { unlessThere: 'rarely', keys: ['id'] }),
)

const KEEP = grouped(pick(contents, 'id', 'body', 'facts'), (given) =>
  insert(contents, { ...blank(contents), ...given }, { keys: ['id'] }),
)

/**
 * Stores a delivery. The insert decides the ordinary case: no row has the delivery's id or its signed bytes. In all
 * other cases the rules decide. With `ingested` the delivery becomes items. With `begin` its only item begins, if the
 * lane is free and no delivery of its number is unread.
 */
export function* accept(
  tx: Tx,
  delivery: NewDelivery,
  { ingested, begin }: { readonly ingested?: Ingested; readonly begin?: Lease | undefined } = {},
): Steps<Accepted> {
  const seq = tx.nextId()
  if (delivery.stale === true || delivery.unclear !== undefined) return yield* acceptUnusual(tx, seq, delivery)
  const read = tx.databaseState.newerSchema === undefined && ingested && fitsAtOnce(ingested) ? ingested : undefined
  const first = firstItemOf(read, seq)
  if (!(yield* store(seq, delivery, read, first))) return yield* acceptUnusual(tx, seq, delivery, read)
  yield KEEP({ id: seq, body: delivery.body, facts: read?.items[0]?.facts })
  if (read)
    return { as: 'stored', seq, ...(yield* arriveWith(tx, { ...(delivery as Clear), seq }, read, first, begin)) }
  yield* leaveUnread(tx, seq, delivery.subscription, delivery.receivedAt)
  return { as: 'stored', seq }
}

type Clear = NewDelivery & Pick<StoredDelivery, 'deliveryId' | 'event'>

function* store(
  seq: number,
  delivery: NewDelivery,
  read: Ingested | undefined,
  first: FirstColumns | undefined,
): Steps<boolean> {
  const rests = read && read.state !== 'ingested' ? read : undefined
  const stored = yield STORE({
    ...NO_ITEM,
    ...first,
    ...deliveryColumns(delivery),
    id: seq,
    delivery_id: delivery.deliveryId,
    digest: delivery.digest,
    mark: rests?.state ?? first?.mark,
    note: rests?.note,
  })
  return stored.changes > 0
}

const NO_ITEM = Object.fromEntries(ITEM_COLUMNS.map((name) => [name, null])) as Readonly<
  Record<(typeof ITEM_COLUMNS)[number], null>
>

function deliveryColumns({ subscription, event, timestamp, receivedAt, clockOffset, trace }: NewDelivery) {
  return { subscription, event, timestamp, received_at: receivedAt, clock_offset: clockOffset, trace }
}

function* acceptUnusual(tx: Tx, seq: number, delivery: NewDelivery, ingested?: Ingested): Steps<Accepted> {
  const { subscription, deliveryId, timestamp, digest } = delivery
  const isKnowable = delivery.stale !== true && delivery.unclear === undefined
  const byId = isKnowable
    ? yield* deliveryUnder(delivery, sql`subscription = ${subscription} AND delivery_id = ${deliveryId}`)
    : undefined
  // The commonest repeat is found by its id, without the second query.
  const bySignature = isRepeat(delivery, byId)
    ? undefined
    : yield* deliveryUnder(
        delivery,
        sql`digest = ${digest} AND timestamp = ${timestamp} AND subscription = ${subscription}`,
      )
  const verdict = judgeDelivery(delivery, { byId, bySignature })
  switch (verdict.write) {
    case 'row':
      return yield* storeUnusual(tx, seq, delivery, { ...verdict, ingested })
    case 'resembling':
      return yield* storeAside(tx, seq, delivery, verdict.first, verdict.state)
    case 'repeat':
      yield* execute(sql`UPDATE ${inbox} SET repeats = repeats + 1 WHERE id = ${verdict.seq}`)
      // A repeat wakes the workers: perhaps no process works on the open delivery.
      if (verdict.answer === 'duplicate') tx.wake('items')
      return { as: verdict.answer }
  }
}

function* deliveryUnder({ digest }: NewDelivery, key: Query): Steps<KnownDelivery | undefined> {
  const row = yield* oneAs<
    Omit<KnownDelivery, 'sameBytes' | 'state' | 'isMisnamed'> & {
      readonly digest?: Buffer
      readonly mark?: DeliveryState
      readonly kind?: string
      readonly note?: string
    }
  >(sql`
    SELECT id AS seq, CASE WHEN digest IS NULL THEN coalesce(first, id) ELSE id END AS original,
      coalesce(delivery_id, other_id) AS "deliveryId", event, mark, kind, note,
      coalesce(digest, (SELECT f.digest FROM ${inbox} f WHERE f.id = inbox.first)) AS digest
    FROM ${inbox} WHERE ${key}`)
  if (!row) return undefined
  const { mark, kind, note, ...known } = row
  return {
    ...known,
    isMisnamed: note === 'event_name_mismatch',
    sameBytes: known.digest?.equals(digest) ?? false,
    state: kind === undefined ? (mark ?? 'stored') : 'stored',
  }
}

/**
 * Stores a delivery whose id or bytes are known. A genuine delivery is not blocked by earlier bytes that were stale, or
 * quarantined for their headers.
 */
function* storeUnusual(
  tx: Tx,
  seq: number,
  delivery: NewDelivery,
  { state, original, ingested }: Extract<Verdict, { write: 'row' }> & { readonly ingested: Ingested | undefined },
): Steps<Accepted> {
  const { subscription, timestamp, digest, receivedAt } = delivery
  const takesKey = original === undefined
  if (takesKey)
    yield* execute(sql`
      UPDATE ${inbox} SET digest = NULL WHERE digest = ${digest} AND timestamp = ${timestamp} AND subscription = ${subscription}`)
  yield* insertRow(seq, delivery, {
    ...(state === 'stored' ? { delivery_id: delivery.deliveryId } : { mark: state }),
    ...(takesKey ? { digest } : { first: original }),
    note: delivery.unclear,
  })
  yield KEEP({ id: seq, body: delivery.body, facts: ingested?.items[0]?.facts })
  if (state !== 'stored') return { as: state, seq }
  if (!ingested) {
    yield* leaveUnread(tx, seq, subscription, receivedAt)
    return { as: state, seq }
  }
  return { as: state, seq, ...(yield* arriveWith(tx, { ...(delivery as Clear), seq }, ingested, undefined, undefined)) }
}

const NOTES = {
  conflict: 'this id arrived before with other signed bytes, or these bytes under another event name',
  suspected_replay: 'these signed bytes arrived before',
} as const

/**
 * The most copies of one delivery that are stored. Somebody who captured a delivery can post it under many ids. Further
 * copies are only counted.
 */
const MOST_REPLAYS = 64

function* storeAside(
  tx: Tx,
  seq: number,
  delivery: NewDelivery,
  first: number,
  state: keyof typeof NOTES,
): Steps<Accepted> {
  const { event, digest, timestamp, subscription } = delivery
  const signed = sql`digest = ${digest} AND timestamp = ${timestamp} AND subscription = ${subscription}`
  // A stale or unreadable delivery of the same bytes gives up their key, because nobody handles it.
  yield* execute(sql`
    UPDATE ${inbox} SET digest = NULL WHERE ${signed} AND id <> ${first} AND mark IN ('stale', 'quarantined')`)
  const underKey = yield* one<{ id: number }>(sql`SELECT id FROM ${inbox} WHERE ${signed}`)
  const sameBytes = underKey !== undefined
  const known = yield* execute(sql`
    UPDATE ${inbox} SET repeats = repeats + 1
    WHERE first = ${first} AND mark = ${state} AND coalesce(event, '') = ${event ?? ''}
      AND ${sameBytes ? sql`digest IS NULL` : sql`digest = ${digest}`}`)
  if (known > 0 || (sameBytes && (yield* countBeyond(first, state)))) return { as: state }
  yield* insertRow(seq, delivery, { mark: state, ...(!sameBytes && { digest }), first, note: NOTES[state] })
  yield KEEP({ id: seq, body: underKey?.id === first ? null : delivery.body, facts: null })
  // A conflict is left unread: ingest compares it with the first message.
  if (state === 'conflict') yield* leaveUnread(tx, seq, subscription, delivery.receivedAt)
  return { as: state, seq }
}

function* countBeyond(first: number, state: string): Steps<boolean> {
  const kept = yield* one<{ n: number; newest: number | null }>(sql`
    SELECT count(*) AS n, max(id) AS newest FROM ${inbox} WHERE first = ${first} AND mark = ${state} AND digest IS NULL`)
  if ((kept?.n ?? 0) < MOST_REPLAYS) return false
  return (yield* execute(sql`UPDATE ${inbox} SET repeats = repeats + 1 WHERE id = ${kept?.newest}`)) > 0
}

type Keys = Partial<Cells<typeof inbox, 'mark' | 'delivery_id' | 'digest' | 'first' | 'note'>>

/** Stores a row. A repeat finds the row only by the id and the bytes that `keys` has. */
function* insertRow(seq: number, delivery: NewDelivery, keys: Keys): Steps<void> {
  const other_id = keys.delivery_id === undefined ? delivery.deliveryId : undefined
  yield* execute(
    insert(inbox, { ...blank(inbox), ...deliveryColumns(delivery), other_id, ...keys, id: seq, idx: 0, repeats: 0 }),
  )
}
