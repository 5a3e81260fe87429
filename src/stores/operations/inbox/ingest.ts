import { leavePending, leavePendingAgain } from './pending.ts'
import { ownBody, placeOfBody, wipeFactsAt } from '../items/contents.ts'
import { mute } from '../items/customers.ts'
import { type EarlierItems, insertItem } from '../items/insert-item.ts'
import { itemId, ofDelivery } from '../items/item-ids.ts'
import { customerLane, moveWindow } from '../lanes/lanes.ts'
import { armWindow } from '../lanes/timers.ts'
import { recordStatus } from '../sends/statuses.ts'
import { all, one, oneAs, run, sql, type Steps, type Tx } from '../steps.ts'
import type { Accepted, Beginning, Ingested, IngestOutcome, NewItem, StoredDelivery } from '../../port/index.ts'
import { isGenuineName, isRenderedAnew, type KnownDelivery, planIngest } from '../../rules/acceptance.ts'

/**
 * Turns a pending delivery into its items, claims identities, moves windows, records statuses, wakes lanes. Changes
 * nothing if another process was faster.
 */
export function* ingest(tx: Tx, seq: number, ingested: Ingested, now: number): Steps<readonly IngestOutcome[]> {
  if (tx.newerSchema() !== undefined) return []
  const pending = yield* one<{ again: number }>(sql`DELETE FROM pending WHERE seq = ${seq} RETURNING again`)
  if (!pending) return []
  const again = pending.again === 1
  switch (planIngest(ingested.state, { again, hasItems: again && (yield* hasItems(seq)) })) {
    case 'keep':
      return []
    case 'wait':
      yield* leavePendingAgain(tx, seq)
      return []
    case 'compare':
      return yield* compareWithFirst(seq, ingested.items)
    case 'rest':
      yield* putToRest(tx, seq, ingested)
  }
  const earlier = yield* earlierItems(seq, ingested.items, again)
  if (again) yield* removeParked(seq, ingested.items)
  return (yield* insertAll(tx, ingested, { seq, now, earlier })).ingested
}

type ArrivedDelivery = Omit<StoredDelivery, 'conflictsWith'>

export function* ingestArrived(
  tx: Tx,
  delivery: ArrivedDelivery,
  ingested: Ingested,
  begin: Beginning | undefined,
): Steps<Pick<Accepted, 'started'> & { readonly ingested: readonly IngestOutcome[] }> {
  const { seq, receivedAt: now } = delivery
  if (ingested.state !== 'ingested') yield* putToRest(tx, seq, ingested)
  const isOnlyOne = ingested.items.length === 1
  return yield* insertAll(tx, ingested, { seq, now, arrived: delivery, begin: isOnlyOne ? begin : undefined })
}

interface Placing {
  readonly seq: number
  readonly now: number
  readonly earlier?: EarlierItems | undefined
  readonly arrived?: ArrivedDelivery
  readonly begin?: Beginning | undefined
}

function* insertAll(
  tx: Tx,
  { windows, statuses, mutes = [], items }: Ingested,
  placing: Placing,
): Steps<Pick<Accepted, 'started'> & { readonly ingested: readonly IngestOutcome[] }> {
  const { now } = placing
  for (const status of statuses) yield* recordStatus(status, now)
  for (const asked of mutes) yield* mute(asked)
  // An item moves the window of its own customer as it enters the lane; what is left is moved by itself.
  const moves = new Map<string, number>()
  for (const move of windows) {
    if (move.closing) yield* armWindow(move, placing.seq)
    const lane = customerLane(move)
    moves.set(lane, Math.max(move.lastAt, moves.get(lane) ?? move.lastAt))
  }
  const outcomes: IngestOutcome[] = []
  let started: Accepted['started']
  for (const item of items) {
    const inserted = yield* insertItem(tx, item, { ...placing, moves })
    if (inserted?.outcome !== undefined) outcomes.push({ idx: item.idx, identity: inserted.outcome })
    started = inserted?.started
  }
  for (const [lane, lastAt] of moves) yield* moveWindow(lane, lastAt, now)
  return { ingested: outcomes, ...(started && { started }) }
}

function* putToRest(tx: Tx, seq: number, { state, note, ownEvent }: Ingested): Steps<void> {
  // A conflict stays one, whatever else is wrong with it: so it is kept once, however often it comes.
  yield* run(sql`
    UPDATE deliveries SET state = CASE state WHEN 'conflict' THEN state ELSE ${state} END, note = ${note},
      own_event = ${ownEvent}
    WHERE seq = ${seq}`)
  if (ownEvent !== undefined) yield* promoteGenuine(tx, seq)
}

function* compareWithFirst(seq: number, items: readonly NewItem[]): Steps<IngestOutcome[]> {
  const claimed: boolean[] = []
  for (const { number, identity } of items) {
    const first = yield* one(sql`
      SELECT 1 FROM items i JOIN deliveries d ON d.of_seq = i.seq
      WHERE d.seq = ${seq} AND i.number = ${number} AND i.identity = ${identity?.key} AND i.binding = ${identity?.binding}
        AND i.holds = 1 LIMIT 1`)
    claimed.push(first !== undefined)
  }
  if (!isRenderedAnew(claimed)) return [{ idx: 0, identity: 'conflict' }]
  yield* run(sql`
      UPDATE deliveries SET state = 'rendered_anew',
        note = 'the same message as the first one under this id, in other bytes'
      WHERE seq = ${seq}`)
  return []
}

