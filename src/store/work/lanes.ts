import { type Query, sql } from '../statements/sql.ts'
import { grouped, update } from '../statements/statements.ts'
import { all, besideUntilLong, one, execute, type Steps, type Tx, valuesOf } from '../steps.ts'
import { work } from '../tables/inbox-tables.ts'
import { sends } from '../tables/outbox-tables.ts'
import { numbersWithShare, takeFrom, type SharedRoom } from '../rules/room.ts'

/** Returns the number of a lane. The key of a lane begins with the name of its number, which contains no slash. */
export function numberOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/**
 * One run of an item or a send. Each effect checks it in its transaction; an effect of an earlier run changes nothing.
 */
export interface Fence {
  readonly lane: string
  /** The id of the item, or of the send. */
  readonly of: number | string
  /** The number of the process that runs the item or send, and has the lease. */
  readonly owner: number
  /** A counter that rises each time the item or send begins. */
  readonly run: number
}

export interface Lease {
  /** The name of the process. No other process ever has it. */
  readonly processName: string
  readonly now: number
  readonly leaseMs: number
  /** Observations of other processes' clocks; undefined if all processes use the clock of a server. */
  readonly others?: Others | undefined
}

/** What a process has observed about the clocks of others. */
export interface Others {
  /** Leases that seem to have ended long ago, by the number of their process. `since`: of the last renewal. */
  readonly lapsed: Map<number, { readonly until: number; readonly since: number; readonly isRenewed: boolean }>
  /** True if a process had a lease that this clock cannot have given. */
  ahead?: boolean | undefined
}

export interface Claim extends Lease {
  /** How many lanes are reserved for the claim. */
  readonly limit: number
  /** Set if several numbers share the room. Default: one number may have all of `limit`. */
  readonly shared?: SharedRoom | undefined
  /** The number that was served last. Numbers behind it, by name, go first. Default: by name from the first. */
  readonly after?: string | undefined
  /** Begin suspects too: see `StartedItem.suspect`. Default true. */
  readonly suspects?: boolean
  /**
   * Claim no item of a number while its subscription has unread deliveries, unless the subscription is one of these.
   * Default: claim all that is ready.
   */
  readonly unlessUnread?: readonly string[]
  /** Service time, by which scheduled sends and timers are due. Default `now`. */
  readonly serviceNow?: number
  /** Report sends that failed because their process has ended, as items. */
  readonly tells?: boolean
}

export interface Begun<Work> {
  readonly fence: Fence
  readonly work: Work
  /** True if it keeps its room until it is settled, because another row waits behind it or is likely to. */
  readonly isFollowed?: boolean
}

export interface Claimed<Work> {
  readonly begun: readonly Begun<Work>[]
  /** Wall time at which the next lane is ready; undefined if none waits. */
  readonly nextAt: number | undefined
  /** With `unlessUnread`: the subscriptions that have unread deliveries. */
  readonly unread?: readonly string[]
  /** Set if nothing was claimed because this process was declared dead. It needs another name. */
  readonly dead?: true
  /** The version of a newer schema, if a newer release has migrated the database. Nothing is claimed here any more. */
  readonly newerSchema?: number
}

/** How the lane continues. With `goOn` the lane's next work begins at once: the lane has kept its room. */
export interface Next {
  readonly now: number
  readonly goOn: boolean
}

/**
 * Lanes. Of the open rows of a lane at most one is first: its place is 0 while it waits, and 1 while it runs. Others
 * have place 2. `followed` is 1 if another row may wait behind: it is set when a row enters behind this one, and when a
 * waiting row becomes the first. While it is 0, a row can leave the lane without a search behind it.
 */

const AHEAD = {
  work: grouped({ lane: work.lane }, ({ lane }) => update(work, { followed: 1 }, sql`lane = ${lane} AND place < 2`)),
  sends: grouped({ lane: sends.lane }, ({ lane }) => update(sends, { followed: 1 }, sql`lane = ${lane} AND place < 2`)),
} as const

const NEXT = {
  work: grouped(
    { lane: work.lane },
    ({ lane }) => sql<Id>`SELECT item AS id FROM ${work} WHERE lane = ${lane} AND place = 2 ORDER BY at, item LIMIT 1`,
  ),
  sends: grouped(
    { lane: sends.lane },
    ({ lane }) => sql<Id>`SELECT seq AS id FROM ${sends} WHERE lane = ${lane} AND place = 2 ORDER BY seq LIMIT 1`,
  ),
} as const

