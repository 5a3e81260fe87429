import { joined, NOTHING, type Query, sql } from '../database/sql.ts'
import { type Cells, grouped, notByIndex, pick, select, update } from '../database/statements.ts'
import type { Column, ColumnType, Table } from '../database/table.ts'
import { exists, one, execute, type Steps, type Tx } from '../database/steps.ts'
import { processes, work } from '../database/inbox-tables.ts'
import { sends } from '../database/outbox-tables.ts'
import type { SharedRoom } from './share.ts'

/**
 * One run of an item or a send. Each effect checks in its transaction that this run still has the lane; an effect of an
 * earlier run changes nothing. Two processes never own one lane: a process checks that it is not dead, and marks what
 * it begins, in one transaction. Another process declares it dead and frees its items, also in one transaction.
 */
export interface Fence {
  readonly lane: string
  /** The id of the item, or of the send. */
  readonly of: number | string
  /** The id of the process that runs the item or send. */
  readonly owner: number
  /** A counter that rises each time the item or send begins. */
  readonly run: number
}

/** The longest lease that a process is given. */
export const LEASE_MS = 10_000

export interface Lease {
  /** The name of the process. No other process ever has it. */
  readonly processName: string
  readonly now: number
  readonly leaseMs: number
  /** Observations of other processes' clocks; undefined if all processes use the clock of a server. */
  readonly others?: Others | undefined
}

/** The observations of a process about the clocks of others. */
export interface Others {
  /**
   * Leases that seem to have ended long ago, by the id of their process. `since`: when this process first saw that end.
   * `isRenewed`: this process had seen an earlier end of that lease before.
   */
  readonly lapsed: Map<number, { readonly until: number; readonly since: number; readonly isRenewed: boolean }>
  /** True if a lease ended more than a minute later than any lease that this process's clock gives. */
  ahead?: boolean | undefined
}

