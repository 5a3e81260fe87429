import { atMostOne } from '../../base/value.ts'
import {
  applyWindowMove,
  countedIn,
  findCustomer,
  setWindowTimers,
  writeCounted,
  type WindowMove,
  type Counted,
  countedWith,
} from '../customers/customer.ts'
import { customerLane } from '../database/lane-names.ts'
import type { CustomerRow, CustomerOfNumber } from '../database/customer-tables.ts'
import { keysOfStatus, recordStatus, type NewStatus } from '../outbox/statuses.ts'
import { forgottenUpto } from '../customers/forgotten.ts'
import { noteOptOut } from '../outbox/opt-outs.ts'
import { sql } from '../database/sql.ts'
import { grouped, insert, pick, putSome, select, update } from '../database/statements.ts'
import { blank } from '../database/table.ts'
import { contents, inbox } from '../database/inbox-tables.ts'
import { type KnownCustomer, one, type Branch, execute, sideBySide, type Steps, type Tx } from '../database/steps.ts'
import { hasUnread } from '../work/subscriptions.ts'
import type { Silence } from '../database/silence.ts'
import { represent, openOutside } from '../work/bundles.ts'
import { GATHERER } from '../work/gathering.ts'
import { arrivedItem, openItem, type Identity, type NewItem, type StartedItem } from '../work/items.ts'
import { livingProcess, type Begun, type Lease } from '../work/lanes.ts'
import type { StoredDelivery } from './unread.ts'
import * as begunSilences from '../../built-in/begun-silences.ts'

/** What the bot has read from a delivery's body. */
export interface Ingested {
  /** The result of reading. `conflict`: the items are compared with those of the first delivery, and not dispatched. */
  readonly state: 'ingested' | 'ignored' | 'quarantined' | 'conflict'
  readonly note?: string
  readonly items: readonly NewItem[]
  readonly windows: readonly WindowMove[]
  readonly statuses: readonly NewStatus[]
  readonly silences?: readonly NewSilence[]
}

/** A silence that begins with a message of this delivery. A feature adds its own members. */
export interface NewSilence extends CustomerOfNumber, Pick<Silence, 'since' | 'until'> {}

/**
 * An item that the caller reports. `over_limit`: the customer's first message above the limit. The others: an earlier
 * item has the same identity.
 */
export interface IngestOutcome {
  readonly idx: number
  readonly identity: 'same_message' | 'reused' | 'conflict' | 'over_limit'
}

export interface Arrival {
  readonly ingested: readonly IngestOutcome[]
  /** The delivery's only item, if it has begun in the same commit. */
  readonly started?: Begun<StartedItem>
}

export const ITEM_COLUMNS = [
  'mark',
  'kind',
  'number',
  'customer',
  'lane',
  'at',
  'cause',
  'identity',
  'claimant',
] as const

type JudgedItem = ReturnType<typeof judgeItem> & { readonly id: number }

/** Prepares the item that is stored in the delivery's row. If its identity is not free, the insert fails. */
export function itemInRow({ items: [item] }: Ingested, seq: number): JudgedItem | undefined {
  return item && { ...judgeItem(item, seq, item.identity && 'free'), id: seq }
}

/** @param earlierCause the cause of the item's earlier run. */
function judgeItem(
  item: NewItem,
  seq: number,
  identityIs: 'free' | 'same_message' | 'reused' | undefined,
  earlierCause?: string,
) {
  const { kind, number, customer, at, identity } = item
  const state = identityIs === 'same_message' ? identityIs : item.state
  return {
    state,
    opens: state === 'stored',
    outcome: identityIs === 'free' ? undefined : identityIs,
    columns: {
      kind,
      number,
      customer,
      lane: laneOrOwn(item, seq),
      at,
      cause: earlierCause ?? ((identityIs === 'free' && item.cause.identity) || item.cause.signed),
      identity: identityIs === 'free' ? identity?.key : undefined,
      claimant: identityIs === 'free' ? identity?.claimant : undefined,
      mark: state === 'ignored' || state === 'same_message' ? state : undefined,
    },
  }
}

function judgeIdentity({ claimant }: Identity, known: { readonly claimant: string } | undefined) {
  if (!known) return 'free'
  return known.claimant === claimant ? 'same_message' : 'reused'
}

export function laneOrOwn({ number, lane, idx }: NewItem, seq: number): string {
  return lane ?? `${number}//${seq}.${idx}`
}

type ArrivedDelivery = Omit<StoredDelivery, 'conflictsWith'>

