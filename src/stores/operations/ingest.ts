import type { Accepted, Beginning, Ingested, IngestOutcome, NewItem, StoredDelivery } from '../port/index.ts'
import { isRenderedAnew, planIngest } from '../rules/ingest.ts'
import { mute } from './customers.ts'
import { recordStatus } from './statuses.ts'
import type { Tx } from './steps.ts'
import { wipeFacts } from './contents.ts'
import { promoteGenuine } from './event-name-spoofing.ts'
import { type EarlierItems, insertItem } from './insert-item.ts'
import { ofDelivery } from './item-ids.ts'
import { customerLane, moveWindow } from './lanes.ts'
import { leavePendingAgain } from './pending.ts'
import { all, one, run, sql, type Steps } from './steps.ts'

/** Turns a pending delivery into its items: see `Store.ingest`. */
export function* ingest(tx: Tx, seq: number, ingested: Ingested, now: number): Steps<readonly IngestOutcome[]> {
  if (tx.newerSchema() !== undefined) return []
  const pending = yield* one<{ again: number }>(sql`DELETE FROM pending WHERE seq = ${seq} RETURNING again`)
  if (!pending) return []
  const again = pending.again === 1
  const earlier = again ? yield* earlierItems(seq) : undefined
  switch (planIngest(ingested.state, { again, hasItems: earlier !== undefined })) {
    case 'keep':
      return []
    case 'wait':
      yield* leavePendingAgain(tx, seq)
      return []
    case 'compare':
      return yield* compareWithFirst(seq, ingested.items)
    case 'replace':
      yield* removeParked(seq)
      break
    case 'rest':
      yield* putToRest(tx, seq, ingested)
  }
  return (yield* insertAll(tx, ingested, { seq, now, earlier })).ingested
}

/** A delivery as it is stored in this very commit. */
export type ArrivedDelivery = Omit<StoredDelivery, 'conflictsWith'>

/** Ingests a delivery in the commit that stores it, and begins its item if it is the only one and may. */
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
}

/** Undefined if an earlier ingest made no items. */
function* earlierItems(seq: number): Steps<EarlierItems | undefined> {
  const rows = yield* all<EarlierRow>(sql`
    SELECT id, state, attempts, cause, completed_handlers FROM items WHERE ${ofDelivery('items.id', seq)} ORDER BY id`)
  if (rows.length === 0) return undefined
  const parked = rows.filter(({ state }) => state === 'parked')
  return {
    kept: new Set(rows.filter(({ state }) => state !== 'parked').map(({ id }) => id)),
    ran: new Map(
      parked
        .filter(({ attempts }) => attempts > 0)
        .map(({ id, cause, completed_handlers: completedHandlers }) => [id, { cause, completedHandlers }]),
    ),
  }
}

/** Removes the parked items of an earlier ingest; their `once` results stay for the items that replace them. */
function* removeParked(seq: number): Steps<void> {
  yield* wipeFacts(seq, 'parked')
  yield* run(sql`DELETE FROM items WHERE ${ofDelivery('items.id', seq)} AND state = 'parked'`)
}
