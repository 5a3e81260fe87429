import {
  applyWindowMove,
  customerLane,
  type CustomerRow,
  setWindowTimers,
  writeCounted,
  type CustomerOfNumber,
  type WindowMove,
} from '../customers.ts'
import type { Counted } from '../rules/items.ts'
import { recordStatus } from '../outbox/statuses.ts'
import { judgeIdentity, type JudgedItem, judgeItem, type IngestOutcome } from './acceptance.ts'
import { forgottenUpto, noteReadLater } from '../meta.ts'
import { hideOptOuts, noteOptOut } from '../opt-outs.ts'
import { isHeldBack } from '../rules/numbers.ts'
import { takeOver } from '../hand-over.ts'
import { inNumbers, sql } from '../statements/sql.ts'
import { grouped, insert, pick, putSome, select, update } from '../statements/statements.ts'
import { blank } from '../statements/tables.ts'
import { contents, inbox, work } from '../tables/inbox-tables.ts'
import { all, allAs, type Known, one, type Branch, execute, sideBySide, type Steps, type Tx } from '../steps.ts'
import { represent, openOutside } from '../work/bundles.ts'
import { GATHERER } from '../work/gathering.ts'
import { arrivedItem, customerOfItem, openItem, type NewItem, type StartedItem } from '../work/items.ts'
import { livingProcess } from '../work/processes.ts'
import { compareWithFirst } from './conflict.ts'
import { type Counting, countIn, overLimit } from './message-limit.ts'
import { unreadSubscriptions, type StoredDelivery } from './unread.ts'
import type { Accepted, Ingested } from './ingested.ts'
import type { Begun, Lease } from '../work/lanes.ts'

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

