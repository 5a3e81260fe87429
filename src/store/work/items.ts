import { EFFECTS, type KindOfFeatures } from '../database/effects-of-features.ts'
import { findOpened, type Opened, type MessageLimit, type SaidOptOut } from '../customers/customer.ts'
import { customerLane, sentEventLane } from '../database/lane-names.ts'
import { isSuspect } from './item-rules.ts'
import { type CustomersSilence, silenceIn, withSilence } from '../database/customer-tables.ts'
import { sql } from '../database/sql.ts'
import { grouped, insert, pick } from '../database/statements.ts'
import { blank, type RowOf } from '../database/table.ts'
import { contents, inbox, work } from '../database/inbox-tables.ts'
import { one, execute, type KnownFirst, type Steps, type Tx } from '../database/steps.ts'
import { represent, membersOf, inBundle, type EarlierMessage } from './bundles.ts'
import { GATHERER, type GatherRules } from './gathering.ts'
import { begin, enterLane, type First, firstToBegin, markFollowed, type Begun, type Fence } from './lanes.ts'
import { customers, type CustomerRow, type CustomerOfNumber } from '../database/customer-tables.ts'
import type { OwnEvent } from '../database/store-effects.ts'

/**
 * The kind of an item. `signal`: it concerns the customer, and nobody wrote it. `OwnKind`: made by the bot;
 * `send_failed` is in the lane of the customer's statuses, the others in the lane of their messages.
 */
export type ItemKind = 'message' | 'signal' | 'status' | 'event' | OwnKind

export type OwnKind = keyof typeof EVENTS | KindOfFeatures

const EVENTS = {
  send_failed: { event: 'send.failed', words: 'of the send with this id' },
  window_closing: { event: 'window.closing', words: 'of a window that was about to close' },
} as const satisfies Record<string, OwnEvent>

/** The events of the bot's own deliveries, by their kind. */
export const OWN_EVENTS: Readonly<Record<string, OwnEvent>> = Object.assign(
  {},
  EVENTS,
  ...EFFECTS.map(({ kinds }) => kinds),
)

/** The subscription of the bot's own deliveries: empty, unlike the one of a delivery from the service. */
export const OWN_SUBSCRIPTION = ''

/** The identity of a message, unique in its number. `claimant` tells apart two messages with the same id. */
export interface Identity {
  readonly key: string
  readonly claimant: string
}

export interface NewItem {
  /** The item's position in the delivery, from 0. */
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | undefined
  /** The lane; undefined without a customer: then the store gives the item its own lane. */
  readonly lane: string | undefined
  /** The payload's time, or the time of receipt. */
  readonly at: number
  /** The facts as JSON. A later change of the mapping does not change them. */
  readonly facts: string
  readonly identity: Identity | undefined
  /** Keys of replies are made of the identity, or of the signed bytes and their time if no identity is trusted. */
  readonly cause: { readonly identity: string | undefined; readonly signed: string }
  readonly state: 'stored' | 'parked' | 'ignored'
  readonly reason?: string
  /**
   * How the item is gathered. `flushes`: it is not gathered, and gathered items enter the lane before it. Undefined: it
   * is not gathered, and gathered items stay outside the lane.
   */
  readonly gathers?: GatherRules | 'flushes' | undefined
  readonly optOut?: SaidOptOut | undefined
  readonly limit?: MessageLimit | undefined
}

/** A delivery as handlers see it. */
export interface ItemDelivery {
  readonly seq: number
  readonly subscription: string
  readonly deliveryId: string
  readonly event: string
  readonly body: Uint8Array
  readonly receivedAt: number
  /** Milliseconds by which the service's clock is ahead; 0 except beside an emulator. */
  readonly clockOffset: number
  /** The span that received it, as W3C trace context. */
  readonly trace?: string | undefined
}

export interface StartedItem extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at' | 'facts'> {
  readonly id: number
  readonly cause: string
  /** How many attempts there were, with this one. An attempt is counted before the run, so that a crash counts. */
  readonly attempt: number
  readonly createdAt: number
  /** True if a dead process left the item running at its second attempt or later: perhaps it crashes processes. */
  readonly suspect: boolean
  /** The earlier messages of its bundle, by payload time. */
  readonly earlier: readonly EarlierMessage[]
  readonly completedHandlers: readonly string[]
  /** Time of the customer's last message whose time is trusted. */
  readonly lastInboundAt: number | undefined
  /** True if a message of this customer with a later payload time was handled before. */
  readonly late: boolean
  /** Time of the last send to this customer that the service accepted. */
  readonly lastSentAt: number | undefined
  /** The last silence, which may have ended. */
  readonly silence: CustomersSilence | undefined
  readonly conversation: Opened | undefined
  readonly delivery: ItemDelivery
  /** The span of the last attempt that failed, as W3C trace context. */
  readonly failedTrace?: string | undefined
}

