import { createHash } from 'node:crypto'
import { gather, GATHERED, seal } from './bursts.ts'
import { addContent } from './contents.ts'
import { lastMute, openConversation } from './customers.ts'
import { itemId } from './item-ids.ts'
import { customerLane, type Entered, enterLane, releaseLane, type Window, windowOf } from '../lanes/lanes.ts'
import { one, run, sql, type Steps, type Tx } from '../steps.ts'
import {
  type Beginning,
  type BurstRules,
  type Held,
  type IngestOutcome,
  type NewItem,
  OWN_EVENTS,
  OWN_SUBSCRIPTION,
  type OwnKind,
  type StartedItem,
  type StoredDelivery,
} from '../../port/index.ts'
import { type EarlierRun, judgeClaim, type PlacedItem, placeItem } from '../../rules/acceptance.ts'
import { AT_ONCE, isLate } from '../../rules/items.ts'

/** Items of a delivery's earlier ingest, as far as they bind the next one. */
export interface EarlierItems {
  /** Items that are not parked: they stay as they are. */
  readonly kept: ReadonlySet<number>
  /** Parked items that ran before, by id: their handlers have used the cause. */
  readonly ran: ReadonlyMap<number, RanItem>
}

interface RanItem extends EarlierRun {
  readonly completedHandlers: string
  readonly lane: string
  readonly burst: number | null
}

interface ItemPlacing {
  readonly seq: number
  readonly now: number
  readonly earlier?: EarlierItems | undefined
  /** Windows that are to be moved, by lane; that of the item's lane is taken out. */
  readonly moves: Map<string, number>
  /** The delivery, if it is stored in this very commit: then its bytes have the facts of its first item beside them. */
  readonly arrived?: Omit<StoredDelivery, 'conflictsWith'>
  readonly begin?: Beginning | undefined
}

interface InsertedItem {
  readonly outcome: IngestOutcome['identity'] | undefined
  readonly started?: Held<StartedItem>
}

/**
 * Inserts an item, and wakes or takes its lane if it waits there. The insert itself decides the ordinary case, in which
 * the identity is free. Undefined if an earlier ingest made the item.
 */
export function* insertItem(tx: Tx, item: NewItem, placing: ItemPlacing): Steps<InsertedItem | undefined> {
  const { seq, now, earlier, arrived, begin } = placing
  const id = itemId(seq, item.idx)
  if (earlier?.kept.has(id)) return undefined
  const lane = item.lane ?? `${item.number}//${seq}.${item.idx}`
  const ran = runBefore(earlier?.ran.get(id), lane)
  const { burst } = ran ? {} : item
  const rules = burst === 'flushes' ? undefined : burst
  const free = placeItem(item, item.identity && 'free', ran)
  if (burst === 'flushes' && free.waits) yield* seal(lane)
  // Begun in the commit that stores it, the item is inserted as one that runs. A message that is gathered waits.
  const entered = begin && free.waits && !rules ? yield* enter(tx, lane, item, { placing, begin }) : undefined
  const row = {
    id,
    seq,
    lane,
    now,
    factsPlace: arrived && item.idx === 0 ? seq : yield* addContent(tx, { seq, facts: item.facts }),
    runs: entered?.fence !== undefined,
    completedHandlers: ran?.completedHandlers ?? '[]',
    burst: ran?.burst ?? (rules ? GATHERED : null),
  }
  if (yield* insert(item, free, row)) {
    if (free.waits && !entered) yield* enter(tx, lane, item, { placing, rules })
    if (!entered?.fence || !arrived) return { outcome: free.outcome }
    const window = yield* windowFor(item, lane, entered)
    const { number, customer = '' } = item
    const mute = entered.muted ? yield* lastMute({ number, customer }) : undefined
    const conversation = entered.talking ? yield* openConversation({ number, customer }) : undefined
    const work = { ...startedItem(item, free, id, arrived, window), mute, conversation }
    return { outcome: free.outcome, started: { fence: entered.fence, work } }
  }
  // The identity is another item's. A lane that was taken for this one is released again.
  if (entered?.fence) {
    begin?.room.give(item.number)
    yield* releaseLane(lane, undefined, now)
  }
  const claimed = yield* one<{ binding: string }>(sql`
    SELECT binding FROM items WHERE number = ${item.number} AND identity = ${item.identity?.key} AND holds = 1`)
  const placed = placeItem(item, item.identity && judgeClaim(item.identity, claimed), ran)
  yield* insert(item, placed, { ...row, runs: false })
  if (placed.waits) yield* enter(tx, lane, item, { placing, rules })
  return { outcome: placed.outcome }
}

/** On its own: V8 makes a hidden class for each generator that is made within a function, which keeps all around it. */
function* enter(
  tx: Tx,
  lane: string,
  { customer }: NewItem,
  { placing: { now, moves }, rules, begin }: Entry,
): Steps<Entered> {
  const readyAt = rules ? yield* gather(lane, rules, now) : AT_ONCE
  return yield* enterLane(tx, lane, { now, customer, lastAt: take(moves, lane), readyAt, begin })
}

interface Entry {
  readonly placing: ItemPlacing
  readonly rules?: BurstRules | undefined
  readonly begin?: Beginning | undefined
}