/** Stores a delivery's items. `inRow`: the first item, if the delivery's row has it. */
export function* arriveWith(
  tx: Tx,
  delivery: ArrivedDelivery,
  ingested: Ingested,
  inRow: JudgedItem | undefined,
  begin: Lease | undefined,
): Steps<Arrival> {
  const { seq, receivedAt: now } = delivery
  if (ingested.state !== 'ingested' && !inRow) yield* putToRest(seq, ingested)
  const ordinary = ordinaryItem(ingested)
  if (!ordinary) yield* sideBySide(changesBeside(ingested, seq, now))
  const moves = ordinary ? movesOfOne(tx, ingested) : movesOf(ingested, seq)
  const arriving: Arriving = {
    seq,
    now,
    moves,
    delivery,
    begin: ingested.items.length === 1 ? begin : undefined,
    inRow,
    outcomes: [],
  }
  if (ordinary) yield* arrive(tx, ordinary, arriving)
  else {
    yield* sideBySide(branchesOf(ingested.items, seq, (item) => arrive(tx, item, arriving)))
    yield* moveLeft(moves, now)
  }
  const { outcomes, started } = arriving
  return { ingested: outcomes.toSorted((a, b) => a.idx - b.idx), ...(started && { started }) }
}

interface Arriving extends ItemOpening {
  readonly inRow: JudgedItem | undefined
  started?: Arrival['started']
}

// This function is not nested: otherwise V8 would keep a hidden class for each delivery, and the delivery with it.
function* arrive(tx: Tx, item: NewItem, arriving: Arriving): Steps<void> {
  const { seq, now, inRow, outcomes } = arriving
  const judged =
    item.idx === 0 && inRow ? inRow : yield* storeItem(tx, item, { seq, id: item.idx === 0 ? seq : undefined }, now)
  if (judged.outcome !== undefined) outcomes.push({ idx: item.idx, identity: judged.outcome })
  if (item.optOut) yield* noteSaid(item, judged)
  arriving.started = yield* openJudged(tx, item, judged, arriving)
}

/** Records a STOP or START, unless another delivery contained the same message. */
export function* noteSaid({ number, customer, optOut }: NewItem, judged: JudgedItem, isOthers = false): Steps<void> {
  if (optOut && customer !== undefined && judged.state !== 'same_message')
    yield* noteOptOut(judged.id, { number, customer }, optOut, isOthers)
}

/** Returns the message of an ordinary delivery, which has one message and moves at most that customer's window. */
function ordinaryItem({ items, windows, statuses, silences = [] }: Ingested): NewItem | undefined {
  const [item] = items
  if (!item || items.length > 1 || statuses.length > 0 || silences.length > 0) return undefined
  const moves = windows.every((move) => !move.closing?.length && customerLane(move) === item.lane)
  return moves && windows.length <= 1 ? item : undefined
}

/** The most messages and statuses that are stored in one transaction, for which others wait. */
export const MOST_AT_ONCE = 128

export function fitsAtOnce({ items, windows, statuses, silences = [] }: Ingested): boolean {
  return Math.max(items.length, windows.length + statuses.length + silences.length) <= MOST_AT_ONCE
}

export function branchesOf(
  items: readonly NewItem[],
  seq: number,
  store: (item: NewItem) => Steps<unknown>,
): readonly Branch[] {
  return items.map((item) => ({
    keys: [
      laneOrOwn(item, seq),
      `${item.number}/${item.customer}`,
      ...(item.identity ? [`identity:${item.number}/${item.identity.key}`] : []),
      ...(item.optOut ? [`opt-out:${item.customer}`] : []),
    ],
    begin: () => store(item),
  }))
}

const beginSilence = atMostOne<(asked: never) => Steps<unknown>>(begunSilences) ?? nothing

function* nothing(): Steps<void> {}

type Guard = (who: CustomerOfNumber, change: Steps<unknown>) => Steps<unknown>

export function unlessForgotten(seq: number): Guard {
  return function* (who, change) {
    if ((yield* forgottenUpto(who)).items < seq) yield* change
  }
}