function laneOrOwn({ number, lane, idx }: NewItem, seq: number): string {
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
function* noteSaid(
  { number, customer, optOut }: NewItem,
  judged: JudgedItem & { readonly id: number },
  isOthers = false,
): Steps<void> {
  if (optOut && customer !== undefined && judged.state !== 'same_message')
    yield* noteOptOut(judged.id, { number, customer }, optOut, isOthers)
}

/** Returns the message of an ordinary delivery, which has one message and moves at most that customer's window. */
function ordinaryItem({ items, windows, statuses, takeovers = [] }: Ingested): NewItem | undefined {
  const [item] = items
  if (!item || items.length > 1 || statuses.length > 0 || takeovers.length > 0) return undefined
  const moves = windows.every((move) => !move.closing?.length && customerLane(move) === item.lane)
  return moves && windows.length <= 1 ? item : undefined
}

/** The most messages and statuses that are stored in one transaction, for which others wait. */
const MOST_AT_ONCE = 128

export function fitsAtOnce({ items, windows, statuses, takeovers = [] }: Ingested): boolean {
  return Math.max(items.length, windows.length + statuses.length + takeovers.length) <= MOST_AT_ONCE
}

function branchesOf(
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

type Guard = (who: CustomerOfNumber, effect: Steps<unknown>) => Steps<unknown>

function unlessForgotten(seq: number): Guard {
  return function* (who, effect) {
    if ((yield* forgottenUpto(who)).items < seq) yield* effect
  }
}

function effectsOf(
  { items, windows, statuses, takeovers = [] }: Ingested,
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
    ...takeovers.map((asked) => ({ keys: [customerLane(asked)], begin: () => guarded(asked, takeOver(asked)) })),
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
function movesOf({ items, windows }: Pick<Ingested, 'items' | 'windows'>, seq: number): Moves {
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

function moveLeft(moves: Moves, now: number): Steps<void> {
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

function* openJudged(tx: Tx, item: NewItem, judged: JudgedItem, o: ItemOpening): Steps<Begun<StartedItem> | undefined> {
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
  const row = moved ?? (yield* customerOfItem(number, customer))
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

interface IngestedPortion {
  readonly outcomes: readonly IngestOutcome[]
  /** How many effects are stored; undefined once all items are stored too. */
  readonly next?: number
}

const NOTHING: IngestedPortion = { outcomes: [] }

/** Stores a delivery's items. A long delivery takes several calls, and is unread meanwhile. `from`: see `IngestedPortion.next`. */
export function* ingest(tx: Tx, seq: number, ingested: Ingested, now: number, from = 0): Steps<IngestedPortion> {
  if (tx.databaseState.newerSchema !== undefined) return NOTHING
  const unread = yield* allAs<Unread>(sql`
    SELECT i.id, i.idx, i.kind, i.mark, i.cause, i.lane, i.bundle, w.attempts, w.completed
    FROM ${inbox} i JOIN ${work} w ON w.item = i.id
    WHERE (i.id = ${seq} OR i.delivery = ${seq}) AND w.state = 'unread' ORDER BY i.idx`)
  if (unread.length === 0) return NOTHING
  const hasItems = unread.some(({ kind }) => kind !== undefined)
  if (ingested.state === 'conflict') {
    // A slow process read the delivery as a conflict, but a person has retried it meanwhile. It stays unread.
    if (unread[0]?.mark !== 'conflict') return NOTHING
    yield* endUnread(tx, unread)
    return { outcomes: yield* compareWithFirst(seq, ingested.items) }
  }
  if (ingested.state === 'ingested' || !hasItems) return yield* replace(tx, { seq, ingested, now, from }, unread)
  // The delivery could not be understood this time either. Parked items stay parked.
  yield* execute(sql`
    UPDATE ${work} SET state = 'parked', number = (SELECT number FROM ${inbox} WHERE id = item)
    WHERE item ${inNumbers(idsOf(unread))} AND state = 'unread'`)
  tx.databaseState.unread = yield* unreadSubscriptions()
  return NOTHING
}

interface Unread {
  readonly id: number
  readonly idx: number
  readonly kind: string | undefined
  readonly mark: string | undefined
  readonly cause: string | undefined
  readonly lane: string | undefined
  readonly bundle: number | undefined
  readonly attempts: number
  readonly completed: string | undefined
}

function* endUnread(tx: Tx, unread: readonly Unread[]): Steps<void> {
  if (unread.length === 0) return
  yield* execute(sql`DELETE FROM ${work} WHERE item ${inNumbers(idsOf(unread))} AND state = 'unread'`)
  tx.databaseState.unread = yield* unreadSubscriptions()
}

function idsOf(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id)
}

interface Replacing {
  readonly seq: number
  readonly ingested: Ingested
  readonly now: number
  readonly from: number
}

function* replace(tx: Tx, { seq, ingested, now, from }: Replacing, unread: readonly Unread[]): Steps<IngestedPortion> {
  const effects = effectsOf(ingested, seq, now, unlessForgotten(seq))
  yield* sideBySide(effects.slice(from, from + MOST_AT_ONCE))
  const next = Math.min(effects.length, from + MOST_AT_ONCE)
  if (next < effects.length) return { outcomes: [], next }
  const known = yield* all<{ id: number; idx: number; kind: string | null }>(sql`
    SELECT id, idx, kind FROM ${inbox} WHERE id = ${seq} OR delivery = ${seq}`)
  const kept = new Set(
    known.filter(({ id, kind }) => kind !== null && unread.every((row) => row.id !== id)).map(({ idx }) => idx),
  )
  const ids = new Map(known.map(({ id, idx }) => [idx, id]))
  const left = lastOf(ingested.items, unread[0]?.idx, seq).filter(({ idx }) => !kept.has(idx))
  const items = left.slice(0, MOST_AT_ONCE)
  const isWhole = items.length === left.length
  const storing = new Set(items.map(({ idx }) => idx))
  const ended = isWhole ? unread : unread.filter(({ idx }) => storing.has(idx))
  yield* endUnread(tx, ended)
  if (isWhole && ingested.state !== 'ingested') yield* putToRest(seq, ingested)
  yield* removeItems(seq, ended, ingested.items)
  const moves = movesOf(fitsAtOnce(ingested) ? ingested : { ...ingested, items }, seq)
  const outcomes: IngestOutcome[] = []
  const store = function* (item: NewItem): Steps<unknown> {
    const before = ended.find(({ idx, kind }) => idx === item.idx && kind !== undefined)
    const ran = before && runBefore(before, laneOrOwn(item, seq))
    const judged = yield* storeItem(tx, item, { seq, id: ids.get(item.idx) }, now, ran)
    const { number, customer } = item
    if (item.optOut) yield* noteSaid(item, judged, before && before.lane !== laneOrOwn(item, seq))
    if (customer !== undefined && (yield* noteReadLater({ number, customer }, seq, judged.id))) {
      moves.delete(laneOrOwn(item, seq))
      if (item.optOut) yield* hideOptOuts({ number, customer })
      return yield* execute(sql`UPDATE ${inbox} SET mark = coalesce(mark, 'ignored') WHERE id = ${judged.id}`)
    }
    if (judged.outcome !== undefined) outcomes.push({ idx: item.idx, identity: judged.outcome })
    const { completed, bundle: rejoins } = ran ?? {}
    const counting = before ? undefined : { limit: item.limit, outcomes }
    yield* openJudged(tx, item, judged, { seq, now, id: judged.id, moves, completed, rejoins, counting })
  }
  yield* sideBySide(branchesOf(items, seq, store))
  // A bundle that an item has left is complete without that item.
  for (const { bundle, lane } of ended)
    if (bundle !== undefined && lane !== undefined) yield* represent(bundle, lane, now)
  yield* moveLeft(moves, now)
  return { outcomes: outcomes.toSorted((a, b) => a.idx - b.idx), ...(!isWhole && { next }) }
}

/**
 * Sorts the lanes by the time of their items. The lane of the item whose row marks the delivery as unread is last:
 * until that row is replaced, no other item of the delivery begins.
 */
function lastOf(items: readonly NewItem[], marked: number | undefined, seq: number): readonly NewItem[] {
  if (items.length <= MOST_AT_ONCE) return items
  const marking = items.find(({ idx }) => idx === marked)
  const lane = marking && laneOrOwn(marking, seq)
  const rank = (item: NewItem) => (item === marking ? 2 : Number(laneOrOwn(item, seq) === lane))
  return items.toSorted((a, b) => rank(a) - rank(b) || a.at - b.at)
}

/** Returns an item's earlier run. A bundle's item that a corrected mapping gives to another customer begins again. */
function runBefore(row: Unread, lane: string): Unread | undefined {
  if (row.attempts === 0) return undefined
  return row.bundle !== undefined && row.lane !== lane ? undefined : row
}

/** Removes items of an earlier reading, which frees their identities. Results of `once` stay for the new items. */
function* removeItems(seq: number, unread: readonly Unread[], items: readonly NewItem[]): Steps<void> {
  const read = unread.filter(({ kind }) => kind !== undefined)
  if (read.length === 0) return
  yield* execute(
    sql`UPDATE ${inbox} SET identity = NULL, claimant = NULL, bundle = NULL WHERE id ${inNumbers(idsOf(read))}`,
  )
  const gone = read.filter((row) => items.every(({ idx }) => idx !== row.idx))
  for (const table of [sql`once_results WHERE item`, sql`contents WHERE id`, sql`inbox WHERE id`])
    yield* execute(sql`DELETE FROM ${table} ${inNumbers(idsOf(gone.filter(({ id }) => id !== seq)))}`)
  if (gone.some(({ id }) => id === seq))
    yield* execute(sql`
      UPDATE ${inbox} SET kind = NULL, number = NULL, customer = NULL, lane = NULL, at = NULL, cause = NULL, mark = NULL
      WHERE id = ${seq}`)
}

const CLAIMED = grouped(pick(inbox, 'number', 'identity'), (message) => select(['claimant'], inbox, message))

const ADD = grouped(
  pick(
    inbox,
    'id',
    'idx',
    'delivery',
    'received_at',
    'mark',
    'kind',
    'number',
    'customer',
    'lane',
    'at',
    'cause',
    'identity',
    'claimant',
  ),
  (given) => insert(inbox, { ...blank(inbox), ...given, clock_offset: 0, repeats: 0 }, { keys: ['id'] }),
)

const ADD_FACTS = grouped(pick(contents, 'id', 'facts'), (given) =>
  insert(contents, { ...blank(contents), ...given }, { keys: ['id'] }),
)

function* storeItem(
  tx: Tx,
  item: NewItem,
  { seq, id: known }: { readonly seq: number; readonly id: number | undefined },
  now: number,
  ran?: Pick<Unread, 'cause'>,
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

function* putToRest(seq: number, { state, note }: Ingested): Steps<void> {
  // A conflict stays a conflict, whatever else is wrong with it. So it is stored once, however often it arrives.
  yield* execute(sql`
    UPDATE ${inbox} SET mark = CASE mark WHEN 'conflict' THEN mark ELSE ${state} END, note = ${note} WHERE id = ${seq}`)
}