/** An item of a burst that is another customer's, by a mended mapping, begins anew: what the burst did binds it no more. */
function runBefore(ran: RanItem | undefined, lane: string): RanItem | undefined {
  const wasOfBurst = ran !== undefined && ran.burst !== null
  return wasOfBurst && ran.lane !== lane ? undefined : ran
}

function take(moves: Map<string, number>, lane: string): number | undefined {
  const lastAt = moves.get(lane)
  moves.delete(lane)
  return lastAt
}

interface Row {
  readonly id: number
  readonly seq: number
  readonly lane: string
  readonly now: number
  readonly factsPlace: number
  readonly runs: boolean
  readonly completedHandlers: string
  readonly burst: number | null
}

/** False if another item holds the identity that this one should hold. */
function* insert(item: NewItem, { state, cause, waits, outcome }: PlacedItem, row: Row): Steps<boolean> {
  const { id, seq, lane, now, factsPlace, runs, completedHandlers, burst } = row
  const { idx, kind, number, customer, at, identity, reason } = item
  const holds = identity !== undefined && outcome === undefined
  const inserted = yield* run(sql`
    INSERT INTO items
      (id, seq, idx, kind, number, customer, lane, at, facts_place, cause, identity, binding, holds, state, attempts,
      ready_at, completed_handlers, reason, created_at, settled_at, burst)
    VALUES (${id}, ${seq}, ${idx}, ${kind}, ${number}, ${customer}, ${lane}, ${at}, ${factsPlace}, ${cause},
      ${identity?.key}, ${identity?.binding}, ${holds}, ${runs ? 'running' : state}, ${runs ? 1 : 0},
      ${AT_ONCE}, ${completedHandlers}, ${reason}, ${now}, ${waits ? null : now}, ${waits ? burst : null})
    ON CONFLICT DO NOTHING`)
  return inserted > 0
}

/** The customer's window lies in the row of the lane of their messages. */
function* windowFor({ number, customer }: NewItem, lane: string, entered: Window): Steps<Window> {
  if (customer === undefined) return {}
  const own = customerLane({ number, customer })
  return own === lane ? entered : yield* windowOf(own)
}

export function startedItem(
  item: NewItem,
  { cause }: PlacedItem,
  id: number,
  delivery: Omit<StoredDelivery, 'conflictsWith'>,
  { lastAt, handledAt, sentAt }: Window,
): Omit<StartedItem, 'mute' | 'conversation'> {
  const { idx, kind, number, customer, at, facts } = item
  const { seq, subscription, deliveryId, event, body, receivedAt, trace } = delivery
  return {
    id,
    idx,
    kind,
    number,
    customer,
    at,
    facts,
    cause,
    attempt: 1,
    createdAt: receivedAt,
    suspect: false,
    earlier: [],
    completedHandlers: [],
    lastInboundAt: lastAt,
    late: isLate(at, handledAt),
    lastSentAt: sentAt,
    delivery: { seq, subscription, deliveryId, event, body, receivedAt, trace },
    failedTrace: undefined,
  }
}

/** A delivery that no service made, with one item: the bot's own word, such as that a timer has come due. */
interface OwnDelivery extends Required<Pick<NewItem, 'number' | 'at'>> {
  readonly kind: OwnKind
  readonly id: string
  /** Kept once under its id. */
  readonly once?: boolean
  readonly says: string
  readonly customer: string
  readonly lane: string
  /** The span of what it tells of: see `NewDelivery`. */
  readonly trace?: string | undefined
  cause(seq: number): string
}

const NO_FACTS = JSON.stringify({ values: {}, sure: [], mapped: [], own: {} })

/** Stores such a delivery with its item, which waits in its lane then. Nothing is stored if it is kept once and known. */
export function* deliverOwn(tx: Tx, { kind, id, once = false, says, ...own }: OwnDelivery, now: number): Steps<void> {
  const body = Buffer.from(says)
  const digest = createHash('sha256').update(body).digest()
  const seq = tx.nextPlace()
  const stored = yield* run(sql`
    INSERT INTO deliveries
      (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, state, holds_id,
      holds_signed, trace)
    VALUES (${seq}, ${seq}, ${OWN_SUBSCRIPTION}, ${id}, ${OWN_EVENTS[kind]}, ${Math.floor(now / 1_000)}, ${digest}, ${now},
      coalesce((SELECT clock_offset FROM deliveries WHERE seq = (SELECT max(seq) FROM deliveries)), 0), 'stored', ${once}, 0, ${own.trace})
    ON CONFLICT DO NOTHING`)
  if (stored === 0) return
  yield* addContent(tx, { seq, body })
  const { number, customer, lane, at } = own
  const cause = { identity: undefined, signed: own.cause(seq) }
  // Messages that were gathered in the lane before it go first.
  const burst = kind === 'send_failed' ? undefined : 'flushes'
  const item = { idx: 0, kind, number, customer, lane, at, facts: NO_FACTS, identity: undefined, cause } as const
  yield* insertItem(tx, { ...item, burst, state: 'stored' }, { seq, now, moves: new Map() })
}