/** The changes of a delivery beside its items: statuses, silences, and windows of customers who have no item in it. */
export function changesBeside(
  { items, windows, statuses, silences = [] }: Ingested,
  seq: number,
  now: number,
  guarded: Guard = (_who, change) => change,
): readonly Branch[] {
  const lanes = lanesOf(items, seq)
  return [
    ...statuses.map((status) => ({
      keys: keysOfStatus(status, 'status:'),
      begin: () => recordStatus(status, now),
    })),
    ...silences.map((asked) => ({
      keys: [customerLane(asked)],
      begin: () => guarded(asked, beginSilence(asked as never)),
    })),
    // Messages of one batch may not be in the order of their times. The latest one sets the timers.
    ...windows
      .filter((move) => move.closing?.length || !lanes.has(customerLane(move)))
      .toSorted((a, b) => a.lastAt - b.lastAt)
      .map((move) => ({
        keys: [customerLane(move)],
        begin: () => guarded(move, moveWindow(move, { lanes, seq, now })),
      })),
  ]
}

function* moveWindow(
  move: WindowMove,
  { lanes, seq, now }: { readonly lanes: ReadonlySet<string>; readonly seq: number; readonly now: number },
): Steps<void> {
  yield* setWindowTimers(move, seq)
  if (!lanes.has(customerLane(move))) yield* applyWindowMove(move, move.lastAt, now, false)
}

type Moves = Map<string, Omit<WindowMove, 'closing'> & KnownCustomer>

/** Returns how an ordinary delivery moves the window, with the rows that the transaction read when it began. */
function movesOfOne({ customerRow, firstItem }: Tx, { windows: [move] }: Ingested): Moves {
  const lane = move && customerLane(move)
  const known: KnownCustomer =
    customerRow && lane !== undefined ? { row: customerRow(lane), first: firstItem?.(lane) } : {}
  return new Map(move && lane !== undefined ? [[lane, { ...move, ...known }]] : [])
}

/** Returns the latest move of each window, by lane. It is applied with the first item of that lane. */
export function movesOf({ items, windows }: Pick<Ingested, 'items' | 'windows'>, seq: number): Moves {
  const lanes = lanesOf(items, seq)
  const moves: Moves = new Map()
  for (const move of windows) {
    const lane = customerLane(move)
    if (!lanes.has(lane)) continue
    const before = moves.get(lane)
    if (!before || before.lastAt <= move.lastAt) moves.set(lane, move)
  }
  return moves
}

function lanesOf(items: readonly NewItem[], seq: number): Set<string> {
  return new Set(items.map((item) => laneOrOwn(item, seq)))
}

export function moveLeft(moves: Moves, now: number): Steps<void> {
  const branches = [...moves].map(([lane, move]) => ({
    keys: [lane],
    begin: () => applyWindowMove(move, move.lastAt, now, false),
  }))
  return sideBySide(branches)
}

interface ItemOpening {
  readonly seq: number
  readonly now: number
  readonly moves: Moves
  /** The delivery of an item that may begin. */
  readonly delivery?: ArrivedDelivery
  readonly begin?: Lease | undefined
  readonly completed?: string | undefined
  /** The bundle with which the item ran before. */
  readonly rejoins?: number | undefined
  readonly outcomes: IngestOutcome[]
  /** True if an earlier reading of this delivery has counted the message. */
  readonly isCounted?: boolean
}

/** Opens a stored item, unless it has ended already, and moves its customer's window. */
export function* openJudged(
  tx: Tx,
  item: NewItem,
  judged: JudgedItem,
  { seq, now, moves, delivery, begin, completed, rejoins, outcomes, isCounted = false }: ItemOpening,
): Steps<Begun<StartedItem> | undefined> {
  const { number, customer, at, gathers } = item
  const { id } = judged
  const lane = laneOrOwn(item, seq)
  const opening = { item: id, lane, number, at, now, completed }
  const counted = judged.opens && !isCounted ? yield* countIn(item, outcomes) : undefined
  if (counted && !moves.has(lane)) yield* writeCounted({ number, customer: customer ?? '' }, counted)
  const isOver = overLimit(counted, item.limit)
  if (judged.state === 'parked' || isOver !== undefined) {
    yield* openOutside({ ...opening, bundle: rejoins, state: 'parked', reason: isOver ?? item.reason })
    yield* moveWith(moves, lane, now, false, counted)
    if (rejoins !== undefined) yield* execute(sql`UPDATE ${inbox} SET bundle = ${rejoins} WHERE id = ${id}`)
    return undefined
  }
  if (!judged.opens) return undefined
  if (rejoins !== undefined) {
    // An item whose bundle ran before becomes a member of that bundle again.
    yield* openOutside({ ...opening, bundle: rejoins, state: 'stored' })
    yield* execute(sql`UPDATE ${inbox} SET bundle = ${rejoins} WHERE id = ${id}`)
    yield* represent(rejoins, lane, now)
    return undefined
  }
  if (GATHERER && gathers === 'flushes') yield* GATHERER.seal(lane, now)
  if (GATHERER && gathers !== undefined && gathers !== 'flushes') {
    const laneWasFree = yield* GATHERER.gather({ item: id, lane, number, at, now }, gathers)
    yield* moveWith(moves, lane, now, laneWasFree, counted)
    tx.wake('items')
    return undefined
  }
  const process =
    begin && !hasUnread(tx.databaseState, number) && tx.databaseState.newerSchema === undefined
      ? yield* livingProcess(tx, begin)
      : undefined
  const first = gathers === undefined ? moves.get(lane)?.first : undefined
  const { fence, isBehind } = yield* openItem(opening, process, first)
  const moved = yield* moveWith(moves, lane, now, !isBehind, counted)
  if (!fence || !delivery) {
    tx.wake('items')
    return undefined
  }
  const row = moved ?? (customer === undefined ? undefined : yield* findCustomer({ number, customer }))
  const arrived = { id, kind: item.kind, number, customer, at, facts: item.facts, cause: judged.columns.cause }
  return { fence, work: yield* arrivedItem(arrived, delivery, row) }
}

