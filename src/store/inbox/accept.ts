import type { Shared } from '../database/engine.ts'
import { keysOfStatus } from '../outbox/statuses.ts'
import { customerLane, customersIn } from '../database/lane-names.ts'
import { type Ingested, arriveWith, fitsAtOnce, ITEM_COLUMNS, type Arrival, itemInRow } from './arrive.ts'
import { type Query, sql } from '../database/sql.ts'
import { type Cells, grouped, insert, pick } from '../database/statements.ts'
import { blank } from '../database/table.ts'
import { contents, inbox, type DeliveryState } from '../database/inbox-tables.ts'
import { one, oneAs, execute, type Steps, type Tx } from '../database/steps.ts'
import { leaveUnread, type StoredDelivery } from './unread.ts'
import type { Lease } from '../work/lanes.ts'

export interface NewDelivery extends Omit<StoredDelivery, 'seq' | 'deliveryId' | 'event' | 'conflictsWith'> {
  /** The canonical id. Undefined, like the event, if the header was missing, repeated or malformed: see `unclear`. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Why the headers cannot be understood. The delivery is quarantined, and its id stays free for another one. */
  readonly unclear?: string
  /** True if the signature is valid and the time is not. The delivery is stored, and never dispatched. */
  readonly stale?: boolean
  /** True if signed bytes that arrived before are dispatched again when they have another delivery id. */
  readonly dispatchIdentical?: boolean
}

type Clear = NewDelivery & Pick<StoredDelivery, 'deliveryId' | 'event'>

export type Acceptance = 'stored' | 'quarantined' | 'duplicate' | 'suspected_replay' | 'conflict' | 'stale'

/** The members of `Arrival` are set if the delivery has become items. */
export interface Accepted extends Partial<Arrival> {
  readonly as: Acceptance
  /** The inbox row; undefined if the delivery repeats a known one. */
  readonly seq?: number
}

const DELIVERY = pick(inbox, 'id', 'subscription', 'delivery_id', 'event', 'timestamp', 'digest', 'received_at')

const STORE = grouped({ ...DELIVERY, ...pick(inbox, 'clock_offset', 'note', 'trace', ...ITEM_COLUMNS) }, (given) =>
  insert(inbox, { ...blank(inbox), ...given, idx: 0, repeats: 0 }, { unlessThere: 'rarely', keys: ['id'] }),
)

const KEEP = grouped(pick(contents, 'id', 'body', 'facts'), (given) =>
  insert(contents, { ...blank(contents), ...given }, { keys: ['id'] }),
)

/**
 * Stores a delivery. The insert decides the ordinary case: no row has the delivery's id or its signed bytes. In all
 * other cases `judgeDelivery` decides. With `ingested` the delivery becomes items. With `begin` its only item begins,
 * if the lane is free and no delivery of its number is unread.
 */
export function* accept(
  tx: Tx,
  delivery: NewDelivery,
  { ingested, begin }: { readonly ingested?: Ingested; readonly begin?: Lease | undefined } = {},
): Steps<Accepted> {
  const seq = tx.nextId()
  if (delivery.stale === true || delivery.unclear !== undefined) return yield* acceptUnusual(tx, seq, delivery)
  const read = tx.databaseState.newerSchema === undefined && ingested && fitsAtOnce(ingested) ? ingested : undefined
  const inRow = read && itemInRow(read, seq)
  const rests = read && read.state !== 'ingested' ? read : undefined
  const stored = yield STORE({
    ...NO_ITEM,
    ...inRow?.columns,
    ...deliveryColumns(delivery),
    id: seq,
    delivery_id: delivery.deliveryId,
    digest: delivery.digest,
    mark: rests?.state ?? inRow?.columns.mark,
    note: rests?.note,
  })
  if (stored.changes === 0) return yield* acceptUnusual(tx, seq, delivery, read)
  yield KEEP({ id: seq, body: delivery.body, facts: read?.items[0]?.facts })
  if (read)
    return { as: 'stored', seq, ...(yield* arriveWith(tx, { ...(delivery as Clear), seq }, read, inRow, begin)) }
  yield* leaveUnread(tx, seq, delivery.subscription, delivery.receivedAt)
  return { as: 'stored', seq }
}

