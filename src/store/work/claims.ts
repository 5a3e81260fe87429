import { interleaved, numbersWithShare, takeFrom } from './share.ts'
import { AT_ONCE, earliest } from './item-rules.ts'
import { type Query, sql } from '../database/sql.ts'
import { all, sideBySideUntilLong, one, type Steps, type Tx, valuesOf } from '../database/steps.ts'
import { declareDead, nextLeaseEnd } from './processes.ts'
import { type Begun, type Claim, type Claimed, type First, type InLanes, LANES, livingProcess } from './lanes.ts'

/** How items, or sends, are claimed. */
interface Claiming<Row extends First, Work> {
  /** Returns false for a number whose rows may not begin now. Default: all may. */
  mayClaim?(number: string): boolean
  /** Moves rows that are due into their lanes. Returns false if more are due. */
  enter(): Steps<boolean>
  /** Finds rows that may begin: one more than the limit if there are more. */
  firsts(waiting: readonly string[]): Steps<readonly Row[]>
  begin(first: Row, process: number): Steps<Begun<Work>>
  /** The next wall time at which a throttle's pause ends, or at which an item without a place in its lane is due. */
  otherTime(): Steps<number | null | undefined>
}

/** Begins the first rows of lanes, as many as room is reserved for. */
export function* claimFirsts<Row extends First, Work>(
  tx: Tx,
  kind: InLanes,
  claim: Claim,
  { mayClaim = () => true, enter, firsts, begin, otherTime }: Claiming<Row, Work>,
): Steps<Claimed<Work>> {
  const { now } = claim
  const { newerSchema } = tx.databaseState
  if (newerSchema !== undefined) return { begun: [], nextAt: undefined, newerSchema }
  const process = yield* livingProcess(tx, claim, tx.alone)
  if (process === undefined) return { begun: [], nextAt: undefined, dead: true }
  yield* declareDead(tx, process, claim)
  const isWhole = yield* enter()
  const numbers = (yield* numbersWaiting(kind, claim)).filter((number) => mayClaim(number))
  const found = yield* firsts(numbers)
  const begun = yield* beginEach(tx, found, claim, (first) => begin(first, process))
  if (!isWhole || found.length > begun.length) return { begun, nextAt: AT_ONCE }
  const due = yield* nextDue(kind, numbers, now)
  return { begun, nextAt: earliest(due, yield* otherTime(), yield* nextLeaseEnd(kind, process, now)) }
}

/**
 * Returns first rows of lanes: of each number the one that waits longest, then of each number the next. So if one
 * number has thousands of lanes, another number waits for only one of them.
 */
export function* firstsOf<Row extends First>(
  kind: InLanes,
  numbers: readonly string[],
  { now, limit, shared }: Claim,
  o: { readonly columns: Query; readonly condition: Query },
): Steps<readonly Row[]> {
  const { table, id, due } = LANES[kind]
  const full = new Set(shared && numbersWithShare(shared))
  const lists: (readonly Row[])[] = []
  for (const number of numbers) {
    if (full.has(number)) continue
    const rows = yield* all<Row>(sql`
      SELECT ${id} AS id, lane, number, ${o.columns} FROM ${table}
      WHERE place = 0 AND number = ${number} AND ${due} <= ${now} AND ${o.condition}
      ORDER BY ${due}, ${id} LIMIT ${limit + 1}`)
    if (rows.length > 0) lists.push(rows)
    if (lists.length > limit) break
  }
  return interleaved(lists).slice(0, limit + 1)
}

/**
 * Lists the numbers that have waiting rows. A claim calls this once, because the query is slow while an old transaction
 * is open: it then reads index entries of all rows that have begun since.
 */
export function* numbersWaiting(kind: InLanes, { after }: Pick<Claim, 'after'> = {}): Steps<readonly string[]> {
  const rows = yield* all(valuesOf(sql`number`, sql`${LANES[kind].table} WHERE place = 0`))
  const numbers = rows.map(({ value }) => value)
  if (after === undefined) return numbers
  return [...numbers.filter((number) => number > after), ...numbers.filter((number) => number <= after)]
}

function* nextDue(kind: InLanes, numbers: readonly string[], now: number): Steps<number | undefined> {
  const { table, due } = LANES[kind]
  const times: (number | null | undefined)[] = []
  for (const number of numbers) {
    const row = yield* one<{ at: number | null }>(sql`
      SELECT min(${due}) AS at FROM ${table} WHERE place = 0 AND number = ${number} AND ${due} > ${now}`)
    times.push(row?.at)
  }
  return earliest(...times)
}

export const MOST_IN_ONE_COMMIT = 256

function* beginEach<Row extends First, Work>(
  tx: Tx,
  firsts: readonly Row[],
  { limit, shared }: Claim,
  start: (first: Row) => Steps<Begun<Work>>,
): Steps<readonly Begun<Work>[]> {
  const begun: Begun<Work>[] = []
  const take = takeFrom(shared)
  const branches = firsts.slice(0, limit).map((first, nth) => ({
    keys: [first.lane],
    begin: () => beginAt(begun, nth, take(first.number) ? start(first) : undefined),
  }))
  if (branches.length > 0) tx.alone()
  yield* sideBySideUntilLong(tx, branches)
  return begun.flat()
}

// This function is not nested: otherwise V8 would keep a hidden class for each call, and the row with it.
function* beginAt<Work>(begun: Begun<Work>[], nth: number, started: Steps<Begun<Work>> | undefined): Steps<void> {
  if (started) begun[nth] = yield* started
}

/** Moves due rows into their lanes. Returns false if more rows are due than were read. */
export function* enterEach<Row extends { readonly lane: string }>(
  tx: Pick<Tx, 'isLong' | 'alone'>,
  due: readonly Row[],
  enter: (row: Row) => Steps<void>,
): Steps<boolean> {
  if (due.length > 0) tx.alone()
  const branches = due.map((row) => ({ keys: [row.lane], begin: () => enter(row) }))
  return (yield* sideBySideUntilLong(tx, branches)) === due.length && due.length < MOST_IN_ONE_COMMIT
}