/** The last error. Its message is the item's `reason`. */
export interface Failure {
  readonly attempt: number
  /** The route or middleware that threw; undefined if neither did. */
  readonly route: string | undefined
  readonly frames: readonly string[]
  /** The span of the attempt, as W3C trace context. */
  readonly trace?: string | undefined
}

export interface OpenItem {
  readonly item: number
  readonly lane: string
  readonly number: string
  readonly at: number
  readonly now: number
  readonly completed?: string | undefined
}

const INSERT = grouped(
  pick(work, 'item', 'lane', 'number', 'at', 'place', 'state', 'owner', 'run', 'attempts', 'due', 'since', 'completed'),
  (given) =>
    insert(work, { ...blank(work), ...given, followed: 0, interrupted: 0 }, { unlessThere: true, keys: ['item'] }),
)

interface OpenedItem {
  /** Set if the item has begun. */
  readonly fence?: Fence
  /** True if the lane was not free. */
  readonly isBehind: boolean
}

/** Opens an item, as the first in its lane or behind others. With `process`, an item that is the first begins. */
export function* openItem(o: OpenItem, process?: number, first?: KnownFirst): Steps<OpenedItem> {
  const { item, lane, number, at, now, completed } = o
  const row = { item, lane, number, at, run: now, due: now, since: now, completed }
  const waiting = { ...row, state: 'stored', owner: null, attempts: 0 } as const
  const opened =
    process === undefined
      ? INSERT({ ...waiting, place: 0 })
      : INSERT({ ...row, place: 1, state: 'running', owner: process, attempts: 1 })
  const isFree = first === 'free' ? yield opened.asNew() : first === undefined && (yield opened).changes > 0
  if (!isFree) {
    yield* markFollowed('work', lane)
    yield INSERT({ ...waiting, place: 2 }).asNew()
    return BEHIND_OTHERS
  }
  return process === undefined ? FIRST_HERE : { fence: { lane, of: item, owner: process, run: now }, isBehind: false }
}

const BEHIND_OTHERS: OpenedItem = { isBehind: true }
const FIRST_HERE: OpenedItem = { isBehind: false }

export type FirstItem = First &
  Pick<
    RowOf<typeof work>,
    'run' | 'attempts' | 'interrupted' | 'followed' | 'bundle' | 'since' | 'completed' | 'failure'
  >

const COLUMNS = sql`run, attempts, interrupted, bundle, since, completed, failure`
export const FIRST_ITEM = sql`${COLUMNS}, followed`

const FIRST = grouped(
  { item: work.item },
  ({ item }) => sql<FirstItem>`SELECT item AS id, lane, number, ${FIRST_ITEM} FROM ${work} WHERE item = ${item}`,
)

const BEHIND = grouped(
  { lane: work.lane },
  ({ lane }) => sql<FirstItem>`
    SELECT item AS id, lane, number, ${COLUMNS}, CASE WHEN
        EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.place = 2 AND o.item <> w.item)
        OR EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.state = 'gathering') THEN 1 ELSE 2 END AS followed
    FROM ${work} w WHERE lane = ${lane} AND place = 2 ORDER BY at, item LIMIT 1`,
)

/** Returns the next item of a lane whose first item has ended. */
export function itemBehind(lane: string): Steps<FirstItem | undefined> {
  return one(BEHIND({ lane }))
}

export function* beginFirst(tx: object, found: FirstItem, process: number): Steps<Begun<StartedItem>> {
  const id = found.attempts === 0 && found.followed === 1 ? yield* firstToBegin('work', found) : found.id
  const first = id === found.id ? found : ((yield* one(FIRST({ item: id }))) as FirstItem)
  return yield* beginItem(tx, first, process)
}

export function* beginItem(tx: object, first: FirstItem, process: number): Steps<Begun<StartedItem>> {
  const begun = yield* begin('work', first, process, first.id)
  if (first.bundle !== null)
    yield* execute(sql`
      UPDATE ${work} SET state = 'running', attempts = attempts + 1, interrupted = 0
      WHERE ${inBundle(first.bundle)} AND item <> ${first.id}`)
  return { ...begun, work: yield* startedItem(tx, first) }
}