const NO_ITEM = Object.fromEntries(ITEM_COLUMNS.map((name) => [name, null])) as Readonly<
  Record<(typeof ITEM_COLUMNS)[number], null>
>

function deliveryColumns({ subscription, event, timestamp, receivedAt, clockOffset, trace }: NewDelivery) {
  return { subscription, event, timestamp, received_at: receivedAt, clock_offset: clockOffset, trace }
}

// ── deliveries whose id or bytes are known ──────────────────────────────────────────────────────────

function* acceptUnusual(tx: Tx, seq: number, delivery: NewDelivery, ingested?: Ingested): Steps<Accepted> {
  const { subscription, deliveryId, timestamp, digest } = delivery
  const isKnowable = delivery.stale !== true && delivery.unclear === undefined
  const byId = isKnowable
    ? yield* deliveryUnder(delivery, sql`subscription = ${subscription} AND delivery_id = ${deliveryId}`)
    : undefined
  // Most repeats have a known id, so the second query is not needed for them.
  const bySignature = isRepeat(delivery, byId)
    ? undefined
    : yield* deliveryUnder(
        delivery,
        sql`digest = ${digest} AND timestamp = ${timestamp} AND subscription = ${subscription}`,
      )
  const judged = judgeDelivery(delivery, { byId, bySignature })
  switch (judged.write) {
    case 'row':
      return yield* storeUnusual(tx, seq, delivery, { ...judged, ingested })
    case 'resembling':
      return yield* storeAside(tx, seq, delivery, judged.first, judged.state)
    case 'repeat':
      yield* execute(sql`UPDATE ${inbox} SET repeats = repeats + 1 WHERE id = ${judged.seq}`)
      // A repeat wakes the workers: perhaps no process works on the open delivery.
      if (judged.answer === 'duplicate') tx.wake('items')
      return { as: judged.answer }
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

interface KnownDelivery {
  readonly seq: number
  /** The delivery whose row has the bytes: this delivery, or the earlier delivery in its column `first`. */
  readonly original: number
  readonly state: DeliveryState
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  readonly isMisnamed: boolean
  readonly sameBytes: boolean
}

/** The row that the store writes for a delivery. `state` or `answer` is also what the caller gets. */
type Judgement =
  /**
   * The delivery gets its own row. `original`: an earlier delivery of the same bytes, if there is one. Both have the
   * same cause and share their sends.
   */
  | { readonly write: 'row'; readonly state: 'stored' | 'quarantined' | 'stale'; readonly original: number | undefined }
  /** The delivery gets a row that is never dispatched automatically. The row counts repeats (SIG-07). */
  | { readonly write: 'resembling'; readonly state: 'suspected_replay' | 'conflict'; readonly first: number }
  | { readonly write: 'repeat'; readonly seq: number; readonly answer: 'duplicate' | 'stale' | 'conflict' }

/** Returns true if the id, bytes and event name are the same. The signature's time does not matter. */
function isRepeat(delivery: NewDelivery, byId: Pick<KnownDelivery, 'sameBytes' | 'event'> | undefined): boolean {
  return byId !== undefined && byId.sameBytes && byId.event === delivery.event
}

function judgeDelivery(
  delivery: NewDelivery,
  { byId, bySignature }: { readonly byId: KnownDelivery | undefined; readonly bySignature: KnownDelivery | undefined },
): Judgement {
  // A stale delivery is stored once per signed bytes, and only if no row has these bytes: a late replay must not reopen
  // a handled delivery.
  if (delivery.stale === true) return bySignature ? repeat(bySignature, 'stale') : newRow('stale')
  if (byId && isRepeat(delivery, byId)) return repeat(byId, 'duplicate')
  if (bySignature?.state === 'conflict') return repeat(bySignature, 'conflict')
  if (bySignature?.state === 'rendered_anew') return repeat(bySignature, 'duplicate')
  const isClear = delivery.unclear === undefined
  const identical = bySignature && blocksSameBytes(bySignature) ? bySignature : undefined
  if (identical && delivery.dispatchIdentical !== true)
    return resembling(identical.seq, wasNeverHandled(identical) ? 'conflict' : 'suspected_replay')
  if (bySignature && !isClear) return repeat(bySignature, 'duplicate')
  // One known delivery has this id, and another one has these bytes. The new delivery counts as a replay of the bytes.
  if (byId && identical) return resembling(identical.seq, 'suspected_replay')
  if (byId) return resembling(byId.original, byId.sameBytes ? 'suspected_replay' : 'conflict')
  return newRow(isClear ? 'stored' : 'quarantined', identical?.original)
}

/**
 * Returns true if an earlier delivery makes this one a replay. A delivery that was stale, or quarantined for its
 * unsigned headers, does not.
 */
function blocksSameBytes(first: KnownDelivery): boolean {
  if (first.state === 'stale') return false
  return first.state !== 'quarantined' || (first.event !== undefined && first.deliveryId !== undefined)
}

/**
 * Returns true if the earlier delivery reached no handler: none was registered for its event, or its body names another
 * event. The event's name in the header is signed in neither of the two deliveries, so a person has to decide.
 */
function wasNeverHandled({ state, isMisnamed }: KnownDelivery): boolean {
  return state === 'ignored' || (state === 'quarantined' && isMisnamed)
}

function newRow(state: 'stored' | 'quarantined' | 'stale', original?: number): Judgement {
  return { write: 'row', state, original }
}

function resembling(first: number, state: 'suspected_replay' | 'conflict'): Judgement {
  return { write: 'resembling', state, first }
}

function repeat({ seq }: KnownDelivery, answer: 'duplicate' | 'stale' | 'conflict'): Judgement {
  return { write: 'repeat', seq, answer }
}

/**
 * Gives a delivery its own row. Earlier deliveries of the same bytes that were stale, or had unclear headers, do not
 * block a genuine delivery.
 */
function* storeUnusual(
  tx: Tx,
  seq: number,
  delivery: NewDelivery,
  { state, original, ingested }: Extract<Judgement, { write: 'row' }> & { readonly ingested: Ingested | undefined },
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
  // Nobody handles an earlier stale or unreadable delivery of these bytes. It gives up its digest, which is unique.
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
  // A conflict is stored as unread, because ingest compares it with the first delivery.
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

/** Stores a row. Later repeats find it by its id or its bytes only if `keys` contains them. */
function* insertRow(seq: number, delivery: NewDelivery, keys: Keys): Steps<void> {
  const other_id = keys.delivery_id === undefined ? delivery.deliveryId : undefined
  yield* execute(
    insert(inbox, { ...blank(inbox), ...deliveryColumns(delivery), other_id, ...keys, id: seq, idx: 0, repeats: 0 }),
  )
}

export function sharedBy(
  { subscription, deliveryId, digest, timestamp }: NewDelivery,
  ingested: Ingested | undefined,
): Shared {
  const { items = NONE, windows = NONE, silences = NONE, statuses = NONE } = ingested ?? {}
  // An opt-out concerns the customer on every number. A failed status whose customer is not named may concern anybody.
  // A delivery with one of the two runs alone.
  const isOfOne = items.length > 0 && items.every(({ lane }) => lane !== undefined && customersIn(lane).length > 0)
  if (items.some(({ optOut }) => optOut) || (!isOfOne && statuses.some(({ status }) => status === 'failed'))) return {}
  const keys = [`id:${subscription}/${deliveryId}`, `signed:${timestamp}/${Buffer.from(digest).toString('latin1')}`]
  const customers: string[] = []
  for (const { number, lane, identity } of items) {
    if (lane !== undefined) customers.push(...customersIn(lane))
    if (identity) keys.push(`identity:${number}/${identity.key}`)
  }
  for (const moves of [windows, silences]) for (const who of moves) customers.push(customerLane(who))
  for (const status of statuses) keys.push(...keysOfStatus(status, 'status:'))
  const lanes = items.flatMap(({ lane = NONE }) => lane)
  return { keys, customers, ids: Math.max(1, items.length), lanes }
}

const NONE: readonly never[] = []