function* moveWith(
  moves: Moves,
  lane: string,
  now: number,
  laneWasFree: boolean,
  counted: Counted | undefined,
): Steps<CustomerRow | undefined> {
  const move = moves.get(lane)
  if (!move) return undefined
  moves.delete(lane)
  return yield* applyWindowMove(move, move.lastAt, now, laneWasFree, counted, move.row as CustomerRow | undefined)
}

// ── the limit of a customer's messages ──────────────────────────────────────────────────────────────

/** Counts a message of a customer. The first message above the limit is reported. */
function* countIn({ idx, number, customer, limit }: NewItem, outcomes: IngestOutcome[]): Steps<Counted | undefined> {
  if (!limit || customer === undefined) return undefined
  const counted = countedWith(countedIn(yield* findCustomer({ number, customer })), limit)
  if (counted.count === limit.messages + 1) outcomes.push({ idx, identity: 'over_limit' })
  return counted
}

/** Returns the reason for which a message is parked; undefined if it is within the limit. */
function overLimit(counted: Counted | undefined, limit: NewItem['limit']): string | undefined {
  if (!counted || !limit || counted.count <= limit.messages) return undefined
  return `over_limit: more than ${limit.messages} messages of this customer in ${limit.everyMs / 1_000} s`
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────

const SAME_IDENTITY = grouped(pick(inbox, 'number', 'identity'), (message) => select(['claimant'], inbox, message))

const ADD = grouped(pick(inbox, 'id', 'idx', 'delivery', 'received_at', ...ITEM_COLUMNS), (given) =>
  insert(inbox, { ...blank(inbox), ...given, clock_offset: 0, repeats: 0 }, { keys: ['id'] }),
)

const ADD_FACTS = grouped(pick(contents, 'id', 'facts'), (given) =>
  insert(contents, { ...blank(contents), ...given }, { keys: ['id'] }),
)

export function* storeItem(
  tx: Tx,
  item: NewItem,
  { seq, id: knownId }: { readonly seq: number; readonly id: number | undefined },
  now: number,
  ran?: { readonly cause: string | undefined },
): Steps<JudgedItem> {
  const id = knownId ?? tx.nextId()
  const known = item.identity
    ? ((yield* one(SAME_IDENTITY({ number: item.number, identity: item.identity.key }))) as
        | { claimant: string }
        | undefined)
    : undefined
  const judged = judgeItem(item, seq, item.identity && judgeIdentity(item.identity, known), ran?.cause)
  if (knownId === undefined) {
    yield ADD({ id, idx: item.idx, delivery: seq, received_at: now, ...judged.columns })
    yield ADD_FACTS({ id, facts: item.facts })
  } else {
    yield* execute(update(inbox, judged.columns, { id }))
    yield* execute(putSome(contents, ['id'], { id, facts: item.facts }))
  }
  return { ...judged, id }
}

export function* putToRest(seq: number, { state, note }: Ingested): Steps<void> {
  // A conflict stays a conflict, whatever else is wrong with it. So it is stored once, however often it arrives.
  yield* execute(sql`
    UPDATE ${inbox} SET mark = CASE mark WHEN 'conflict' THEN mark ELSE ${state} END, note = ${note} WHERE id = ${seq}`)
}