interface ItemRow
  extends CustomerRow,
    DeliveryRow,
    Pick<StartedItem, 'id' | 'kind' | 'number' | 'at' | 'facts' | 'cause'> {
  readonly idx: number
  readonly customer: string | null
  /** The row of the delivery, if it is not the item's row. */
  readonly delivery: number | null
}

interface DeliveryRow {
  readonly subscription: string
  readonly delivery_id: string
  readonly event: string
  readonly received_at: number
  readonly clock_offset: number
  readonly trace: string | null
  readonly body: Uint8Array
}

const ITEM = grouped(
  { id: inbox.id },
  ({ id }) => sql<ItemRow>`
    SELECT i.id, i.idx, i.delivery, i.kind, i.number, i.customer, i.at, i.cause, i.subscription,
      coalesce(i.delivery_id, i.other_id) AS delivery_id, i.event, i.received_at, i.clock_offset, i.trace, f.facts, f.body,
      ${withSilence('c', 'last_at', 'handled_at', 'sent_at', 'conversation')}
    FROM ${inbox} i LEFT JOIN ${contents} f ON f.id = i.id
      LEFT JOIN ${customers} c ON c.number = i.number AND c.customer = i.customer
    WHERE i.id = ${id}`,
)

const DELIVERY = grouped(
  { id: inbox.id },
  ({ id }) => sql<DeliveryRow>`
    SELECT d.subscription, coalesce(d.delivery_id, d.other_id) AS delivery_id, d.event, d.received_at, d.clock_offset,
      d.trace, b.body
    FROM ${inbox} d LEFT JOIN ${contents} b ON b.id = d.id WHERE d.id = ${id}`,
)

const batches = new WeakMap<object, ItemDelivery>()

/** Reads a delivery once for all its items that begin in a transaction, because a body may be large. */
function* deliveryOfBatch(tx: object, seq: number): Steps<ItemDelivery> {
  const known = batches.get(tx)
  if (known?.seq === seq) return known
  const delivery = deliveryOf(seq, (yield DELIVERY({ id: seq })).rows[0] as DeliveryRow)
  batches.set(tx, delivery)
  return delivery
}

function deliveryOf(seq: number, row: DeliveryRow): ItemDelivery {
  return {
    seq,
    subscription: row.subscription,
    deliveryId: row.delivery_id,
    event: row.event,
    body: row.body,
    receivedAt: row.received_at,
    clockOffset: row.clock_offset,
    trace: row.trace ?? undefined,
  }
}

function* startedItem(
  tx: object,
  { id, bundle, attempts, interrupted, since, completed, failure }: FirstItem,
): Steps<StartedItem> {
  const row = (yield ITEM({ id })).rows[0] as ItemRow
  const delivery = row.delivery === null ? deliveryOf(id, row) : yield* deliveryOfBatch(tx, row.delivery)
  const earlier = bundle === null ? ALONE : (yield* membersOf(bundle)).filter((member) => member.id !== id)
  return {
    ...(yield* arrivedItem({ ...row, customer: row.customer ?? undefined }, delivery, row)),
    idx: row.idx,
    attempt: attempts + 1,
    createdAt: since,
    suspect: isSuspect({ wasRunning: interrupted === 1, attempts }),
    completedHandlers: completed === null ? NONE : (JSON.parse(completed) as string[]),
    earlier: earlier.map((member): EarlierMessage => {
      const { id: _, ...message } = member
      return message
    }),
    late: isLate(earlier[0]?.at ?? row.at, row.handled_at ?? undefined),
    failedTrace: failure === null ? undefined : (JSON.parse(failure) as Failure).trace,
  }
}

const ALONE: readonly (EarlierMessage & { readonly id: number })[] = []
const NONE: readonly string[] = []

type Arrived = Pick<StartedItem, 'id' | 'kind' | 'number' | 'customer' | 'at' | 'facts' | 'cause'>

