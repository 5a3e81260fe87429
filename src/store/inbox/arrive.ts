import { atMostOne } from '../../base/value.ts'
import * as begunSilences from '../../built-in/begun-silences.ts'
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
import { recordStatus } from '../outbox/statuses.ts'
import {
  type Accepted,
  type Ingested,
  judgeIdentity,
  type JudgedItem,
  judgeItem,
  type IngestOutcome,
} from './acceptance.ts'
import { forgottenUpto } from '../customers/forgotten.ts'
import { noteOptOut } from '../outbox/opt-outs.ts'
import { isHeldBack } from '../work/subscriptions.ts'
import { sql } from '../database/sql.ts'
import { grouped, insert, pick, putSome, select, update } from '../database/statements.ts'
import { blank } from '../database/table.ts'
import { contents, inbox } from '../database/inbox-tables.ts'
import { type Known, one, type Branch, execute, sideBySide, type Steps, type Tx } from '../database/steps.ts'
import { represent, openOutside } from '../work/bundles.ts'
import { GATHERER } from '../work/gathering.ts'
import { arrivedItem, openItem, type NewItem, type StartedItem } from '../work/items.ts'
import { livingProcess } from '../work/processes.ts'
import type { StoredDelivery } from './unread.ts'
import type { Begun, Lease } from '../work/lanes.ts'

/** The columns of an item. */
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

/** The columns of a delivery's first item, which has the same row as the delivery. */
export type FirstColumns = ReturnType<typeof columnsOf>

export function firstItemOf(read: Ingested | undefined, seq: number): FirstColumns | undefined {
  const item = read?.items[0]
  return item && columnsOf(item, judgeItem(item, item.identity && 'free', undefined), seq)
}

function columnsOf(item: NewItem, judged: JudgedItem, seq: number) {
  const { kind, number, customer, at, identity } = item
  const claims = identity !== undefined && judged.outcome === undefined
  return {
    kind,
    number,
    customer,
    lane: laneOrOwn(item, seq),
    at,
    cause: judged.cause,
    identity: claims ? identity.key : undefined,
    claimant: claims ? identity.claimant : undefined,
    mark: judged.state === 'ignored' || judged.state === 'same_message' ? judged.state : undefined,
  }
}

export function laneOrOwn({ number, lane, idx }: NewItem, seq: number): string {
  return lane ?? `${number}//${seq}.${idx}`
}

type ArrivedDelivery = Omit<StoredDelivery, 'conflictsWith'>
type Arrival = Pick<Accepted, 'started'> & { readonly ingested: readonly IngestOutcome[] }