const OLDER = {
  work: grouped(
    { lane: work.lane, id: work.item },
    ({ lane, id }) => sql<Id>`
      SELECT item AS id FROM ${work} WHERE lane = ${lane} AND place = 2
        AND (at, item) < (SELECT at, item FROM ${work} WHERE item = ${id}) ORDER BY at, item LIMIT 1`,
  ),
  sends: grouped(
    { lane: sends.lane, id: sends.seq },
    ({ lane, id }) => sql<Id>`
      SELECT seq AS id FROM ${sends} WHERE lane = ${lane} AND place = 2 AND seq < ${id} ORDER BY seq LIMIT 1`,
  ),
} as const

const BECOMES_FIRST = {
  work: grouped({ due: work.due, id: work.item }, ({ due, id }) =>
    update(work, { place: 0, followed: 1, due: sql`coalesce(${due}, due)` }, { item: id }),
  ),
  sends: grouped({ due: work.due, id: sends.seq }, ({ due, id }) =>
    update(sends, { place: 0, followed: 1, next_at: sql`coalesce(${due}, next_at)` }, { seq: id }),
  ),
} as const

const ONE_MORE = sql`run + 1`

const BEGIN = {
  work: grouped({ followed: work.followed, owner: work.owner, id: work.item }, ({ followed, owner, id }) =>
    update(
      work,
      { followed, place: 1, owner, run: ONE_MORE, state: 'running', attempts: sql`attempts + 1`, interrupted: 0 },
      { item: id },
    ),
  ),
  sends: grouped({ followed: sends.followed, owner: sends.owner, id: sends.seq }, ({ followed, owner, id }) =>
    update(sends, { followed, place: 1, owner, run: ONE_MORE }, { seq: id }),
  ),
} as const

interface Id {
  readonly id: number
}

type Table = keyof typeof AHEAD

const TABLE = {
  work: { name: work, id: work.item, due: work.due },
  sends: { name: sends, id: sends.seq, due: sends.next_at },
} as const satisfies Record<Table, { name: Query; id: Query; due: Query }>

export function* markFollowed(table: Table, lane: string): Steps<void> {
  yield AHEAD[table]({ lane })
}

export function* enterLane(table: Table, id: number, lane: string, due: number): Steps<void> {
  const { name, id: key, due: dueColumn } = TABLE[table]
  const entered = yield* one<{ place: number }>(sql`
    UPDATE ${name} SET ${dueColumn} = ${due}, place = CASE WHEN EXISTS (
        SELECT 1 FROM ${name} o WHERE o.lane = ${lane} AND o.place < 2) THEN 2 ELSE 0 END
    WHERE ${key} = ${id} RETURNING place`)
  if (entered?.place === 2) yield* markFollowed(table, lane)
}

/** Makes the next row of a lane its first, which may begin from `due` on. */
export function* promote(table: Table, lane: string, due?: number): Steps<number | undefined> {
  const next = yield* one(NEXT[table]({ lane }))
  if (next) yield BECOMES_FIRST[table]({ due, id: next.id })
  return next?.id
}

export function* leaveLane(
  tx: Pick<Tx, 'wake'>,
  { id, lane }: { readonly id: string; readonly lane: string },
): Steps<void> {
  // Another send that left the lane may have made this one the first after its row was read.
  const place = (yield* one<{ place: number | null }>(sql`SELECT place FROM ${sends} WHERE id = ${id}`))?.place ?? null
  if (place === null) return
  yield* execute(update(sends, { place: null, owner: null }, { id }))
  if (place < 2 && (yield* promote('sends', lane)) !== undefined) tx.wake('sends')
}

/**
 * Chooses the first row of a lane. An older row may have entered behind one that was never attempted. A row that was
 * attempted keeps its place.
 */
export function* firstToBegin(table: Table, { id, lane }: Pick<First, 'id' | 'lane'>): Steps<number> {
  const older = yield* one(OLDER[table]({ lane, id }))
  if (!older) return id
  const { name, id: key } = TABLE[table]
  yield* execute(sql`UPDATE ${name} SET place = 2 WHERE ${key} = ${id}`)
  yield* execute(sql`UPDATE ${name} SET place = 0, followed = 1 WHERE ${key} = ${older.id}`)
  return older.id
}