export interface Claim extends Lease {
  /** How many lanes are reserved for the claim. */
  readonly limit: number
  /** Set if several numbers share the room. Default: one number may have all of `limit`. */
  readonly shared?: SharedRoom | undefined
  /** The number whose row began last. Later numbers, in the order of names, go first. Default: all in that order. */
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
  /** True if the lane keeps its room when the work is settled, because another row waits behind it or is likely to. */
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

/** With `goOn` the lane's next work begins in the settlement, because the lane still has its room. */
export interface Next {
  readonly now: number
  readonly goOn: boolean
}

/**
 * Lanes. Of the open rows of a lane at most one is first: its place is 0 while it waits, and 1 while it runs. Others
 * have place 2. `followed` is 1 if another row may wait behind: it is set when a row enters behind this one, and when a
 * waiting row becomes the first. While it is 0, a row can leave the lane without a search for the next row.
 */
type LaneTable = Table<{
  readonly lane: ColumnType<string | null>
  readonly place: ColumnType<number | null>
  readonly owner: ColumnType<number | null>
  readonly run: ColumnType<number>
  readonly followed: ColumnType<number>
}>

interface Id {
  readonly id: number
}

/**
 * Makes the statements of a table with lanes. `id`: the key of a row. `fenced`: the column that a fence names. `due`:
 * wall time from which a row may begin. `order`: the order of the rows behind the first. `begins`: further columns that
 * change when a row begins. `freed`: a condition of the rows that return to their lane when their process has ended.
 */
function lanesIn<T extends LaneTable>(o: {
  readonly table: T
  readonly id: Column<number>
  readonly fenced: Column<number | string>
  readonly due: Column<number | null>
  readonly order: readonly Column[]
  readonly begins?: Partial<Cells<T>>
  readonly freed?: Query
}) {
  const { id, due, begins = {}, freed = sql`true` } = o
  const table: LaneTable = o.table
  const { lane, owner, followed } = table
  const order = joined(o.order, ', ')
  const waiting = (lane: Query, older = NOTHING) => sql<Id>`
    SELECT ${id} AS id FROM ${table} WHERE lane = ${lane} AND place = 2 ${older} ORDER BY ${order} LIMIT 1`
  return {
    ...o,
    freed,
    follow: grouped({ lane }, ({ lane }) => update(table, { followed: 1 }, sql`lane = ${lane} AND place < 2`)),
    next: grouped({ lane }, ({ lane }) => waiting(lane)),
    older: grouped({ lane, than: id }, ({ lane, than }) =>
      waiting(lane, sql`AND (${order}) < (SELECT ${order} FROM ${table} WHERE ${id} = ${than})`),
    ),
    becomeFirst: grouped({ at: due, row: id }, ({ at, row }) =>
      update(table, { place: 0, followed: 1, [due.name]: sql`coalesce(${at}, ${due})` }, sql`${id} = ${row}`),
    ),
    begin: grouped({ followed, owner, row: id }, ({ followed, owner, row }) =>
      update(table, { ...begins, followed, place: 1, owner, run: sql`run + 1` }, sql`${id} = ${row}`),
    ),
  }
}

export const LANES = {
  work: lanesIn({
    table: work,
    id: work.item,
    fenced: work.item,
    due: work.due,
    order: [work.at, work.item],
    begins: { state: 'running', attempts: sql`attempts + 1`, interrupted: 0 },
  }),
  // A body that is withheld is lost with its process, so its send does not begin again.
  sends: lanesIn({
    table: sends,
    id: sends.seq,
    fenced: sends.id,
    due: sends.next_at,
    order: [sends.seq],
    freed: sql`withheld = 0`,
  }),
} as const

export type InLanes = keyof typeof LANES

export function* markFollowed(kind: InLanes, lane: string): Steps<void> {
  yield LANES[kind].follow({ lane })
}

export function* enterLane(kind: InLanes, row: number, lane: string, at: number): Steps<void> {
  const { table, id, due } = LANES[kind]
  const entered = yield* one<{ place: number }>(sql`
    UPDATE ${table} SET ${due} = ${at}, place = CASE WHEN EXISTS (
        SELECT 1 FROM ${table} o WHERE o.lane = ${lane} AND o.place < 2) THEN 2 ELSE 0 END
    WHERE ${id} = ${row} RETURNING place`)
  if (entered?.place === 2) yield* markFollowed(kind, lane)
}

/** Makes the next row of a lane its first, which may begin from `at` on. */
export function* promote(kind: InLanes, lane: string, at?: number): Steps<number | undefined> {
  const next = yield* one(LANES[kind].next({ lane }))
  if (next) yield LANES[kind].becomeFirst({ at, row: next.id })
  return next?.id
}

export function* leaveLane(
  tx: Pick<Tx, 'wake'>,
  { id, lane }: { readonly id: string; readonly lane: string },
): Steps<void> {
  // After its row was read, this send may have become the first: another send may have left the lane.
  const place = (yield* one<{ place: number | null }>(sql`SELECT place FROM ${sends} WHERE id = ${id}`))?.place ?? null
  if (place === null) return
  yield* execute(update(sends, { place: null, owner: null }, { id }))
  if (place < 2 && (yield* promote('sends', lane)) !== undefined) tx.wake('sends')
}

/**
 * Chooses the row that begins: an older row that has entered behind the first one, or else the first. Do not call it
 * for a first row that was attempted, because that row stays the first.
 */
export function* firstToBegin(kind: InLanes, { id: first, lane }: Pick<First, 'id' | 'lane'>): Steps<number> {
  const { table, id, older } = LANES[kind]
  const found = yield* one(older({ lane, than: first }))
  if (!found) return first
  yield* execute(sql`UPDATE ${table} SET place = 2 WHERE ${id} = ${first}`)
  yield* execute(sql`UPDATE ${table} SET place = 0, followed = 1 WHERE ${id} = ${found.id}`)
  return found.id
}

/** The first row of a lane. */
export interface First {
  readonly id: number
  readonly lane: string
  readonly number: string
}

/** A row that may begin, as the transaction has read it. */
export interface Beginning {
  readonly id: number
  readonly lane: string
  readonly run: number
  /** 1 if another row may be behind it once it has begun. */
  readonly followed: number
}

/** Begins a row. A row that was behind another becomes the first of its lane in the same statement. */
export function* begin(
  kind: InLanes,
  { id, lane, run, followed }: Beginning,
  owner: number,
  of: number | string,
): Steps<{ readonly fence: Fence; readonly isFollowed: boolean }> {
  yield LANES[kind].begin({ followed, owner, row: id })
  return { fence: { lane, of, owner, run: run + 1 }, isFollowed: followed === 1 }
}

export function* countBehind(lane: string): Steps<number> {
  return (yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM ${work} WHERE lane = ${lane} AND place = 2`))?.n ?? 0
}

// ── processes and fences ────────────────────────────────────────────────────────────────────────────

const PROCESS = grouped({ name: processes.name }, ({ name }) => select(['id', 'dead'], processes, { name }))

/** Returns the id of this process, which is registered if it is new; undefined if it was declared dead. */
export function* livingProcess(
  { databaseState, waitedMs }: Pick<Tx, 'databaseState' | 'waitedMs'>,
  { processName: name, now, leaseMs }: Lease,
  beforeRegistering: () => void = () => {},
): Steps<number | undefined> {
  if (databaseState.process?.name === name) return databaseState.process.dead ? undefined : databaseState.process.id
  const known = (yield PROCESS({ name })).rows[0] as { id: number; dead: number } | undefined
  if (known?.dead === 1) return undefined
  if (!known) beforeRegistering()
  const id = known?.id ?? (yield* register(name, now + waitedMs + leaseMs))
  databaseState.process = { name, id }
  return id
}

function* register(name: string, until: number): Steps<number> {
  const made = yield* one<{ id: number }>(sql`
    INSERT INTO ${processes} (name, until, dead, ahead) VALUES (${name}, ${until}, 0, 0)
    ON CONFLICT (name) DO UPDATE SET until = processes.until RETURNING id`)
  return made?.id ?? 0
}

const ALIVE = grouped({ id: processes.id }, ({ id }) => select(['id'], processes, { id, dead: 0 }))

export function* isAlive({ databaseState }: Pick<Tx, 'databaseState'>, process: number): Steps<boolean> {
  const me = databaseState.process
  return me?.id === process ? me.dead !== true : yield* exists(ALIVE({ id: process }))
}

export const FENCE = pick(work, 'item', 'owner', 'run')

/** A condition of the row that a fence names, while it runs. */
export function isRun({ item, owner, run }: { readonly [Name in keyof typeof FENCE]: Query }): Query {
  return sql`item = ${item} AND owner = ${owner} AND run = ${run} AND ${notByIndex(work.place, 1)}`
}

const STATE = grouped(FENCE, (fence) => select(['state'], work, isRun(fence)))

/**
 * Returns the state of a run; undefined if the item was freed. `forgotten`: its customer was forgotten while it runs.
 * `forgetting`: its own handler forgot the customer, and may still answer.
 */
export function* runState({ of, owner, run }: Fence): Steps<'running' | 'forgotten' | 'forgetting' | undefined> {
  return (yield* one(STATE({ item: Number(of), owner, run })))?.state as
    | 'running'
    | 'forgotten'
    | 'forgetting'
    | undefined
}

export function* itemPassesFence(fence: Fence): Steps<boolean> {
  return (yield* runState(fence)) === 'running'
}