/** Stores a delivery's items. `first`: the columns of the first item, if the delivery's row has them. */
export function* arriveWith(
  tx: Tx,
  delivery: ArrivedDelivery,
  ingested: Ingested,
  first: FirstColumns | undefined,
  begin: Lease | undefined,
): Steps<Arrival> {
  const { seq, receivedAt: now } = delivery
  if (ingested.state !== 'ingested' && !first) yield* putToRest(seq, ingested)
  const ordinary = ordinaryItem(ingested)
  if (!ordinary) yield* sideBySide(effectsOf(ingested, seq, now))
  const moves = ordinary ? movesOfOne(tx, ingested) : movesOf(ingested, seq)
  const arriving: Arriving = {
    delivery,
    first,
    moves,
    begin: ingested.items.length === 1 ? begin : undefined,
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

interface Arriving {
  readonly delivery: ArrivedDelivery
  readonly first: FirstColumns | undefined
  readonly moves: Moves
  readonly begin: Lease | undefined
  readonly outcomes: IngestOutcome[]
  started?: Accepted['started']
}

// Not nested in its caller: V8 would make a hidden class for each delivery, which keeps the delivery in memory.
function* arrive(tx: Tx, item: NewItem, arriving: Arriving): Steps<void> {
  const { delivery, first, moves, begin, outcomes } = arriving
  const { seq, receivedAt: now } = delivery
  const isStored = item.idx === 0 && first !== undefined
  const judged = isStored
    ? { ...judgeItem(item, item.identity && 'free', undefined), id: seq }
    : yield* storeItem(tx, item, { seq, id: item.idx === 0 ? seq : undefined }, now)
  if (judged.outcome !== undefined) outcomes.push({ idx: item.idx, identity: judged.outcome })
  if (item.optOut) yield* noteSaid(item, judged)
  const counting = { limit: item.limit, outcomes }
  arriving.started = yield* openJudged(tx, item, judged, { seq, now, id: judged.id, moves, delivery, begin, counting })
}

/** Records a STOP or START, unless another delivery contained the same message. */
export function* noteSaid(
  { number, customer, optOut }: NewItem,
  judged: JudgedItem & { readonly id: number },
  isOthers = false,
): Steps<void> {
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

type Guard = (who: CustomerOfNumber, effect: Steps<unknown>) => Steps<unknown>

export function unlessForgotten(seq: number): Guard {
  return function* (who, effect) {
    if ((yield* forgottenUpto(who)).items < seq) yield* effect
  }
}

export function effectsOf(
  { items, windows, statuses, silences = [] }: Ingested,
  seq: number,
  now: number,
  guarded: Guard = (_who, effect) => effect,
): readonly Branch[] {
  const lanes = lanesOf(items, seq)
  return [
    ...statuses.map((status) => ({
      keys: [`status:${status.messageId}`, `status:${status.upstreamId}`],
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
        begin: () => guarded(move, windowEffect(move, { lanes, seq, now })),
      })),
  ]
}

function* windowEffect(
  move: WindowMove,
  { lanes, seq, now }: { readonly lanes: ReadonlySet<string>; readonly seq: number; readonly now: number },
): Steps<void> {
  yield* setWindowTimers(move, seq)
  if (!lanes.has(customerLane(move))) yield* applyWindowMove(move, move.lastAt, now, false)
}

type Moves = Map<string, Omit<WindowMove, 'closing'> & Known>

/** Returns the move of an ordinary delivery, with what the transaction read of the customer as it began. */
function movesOfOne({ taken, first }: Tx, { windows: [move] }: Ingested): Moves {
  const lane = move && customerLane(move)
  const known: Known = taken && lane !== undefined ? { row: taken(lane), first: first?.(lane) } : {}
  return new Map(move && lane !== undefined ? [[lane, { ...move, ...known }]] : [])
}

/** Returns the moves of windows. Each move is applied with the first item of its lane. */
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
  readonly id: number
  readonly moves: Moves
  readonly delivery?: ArrivedDelivery
  readonly begin?: Lease | undefined
  readonly completed?: string | undefined
  readonly rejoins?: number | undefined
  /** Counts the message against the limit. Undefined if the item is read again, because it was counted before. */
  readonly counting?: Counting | undefined
}

export function* openJudged(
  tx: Tx,
  item: NewItem,
  judged: JudgedItem,
  o: ItemOpening,
): Steps<Begun<StartedItem> | undefined> {
  const { number, customer, at } = item
  const { id, now, moves, delivery, begin } = o
  const lane = laneOrOwn(item, o.seq)
  const outside = { item: id, lane, number, at, now, bundle: o.rejoins, completed: o.completed }
  const counted = judged.waits && o.counting ? yield* countIn(item, o.counting) : undefined
  if (counted && !moves.has(lane)) yield* writeCounted({ number, customer: customer ?? '' }, counted)
  const isOver = overLimit(counted, item.limit)
  if (judged.state === 'parked' || isOver !== undefined) {
    yield* openOutside({ ...outside, state: 'parked', reason: isOver ?? item.reason })
    yield* moveTaken(moves, lane, now, false, counted)
    if (o.rejoins !== undefined) yield* execute(sql`UPDATE ${inbox} SET bundle = ${o.rejoins} WHERE id = ${id}`)
    return undefined
  }
  if (!judged.waits) return undefined
  if (o.rejoins !== undefined) {
    // An item whose bundle ran before becomes a member of that bundle again.
    yield* openOutside({ ...outside, state: 'stored' })
    yield* execute(sql`UPDATE ${inbox} SET bundle = ${o.rejoins} WHERE id = ${id}`)
    yield* represent(o.rejoins, lane, now)
    return undefined
  }
  const { gathers } = item
  if (GATHERER && gathers === 'flushes') yield* GATHERER.seal(lane, now)
  if (GATHERER && gathers !== undefined && gathers !== 'flushes') {
    const laneWasFree = yield* GATHERER.gather({ item: id, lane, number, at, now }, gathers)
    yield* moveTaken(moves, lane, now, laneWasFree, counted)
    tx.wake('items')
    return undefined
  }
  const process =
    begin && delivery && !isHeldBack(tx.databaseState, number) && tx.databaseState.newerSchema === undefined
      ? yield* livingProcess(tx, begin)
      : undefined
  const first = gathers === undefined ? moves.get(lane)?.first : undefined
  const became = yield* openItem({ item: id, lane, number, at, now, completed: o.completed }, process, first)
  const moved = yield* moveTaken(moves, lane, now, became !== 'behind', counted)
  if (became !== 'running' || !delivery || process === undefined) {
    tx.wake('items')
    return undefined
  }
  const row = moved ?? (customer === undefined ? undefined : yield* findCustomer({ number, customer }))
  const arrived = { id, kind: item.kind, number, customer, at, facts: item.facts, cause: judged.cause }
  return { fence: { lane, of: id, owner: process, run: now }, work: yield* arrivedItem(arrived, delivery, row) }
}

function* moveTaken(
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

interface Counting {
  readonly limit: NewItem['limit']
  readonly outcomes: IngestOutcome[]
}

/** Counts the message that arrives. The first message above the limit is reported. */
function* countIn({ idx, number, customer }: NewItem, { limit, outcomes }: Counting): Steps<Counted | undefined> {
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

const CLAIMED = grouped(pick(inbox, 'number', 'identity'), (message) => select(['claimant'], inbox, message))

const ADD = grouped(pick(inbox, 'id', 'idx', 'delivery', 'received_at', ...ITEM_COLUMNS), (given) =>
  insert(inbox, { ...blank(inbox), ...given, clock_offset: 0, repeats: 0 }, { keys: ['id'] }),
)

const ADD_FACTS = grouped(pick(contents, 'id', 'facts'), (given) =>
  insert(contents, { ...blank(contents), ...given }, { keys: ['id'] }),
)

export function* storeItem(
  tx: Tx,
  item: NewItem,
  { seq, id: known }: { readonly seq: number; readonly id: number | undefined },
  now: number,
  ran?: { readonly cause: string | undefined },
): Steps<JudgedItem & { readonly id: number }> {
  const id = known ?? tx.nextId()
  const claimed = item.identity
    ? ((yield* one(CLAIMED({ number: item.number, identity: item.identity.key }))) as { claimant: string } | undefined)
    : undefined
  const earlier = ran?.cause === undefined ? undefined : { cause: ran.cause }
  const judged = judgeItem(item, item.identity && judgeIdentity(item.identity, claimed), earlier)
  const row = columnsOf(item, judged, seq)
  if (known === undefined) {
    yield ADD({ id, idx: item.idx, delivery: seq, received_at: now, ...row })
    yield ADD_FACTS({ id, facts: item.facts })
  } else {
    yield* execute(update(inbox, row, { id }))
    yield* execute(putSome(contents, ['id'], { id, facts: item.facts }))
  }
  return { ...judged, id }
}

export function* putToRest(seq: number, { state, note }: Ingested): Steps<void> {
  // A conflict stays a conflict, whatever else is wrong with it. So it is stored once, however often it arrives.
  yield* execute(sql`
    UPDATE ${inbox} SET mark = CASE mark WHEN 'conflict' THEN mark ELSE ${state} END, note = ${note} WHERE id = ${seq}`)
}