// ── claims ──────────────────────────────────────────────────────────────────────────────────────────

export interface First {
  readonly id: number
  readonly lane: string
  readonly number: string
}

/**
 * Returns first rows of lanes: of each number the one that waits longest, then of each number the next. So thousands of
 * lanes delay another number by one row.
 */
export function* firstsOf<Row extends First>(
  table: Table,
  numbers: readonly string[],
  { now, limit, shared }: Claim,
  o: { readonly columns: Query; readonly condition: Query },
): Steps<readonly Row[]> {
  const { name, id, due } = TABLE[table]
  const full = new Set(shared && numbersWithShare(shared))
  const lists: (readonly Row[])[] = []
  for (const number of numbers) {
    if (full.has(number)) continue
    const rows = yield* all<Row>(sql`
      SELECT ${id} AS id, lane, number, ${o.columns} FROM ${name}
      WHERE place = 0 AND number = ${number} AND ${due} <= ${now} AND ${o.condition}
      ORDER BY ${due}, ${id} LIMIT ${limit + 1}`)
    if (rows.length > 0) lists.push(rows)
    if (lists.length > limit) break
  }
  return interleaved(lists).slice(0, limit + 1)
}

/**
 * Lists the numbers that have waiting rows, once in a claim. While an old transaction is open, this query reads past
 * every row that has begun since.
 */
export function* numbersWaiting(table: Table, { after }: Pick<Claim, 'after'>): Steps<readonly string[]> {
  const rows = yield* all<{ value: string }>(valuesOf(sql`number`, sql`${TABLE[table].name} WHERE place = 0`))
  const numbers = rows.map(({ value }) => value)
  if (after === undefined) return numbers
  return [...numbers.filter((number) => number > after), ...numbers.filter((number) => number <= after)]
}

export function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat()
}

export function* nextDue(table: Table, numbers: readonly string[], now: number): Steps<number | undefined> {
  const { name, due } = TABLE[table]
  const times: (number | null | undefined)[] = []
  for (const number of numbers) {
    const row = yield* one<{ at: number | null }>(sql`
      SELECT min(${due}) AS at FROM ${name} WHERE place = 0 AND number = ${number} AND ${due} > ${now}`)
    times.push(row?.at)
  }
  return earliest(...times)
}

export function earliest(...times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((at) => at !== null && at !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** What the transaction has read of a row that it may begin. */
export interface Beginning {
  readonly id: number
  readonly lane: string
  readonly run: number
  /** 1 if another row may be behind it once it has begun. */
  readonly followed: number
}

/** Begins a row. A row that was behind another becomes the first of its lane in the same statement. */
export function* begin(
  table: Table,
  { id, lane, run, followed }: Beginning,
  owner: number,
  of: number | string,
): Steps<{ readonly fence: Fence; readonly isFollowed: boolean }> {
  yield BEGIN[table]({ followed, owner, id })
  return { fence: { lane, of, owner, run: run + 1 }, isFollowed: followed === 1 }
}

export function* countBehind(lane: string): Steps<number> {
  return (yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM ${work} WHERE lane = ${lane} AND place = 2`))?.n ?? 0
}

export const MOST_IN_ONE_COMMIT = 256

/** Begins the first rows of lanes, as many as room is reserved for. */
export function* beginEach<Row extends First, Work>(
  tx: Tx,
  firsts: readonly Row[],
  { limit, shared }: Claim,
  start: (first: Row) => Steps<Begun<Work>>,
): Steps<readonly Begun<Work>[]> {
  const begun: Begun<Work>[] = []
  const take = takeFrom(shared)
  const parts = firsts.slice(0, limit).map((first, nth) => ({
    keys: [first.lane],
    begin: () => beginAt(begun, nth, take(first.number) ? start(first) : undefined),
  }))
  if (parts.length > 0) tx.alone()
  yield* besideUntilLong(tx, parts)
  return begun.flat()
}

// This function is not nested: for each generator made there, V8 would keep a hidden class, and the row with it.
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
  const parts = due.map((row) => ({ keys: [row.lane], begin: () => enter(row) }))
  return (yield* besideUntilLong(tx, parts)) && due.length < MOST_IN_ONE_COMMIT
}