interface EarlierRow {
  readonly id: number
  readonly state: string
  readonly attempts: number
  readonly cause: string
  readonly completed_handlers: string
  readonly facts_place: number
  readonly lane: string
  readonly burst: number | null
}

function* hasItems(seq: number): Steps<boolean> {
  return (yield* one(sql`SELECT 1 FROM items WHERE ${ofDelivery('items.id', seq)} LIMIT 1`)) !== undefined
}

/**
 * The items that are there already, by an earlier ingest or by one that was interrupted. If the delivery is ingested
 * `again`, the parked ones among them leave, and those that come in their place go on from them.
 */
function* earlierItems(seq: number, items: readonly NewItem[], again: boolean): Steps<EarlierItems> {
  const rows = yield* all<EarlierRow>(sql`
    SELECT id, state, attempts, cause, completed_handlers, facts_place, lane, burst FROM items
    WHERE id IN numbers(${idsOf(seq, items)}) ORDER BY id`)
  const parked = again ? rows.filter(({ state }) => state === 'parked') : []
  for (const each of parked) yield* remove(each)
  return {
    kept: new Set(rows.filter((row) => !parked.includes(row)).map(({ id }) => id)),
    ran: new Map(
      parked
        .filter(({ attempts }) => attempts > 0)
        .map(({ id, completed_handlers: completedHandlers, ...row }) => [id, { ...row, completedHandlers }]),
    ),
  }
}

function idsOf(seq: number, items: readonly NewItem[]): string {
  return JSON.stringify(items.map(({ idx }) => itemId(seq, idx)))
}

function* removeParked(seq: number, items: readonly NewItem[]): Steps<void> {
  const rows = yield* all<Removed>(sql`
    SELECT id, facts_place FROM items
    WHERE ${ofDelivery('items.id', seq)} AND state = 'parked' AND id NOT IN numbers(${idsOf(seq, items)})`)
  for (const each of rows) yield* remove(each)
}

type Removed = Pick<EarlierRow, 'id' | 'facts_place'>

/** The item's `once` results stay for the one that replaces it. */
function* remove({ id, facts_place: place }: Removed): Steps<void> {
  yield* wipeFactsAt(place)
  yield* run(sql`DELETE FROM items WHERE id = ${id}`)
}

/** The bytes of a spoofed delivery were dispatched under this event name before. */
export function* wasDispatchedUnder(
  { digest, event }: { readonly digest: Uint8Array; readonly event: string | undefined },
  { root }: { readonly root: number },
): Steps<boolean> {
  const dispatched = yield* one(sql`
    SELECT 1 FROM deliveries
    WHERE (seq = ${root} OR of_seq = ${root}) AND digest = ${digest} AND event = ${event}
      AND state NOT IN ('suspected_replay', 'conflict') LIMIT 1`)
  return dispatched !== undefined
}

interface Spoofed extends Pick<KnownDelivery, 'root' | 'state' | 'event' | 'ownEvent'> {
  readonly subscription: string
  readonly digest: Buffer
}

/**
 * Dispatches the genuine delivery that came before ingest found the event name of `seq` to be false, and was held as a
 * suspected replay: see the rule `earlierSpoofs`.
 */
function* promoteGenuine(tx: Tx, seq: number): Steps<void> {
  const spoofed = (yield* oneAs<Spoofed>(sql`
    SELECT coalesce(of_seq, seq) AS root, subscription, digest, event, own_event AS "ownEvent", state
    FROM deliveries WHERE seq = ${seq}`)) as Spoofed
  const { subscription, digest } = spoofed
  const genuine = yield* genuineOf(spoofed)
  if (!genuine) return
  yield* ownBody(tx, genuine.seq)
  yield* run(sql`UPDATE deliveries SET state = 'stored', note = NULL WHERE seq = ${genuine.seq}`)
  // The id passes to the genuine delivery only from the same bytes; if other bytes have it, the conflict is theirs.
  yield* run(sql`
    UPDATE deliveries SET holds_id = 0
    WHERE subscription = ${subscription} AND delivery_id = ${genuine.delivery_id} AND holds_id = 1 AND digest = ${digest}`)
  yield* run(sql`
    UPDATE deliveries SET holds_signed = 0
    WHERE subscription = ${subscription} AND timestamp = ${genuine.timestamp} AND digest = ${digest} AND holds_signed = 1`)
  yield* run(sql`
    UPDATE deliveries SET holds_signed = 1, holds_id = CASE WHEN EXISTS (
        SELECT 1 FROM deliveries o
        WHERE o.subscription = deliveries.subscription AND o.delivery_id = deliveries.delivery_id AND o.holds_id = 1
      ) THEN 0 ELSE 1 END
    WHERE seq = ${genuine.seq}`)
  yield* leavePending(tx, genuine.seq)
}

interface Genuine {
  readonly seq: number
  readonly delivery_id: string
  readonly timestamp: number
}

function* genuineOf(spoofed: Spoofed): Steps<Genuine | undefined> {
  const { root, digest } = spoofed
  const held = yield* all<Genuine & { readonly event: string }>(sql`
    SELECT seq, event, delivery_id, timestamp FROM deliveries
    WHERE of_seq = ${root} AND digest = ${digest} AND state = 'suspected_replay' AND ${placeOfBody('deliveries')} IS NOT NULL
      AND delivery_id IS NOT NULL AND event IS NOT NULL
    ORDER BY seq`)
  for (const { event, ...one } of held)
    if (isGenuineName(event, spoofed) && !(yield* wasDispatchedUnder({ digest, event }, spoofed))) return one
  return undefined
}
