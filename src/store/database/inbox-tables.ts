import { sql } from './sql.ts'
import { valuesOf } from './steps.ts'
import { bytes, counted, integer, oneOf, optional, table, text } from './table.ts'

/**
 * The state of a delivery. Its items have their own states.
 *
 * `stored` (ingested or unread) | `ignored` (no handler, unknown event) | `quarantined` (signed, but not understood).
 * Never dispatched automatically: `suspected_replay` (signed bytes that arrived before under another id or event name),
 * `conflict` (a known id with other signed bytes, or known signed bytes whose first delivery reached no handler), which
 * becomes `rendered_anew` if both contain the same messages, and `stale` (its timestamp is too far from now, and the
 * app keeps such deliveries).
 */
export const DELIVERY_STATES = [
  'stored',
  'ignored',
  'quarantined',
  'suspected_replay',
  'conflict',
  'rendered_anew',
  'stale',
] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * The state of an item: `stored` → `running` → `done` | `retry` | `parked` (a fact is missing) | `dead` (failed for
 * good). Final from the start: `ignored` (no handler), `rested` (a person or agent has its customer), `same_message`
 * (an item of another delivery has its identity).
 */
export const ITEM_STATES = [
  'stored',
  'running',
  'retry',
  'done',
  'parked',
  'dead',
  'ignored',
  'rested',
  'same_message',
] as const

export type ItemState = (typeof ITEM_STATES)[number]

/** The state that people see, of the delivery or of an item. */
export type InboxState = DeliveryState | ItemState

export const INBOX_STATES: readonly InboxState[] = [...new Set([...ITEM_STATES, ...DELIVERY_STATES])]

/** The state of a work row: see `work`. */
export type WorkState =
  | 'stored'
  | 'running'
  | 'retry'
  | 'parked'
  | 'dead'
  | 'unread'
  | 'gathering'
  | 'forgotten'
  | 'forgetting'

/**
 * Items, one row for each. The row with idx 0 also carries the delivery, even one without items, whose kind is then
 * null. Further items refer to it by delivery. On the ordinary path a row is written once. Ids rise with arrival and
 * are never given twice. mark: the outcome of a delivery without items (ignored, quarantined, suspected_replay,
 * conflict, rendered_anew, stale), or of an item that is not handled (ignored, same_message, rested); null otherwise. A
 * repeated delivery is found by delivery_id, or by digest with timestamp. A row that must not be found has null there,
 * and its delivery id is in other_id. first: for a conflict or a suspected replay, the delivery with the same id or the
 * same signed bytes. identity: which message of the customer the item is. claimant tells apart two messages with the
 * same identity. A row whose delivery was pruned can stay only to keep its identity taken; its cause is then empty.
 * bundle: the id of the last item of its bundle; null if the item has no bundle, or not yet. trace (also in sends): the
 * span in which the row was made, as W3C trace context.
 */
export const inbox = table(
  'inbox',
  { id: 'id' },
  {
    id: integer,
    idx: integer,
    delivery: optional(integer),
    subscription: optional(text),
    delivery_id: optional(text),
    other_id: optional(text),
    event: optional(text),
    timestamp: optional(integer),
    digest: optional(bytes),
    received_at: integer,
    clock_offset: integer,
    repeats: integer,
    mark: optional(text),
    first: optional(integer),
    note: optional(text),
    trace: optional(text),
    kind: optional(text),
    number: optional(text),
    customer: optional(text),
    lane: optional(text),
    at: optional(integer),
    cause: optional(text),
    identity: optional(text),
    claimant: optional(text),
    bundle: optional(integer),
  },
  {
    id: { on: ['subscription', 'delivery_id'], where: sql`delivery_id IS NOT NULL`, unique: true },
    // The time is first in the index, so that new entries are beside recent ones, in a page that is in memory.
    signed: { on: ['timestamp', 'digest', 'subscription'], where: sql`digest IS NOT NULL`, unique: true },
    identity: { on: ['number', 'identity'], where: sql`identity IS NOT NULL`, unique: true },
    delivery: { on: ['delivery'], where: sql`delivery IS NOT NULL` },
    first: { on: ['first'], where: sql`first IS NOT NULL` },
    mark: { on: ['mark', 'id'], where: sql`mark IS NOT NULL` },
    other: { on: ['other_id'], where: sql`other_id IS NOT NULL` },
    bundle: { on: ['bundle'], where: sql`bundle IS NOT NULL` },
    claims: { on: ['received_at'], where: sql`cause = ''` },
  },
)

