import { noteReadLater } from '../customers/forgotten.ts'
import { hideOptOuts } from '../outbox/opt-outs.ts'
import { inNumbers, sql } from '../database/sql.ts'
import { grouped, pick } from '../database/statements.ts'
import { inbox, work } from '../database/inbox-tables.ts'
import { all, allAs, execute, exists, sideBySide, type Steps, together, type Tx } from '../database/steps.ts'
import { represent } from '../work/bundles.ts'
import type { NewItem } from '../work/items.ts'
import {
  type Ingested,
  type IngestOutcome,
  branchesOf,
  changesBeside,
  fitsAtOnce,
  laneOrOwn,
  MOST_AT_ONCE,
  moveLeft,
  movesOf,
  noteSaid,
  openJudged,
  putToRest,
  storeItem,
  unlessForgotten,
} from './arrive.ts'
import { unreadSubscriptions } from './unread.ts'

interface IngestedPortion {
  readonly outcomes: readonly IngestOutcome[]
  /** Where the next call begins: how many changes other than items are stored. Undefined if everything is stored. */
  readonly next?: number
}

const NOTHING: IngestedPortion = { outcomes: [] }

/**
 * Stores a delivery's items. A long delivery takes several calls, and is unread until the last. `from`: the `next` of
 * the call before; 0 at first.
 */
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
  const changes = changesBeside(ingested, seq, now, unlessForgotten(seq))
  yield* sideBySide(changes.slice(from, from + MOST_AT_ONCE))
  const next = Math.min(changes.length, from + MOST_AT_ONCE)
  if (next < changes.length) return { outcomes: [], next }
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
    const isCounted = before !== undefined
    yield* openJudged(tx, item, judged, { seq, now, moves, completed, rejoins, outcomes, isCounted })
  }
  yield* sideBySide(branchesOf(items, seq, store))
  // An item may have left its bundle. Then the remaining items are the whole bundle, and may begin.
  for (const { bundle, lane } of ended)
    if (bundle !== undefined && lane !== undefined) yield* represent(bundle, lane, now)
  yield* moveLeft(moves, now)
  return { outcomes: outcomes.toSorted((a, b) => a.idx - b.idx), ...(!isWhole && { next }) }
}

/**
 * Sorts items by time. Items in the lane of the item whose row marks the delivery as unread come last: until that row
 * is replaced, no other item of the delivery begins.
 */
function lastOf(items: readonly NewItem[], marked: number | undefined, seq: number): readonly NewItem[] {
  if (items.length <= MOST_AT_ONCE) return items
  const marking = items.find(({ idx }) => idx === marked)
  const lane = marking && laneOrOwn(marking, seq)
  const rank = (item: NewItem) => (item === marking ? 2 : Number(laneOrOwn(item, seq) === lane))
  return items.toSorted((a, b) => rank(a) - rank(b) || a.at - b.at)
}

/** Returns an item's earlier run. An item that left its bundle for another lane has none, and begins again. */
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

// ── conflicts ───────────────────────────────────────────────────────────────────────────────────────

const IN_FIRST = grouped(
  pick(inbox, 'id', 'number', 'identity', 'claimant'),
  ({ id, number, identity, claimant }) => sql`
    SELECT 1 AS found FROM ${inbox} d JOIN ${inbox} i ON i.id = d.first OR i.delivery = d.first
    WHERE d.id = ${id} AND i.number = ${number} AND i.identity = ${identity} AND i.claimant = ${claimant} LIMIT 1`,
)

const NONE = { key: undefined, claimant: undefined }

/** Compares a conflict with the first delivery under its id, which may have the same messages in other bytes. */
function* compareWithFirst(seq: number, items: readonly NewItem[]): Steps<IngestOutcome[]> {
  const inFirst = yield* together<boolean[]>(
    ...items.map(
      ({ number, identity: { key: identity, claimant } = NONE }) =>
        () =>
          exists(IN_FIRST({ id: seq, number, identity, claimant })),
    ),
  )
  if (inFirst.length === 0 || inFirst.includes(false)) return [{ idx: 0, identity: 'conflict' }]
  yield* execute(sql`
    UPDATE ${inbox} SET mark = 'rendered_anew', note = 'the same message as the first one under this id, in other bytes'
    WHERE id = ${seq}`)
  return []
}