/** Returns an item that began in the commit that stored its delivery, in the same form as a claim returns it. */
export function* arrivedItem(
  { id, kind, number, customer, at, facts, cause }: Arrived,
  delivery: ItemDelivery,
  row: CustomerRow | undefined,
): Steps<StartedItem> {
  const { seq, subscription, deliveryId, event, body, receivedAt, clockOffset, trace } = delivery
  return {
    id,
    idx: 0,
    kind,
    number,
    customer,
    at,
    facts,
    cause,
    attempt: 1,
    createdAt: receivedAt,
    suspect: false,
    earlier: ALONE,
    completedHandlers: NONE,
    lastInboundAt: row?.last_at ?? undefined,
    late: isLate(at, row?.handled_at ?? undefined),
    lastSentAt: row?.sent_at ?? undefined,
    silence: silenceIn(row),
    conversation: typeof row?.conversation === 'string' ? yield* findOpened(row.conversation) : undefined,
    delivery: { seq, subscription, deliveryId, event, body, receivedAt, clockOffset, trace },
    failedTrace: undefined,
  }
}

function isLate(at: number, handledAt: number | undefined): boolean {
  return handledAt !== undefined && handledAt > at
}

/** Retries an item, which gets all its attempts again. Handlers that had completed do not run again. */
export function* retryItem(tx: Pick<Tx, 'wake'>, id: number, now: number): Steps<readonly number[]> {
  const found = yield* one<{ lane: string; bundle: number | null }>(sql`
    SELECT lane, bundle FROM ${work} WHERE item = ${id} AND state IN ('dead', 'parked')`)
  if (!found) return []
  const which = found.bundle === null ? sql`item = ${id}` : inBundle(found.bundle)
  // The update has a condition: an item that waits or runs is left alone, however often a person retries it.
  const rows = (yield sql`
    UPDATE ${work} SET state = 'stored', attempts = 0, due = NULL, reason = NULL, failure = NULL, since = ${now}, interrupted = 0
    WHERE ${which} AND state IN ('dead', 'parked') RETURNING item`).rows as readonly { item: number }[]
  if (found.bundle === null) yield* enterLane('work', id, found.lane, now)
  else yield* represent(found.bundle, found.lane, now)
  tx.wake('items')
  return rows.map(({ item }) => item).toSorted((a, b) => a - b)
}

// ── the bot's own deliveries ────────────────────────────────────────────────────────────────────────

export interface OwnDelivery extends Required<Pick<NewItem, 'number' | 'at'>> {
  readonly kind: OwnKind
  readonly id: string
  readonly once?: boolean
  readonly says: string
  readonly customer: string
  readonly lane: string
  readonly trace?: string | undefined
  cause(seq: number): string
}

const NO_FACTS = JSON.stringify({ values: {}, sure: [], mapped: [], own: {} })

export function* lastClockOffset(): Steps<number> {
  const row = yield* one<{ clock_offset: number }>(sql`
    SELECT clock_offset FROM ${inbox} WHERE idx = 0 ORDER BY id DESC LIMIT 1`)
  return row?.clock_offset ?? 0
}

/** Stores a delivery of the bot, whose item waits in its lane. `once`: nothing is stored if the id is known. */
export function* storeOwn(tx: Tx, own: OwnDelivery, now: number): Steps<void> {
  const { kind, id, once = false, says, number, customer, lane, at, trace } = own
  const seq = tx.nextId()
  const stored = yield* execute(sql`
    INSERT INTO ${inbox} (id, idx, subscription, delivery_id, other_id, event, timestamp, received_at, clock_offset,
      repeats, trace, kind, number, customer, lane, at, cause)
    VALUES (${seq}, 0, ${OWN_SUBSCRIPTION}, ${once ? id : undefined}, ${once ? undefined : id}, ${OWN_EVENTS[kind]?.event},
      ${Math.floor(now / 1_000)}, ${now}, ${yield* lastClockOffset()}, 0, ${trace}, ${kind}, ${number}, ${customer},
      ${lane}, ${at}, ${own.cause(seq)})
    ON CONFLICT DO NOTHING`)
  if (stored === 0) return
  yield* execute(sql`INSERT INTO ${contents} (id, body, facts) VALUES (${seq}, ${Buffer.from(says)}, ${NO_FACTS})`)
  // Messages that are gathered for the lane are handled first.
  if (GATHERER && kind !== 'send_failed') yield* GATHERER.seal(lane, now)
  yield* openItem({ item: seq, lane, number, at, now })
  tx.wake('items')
}

/** Returns the wall time at which the first open event about a customer's sends was received. */
export function* sentEventSince(who: CustomerOfNumber): Steps<number | undefined> {
  const lane = sentEventLane(customerLane(who))
  return (yield* one<{ since: number }>(sql`SELECT since FROM ${work} WHERE lane = ${lane} AND place < 2`))?.since
}