/** Bytes of deliveries and facts of items, by the id of the inbox row. filler: zeros in a row that was wiped. */
export const contents = table(
  'contents',
  { id: 'id' },
  {
    id: integer,
    body: optional(bytes),
    facts: optional(text),
    filler: optional(text),
  },
)

/**
 * Work rows of open items and unread deliveries. States forgotten, forgetting: the item runs, and its customer was
 * forgotten, by another operation or by the item's own handler. State gathering: the item waits outside its lane until
 * it enters as a bundle. The last item of a bundle is in the lane. The others are outside, with the same state, and are
 * never due. item, owner and run are the fence. owner is the process that runs the item. run is a counter that only
 * rises, and begins with the time at which the item was opened. So if a database loses its newest rows and gives their
 * ids again, the fence of a lost item fits no new item. attempts: how many there were, without those that an orderly
 * stop ended. followed: 1 if another item may wait behind this one, 2 if this one began after another item and nothing
 * waited then, 0 otherwise. interrupted: 1 if its process ended while the item ran. due: wall time from which it may
 * begin. since: wall time of its receipt, or of a person's retry. completed: JSON list of the handlers that have
 * completed. failure: the last error as JSON, without its message.
 */
export const work = table(
  'work',
  { id: 'item' },
  {
    item: integer,
    lane: optional(text),
    number: optional(text),
    at: optional(integer),
    place: optional(integer),
    state: oneOf<WorkState>(),
    owner: optional(integer),
    run: integer,
    attempts: integer,
    followed: integer,
    interrupted: integer,
    due: optional(integer),
    since: integer,
    bundle: optional(integer),
    completed: optional(text),
    reason: optional(text),
    failure: optional(text),
  },
  {
    lane: { on: ['lane'], where: sql`place < 2`, unique: true },
    first: { on: ['number', 'due', 'item'], where: sql`place = 0` },
    behind: { on: ['lane', 'at', 'item'], where: sql`place = 2` },
    followed: { on: ['lane'], where: sql`place = 1 AND followed = 1` },
    outside: { on: ['state', 'item'], where: sql`place IS NULL` },
    unread: { on: ['number', 'item'], where: sql`state = 'unread'` },
    gathering: { on: ['lane'], where: sql`state = 'gathering'` },
    due: { on: ['due'], where: sql`place IS NULL AND due IS NOT NULL` },
  },
)

/**
 * Processes that begin work. If the lease of a process has ended, another process marks it dead, and it begins nothing
 * any more. ahead: by how much its wall clock is ahead of the clock of another process that checked its lease.
 */
export const processes = table(
  'processes',
  { id: 'id' },
  {
    id: counted,
    name: text,
    until: integer,
    dead: integer,
    ahead: integer,
  },
  {
    name: { on: ['name'], unique: true },
  },
)

/** Results of ctx.once, as JSON. */
export const once_results = table(
  'once_results',
  { columns: ['item', 'name'] },
  {
    item: integer,
    name: text,
    result: text,
  },
)

/** Selects the subscriptions of unread deliveries. Each transaction reads them, and mostly there are none. */
export const UNREAD = valuesOf(sql`number`, sql`${work} WHERE state = 'unread'`)

export const END_ALL_LEASES = 'UPDATE processes SET until = 0 WHERE dead = 0'
