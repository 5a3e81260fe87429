import { randomUUID } from 'node:crypto'
import { customerOfLane } from '../database/lane-names.ts'
import { UNREAD } from '../database/inbox-tables.ts'
import { MIGRATIONS } from '../database/schema.ts'
import { forPostgres, type Query, raw } from '../database/sql.ts'
import { grouped, insert, pick, select } from '../database/statements.ts'
import type { FirstOfLane, DatabaseState, Steps, Tx, WorkKind } from '../database/steps.ts'
import { isServers, ofStatement } from './server-faults.ts'
import { type Ended, runGroup, type NewInARow } from './run-group.ts'
import type { PostgresPool } from './pool.ts'
import { askServer, asText, type Given, LostCommit, openConnection, type Connection } from './connection.ts'
import { blank } from '../database/table.ts'
import { customers, CUSTOMER_COLUMNS } from '../database/customer-tables.ts'

export const SCHEMA = 'switchhook'

export interface Operation {
  run(tx: Tx): Steps<unknown>
  /** Keys of the operation, including its customers. Undefined: it runs alone. */
  readonly keys: readonly string[] | undefined
  /** True if it runs alone, whatever keys it has. */
  readonly isAlone?: boolean
  readonly customers?: readonly string[] | undefined
  /** How many ids the operation needs at least. */
  readonly ids?: number
  readonly lanes?: readonly string[] | undefined
  /** True if another group took one of its keys meanwhile. */
  readonly isRepeated?: boolean
  waitedMs(): number
}

export interface Done {
  readonly ended: readonly Ended[]
  readonly woken: ReadonlySet<WorkKind>
  /** The operations whose customers another group has. */
  readonly missed: ReadonlySet<number>
}

/** An operation needs to be alone, so the transaction was rolled back. */
export class NeedsAlone extends Error {
  readonly index: number

  constructor(index: number) {
    super('an operation needs to be alone')
    this.index = index
  }
}

/** Another group runs, or waits to be alone, so the transaction did not begin. */
export class NotAlone extends Error {}

export class UnknownOutcome extends Error {
  readonly commit: Commit
  readonly done: Done

  constructor(commit: Commit, done: Done, cause: unknown) {
    super('the connection broke during a commit', { cause })
    this.commit = commit
    this.done = done
  }
}

// ── how a transaction begins ────────────────────────────────────────────────────────────────────────

/**
 * Locks an empty table, which all groups lock. In this mode a transaction is alone. It is no advisory lock, which any
 * role of the database could hold for ever: a table's lock needs rights on it. A dump does not wait for this lock.
 */
export const LOCK_WRITER = `LOCK TABLE ${SCHEMA}.writing IN EXCLUSIVE MODE`

/** Locks the table beside other transactions in this mode. Each of them also locks the rows of its customers. */
const LOCK_ORDINARY = `LOCK TABLE ${SCHEMA}.writing IN ROW SHARE MODE`

const STATEMENT_MS = 5_000
const LONG_READ_MS = 600_000
const WRITER_MS = 3_000
/** How long a process that stands still, or takes long, keeps others waiting. A delivery waits for 4 s at most. */
const IDLE_MS = 2_000
const TRANSACTION_MS = 3_500
/** The wait for a locked row. It exceeds the time in which another group, with the same delivery, begins operations. */
export const LOCK_MS = 300

/** How long a group begins operations. With START and COMMIT, others wait for at most twice as long. */
const LONG_MS = 25
/** After this time no further operation begins: on a slow network many would keep others waiting for seconds. */
const FULL_MS = 200

const local = (settings: Readonly<Record<string, string | number>>) =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ')

/** Behind a pooler the session may have belonged to another app, whose temporary tables must not replace ours. */
const SETTINGS = local({
  search_path: `${SCHEMA}, pg_temp`,
  statement_timeout: STATEMENT_MS,
  lock_timeout: WRITER_MS,
  bytea_output: 'hex',
  idle_in_transaction_session_timeout: IDLE_MS,
})

/** Plans of grouped statements are kept. They must also fit later, when tables that are empty now have grown. */
const BY_INDEX = local({
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
})

/** Acknowledged rows must be on disk, whatever the database's default is. */
const ON_DISK = `
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, true)`

export const NO_TIMES = `SELECT ${local({ statement_timeout: 0, idle_in_transaction_session_timeout: 0 })}`

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

const WRITES = `SELECT ${SETTINGS}, ${BY_INDEX}, ${ON_DISK}`

/**
 * The lock is a separate statement, so that later statements see all that the last writer has committed. It is sent
 * with BEGIN, in the same round trip.
 */
const beginLocked = (lock: string, waitMs: number) => `${BEGIN}; SET LOCAL lock_timeout = ${waitMs};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; ${lock}`

const BEGIN_ORDINARY = beginLocked(LOCK_ORDINARY, WRITER_MS)

export const BEGIN_UNLOCKED = `${BEGIN}; ${WRITES}`

export const BEGIN_ALONE = `${beginLocked(LOCK_WRITER, WRITER_MS)}; ${WRITES}`

/** The schema's version in `meta`. Other builds look for the name `schema_version`, and refuse to start without it. */
export const VERSION_NAME = 'schema_number'

/** Limits how long later statements wait for locks. From version 17 on, a server also limits the whole transaction. */
const BOUNDED = `
  set_config('lock_timeout', $1, true), CASE WHEN current_setting('server_version_num')::int >= 170000
    THEN ${local({ transaction_timeout: TRANSACTION_MS })} END`

/** Gives a transaction its number before its ids: if a snapshot shows no open transaction, it has all earlier ids. */
const NUMBERED = 'pg_current_xact_id()'

const DATABASE_STATE = `
  (SELECT value::int FROM ${SCHEMA}.meta WHERE name = '${VERSION_NAME}') AS version,
  (SELECT value::bigint FROM ${SCHEMA}.meta WHERE name = 'restored_upto') AS restored,
  (SELECT json_agg(value)::text FROM (${forPostgres(UNREAD, { qualified: true }).text}) AS u) AS unread`

export const IDS = `${SCHEMA}.inbox_seq`

/**
 * Runs behind the statement that locks the customers. So the ids of one customer rise, whichever processes store them.
 * A transaction that is alone continues from the last id.
 */
const START = `SELECT ${DATABASE_STATE},
  (SELECT json_agg(nextval('${IDS}')) FROM generate_series(1, $1))::text AS ids,
  (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${IDS}) AS last,
  (SELECT json_build_object('id', id, 'dead', dead)::text FROM ${SCHEMA}.processes WHERE name = $2) AS process`

/** Moves the sequence behind all ids that are in the database. */
export const COUNT_ON = `
  SELECT setval('${IDS}', greatest(1, (SELECT max(id) FROM ${SCHEMA}.inbox), (SELECT value::bigint FROM ${SCHEMA}.meta WHERE name = 'last_id')))`

const beginRead = (settings: string) =>
  `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT ${settings}; SELECT ${DATABASE_STATE}`

const BEGIN_READ = beginRead(SETTINGS)

/** Begins a read that uses the indexes, as writes do, even if the server's statistics are missing or old. */
export const BEGIN_SCAN = beginRead(`${SETTINGS}, ${BY_INDEX}`)

const BEGIN_LONG_READ = `${BEGIN_READ}; SET LOCAL statement_timeout = ${LONG_READ_MS}`

interface DatabaseStateRow {
  readonly version: number
  readonly restored: number | null
  /** A JSON list; null if no subscription has unread deliveries. */
  readonly unread: string | null
}

function databaseStateOf({ version, restored, unread }: DatabaseStateRow): DatabaseState {
  const newerSchema = version > MIGRATIONS.length ? version : undefined
  return { unread: new Set(JSON.parse(unread ?? '[]') as string[]), newerSchema, restoredUpto: restored ?? undefined }
}

// ── transactions ────────────────────────────────────────────────────────────────────────────────────

/** The memory of a process between its transactions. */
export interface Writer {
  readonly id: string
  readonly monotonic: () => number
  commits: number
  processName: string | undefined
  /** Customers who have a row, unless it was pruned since. */
  readonly known: Set<string>
  readonly newInARow: NewInARow
}

export function newWriter(monotonic: () => number): Writer {
  return { id: randomUUID(), monotonic, commits: 0, processName: undefined, known: new Set(), newInARow: new Map() }
}

interface Waiting {
  /** Milliseconds to wait for a row that another program has locked. */
  readonly lockMs?: number
  /** Milliseconds to wait until no other group runs. */
  readonly aloneMs?: number
  /** True if it waits for customers whom other groups have. */
  readonly forCustomers?: boolean
}

/**
 * Runs operations in one transaction: beside ordinary groups, or alone if an operation has no keys. @throws errors of
 * its statements and operations, and then nothing was changed; `Locked`; `NotAlone`; `NeedsAlone`; `UnknownOutcome`.
 */
export async function transact(
  pool: PostgresPool,
  writer: Writer,
  operations: readonly Operation[],
  { lockMs = LOCK_MS, aloneMs = WRITER_MS, forCustomers = false }: Waiting = {},
): Promise<Done> {
  const isAlone = operations.some((operation) => operation.isAlone ?? !operation.keys)
  const connection = await openConnection(pool)
  const woken = new Set<WorkKind>()
  let done: Done
  let rest: readonly (readonly Query[])[]
  let last: number | undefined
  let locked: Iterable<string>
  try {
    const start = await begin(connection, writer, operations, { isAlone, lockMs, aloneMs, forCustomers })
    const { missed } = start
    locked = start.locked.keys()
    if (missed.size === operations.length) {
      await abandon(connection)
      return { ended: [], woken, missed }
    }
    const ran = await runIn(connection, start, operations, { isAlone, writer, wake: (work) => woken.add(work) })
    writer.processName = ran.databaseState.process?.name ?? writer.processName
    done = { ended: ran.ended, woken, missed }
    ;({ rest, last } = ran)
  } catch (error) {
    await abandon(connection)
    throw error
  }
  const commit = { writer: writer.id, nth: ++writer.commits }
  try {
    await connection.commit(
      rest,
      ...marksOf(commit),
      ...(last === undefined ? [] : [{ text: LAST_GIVEN, values: [last] }]),
    )
  } catch (error) {
    if (error instanceof LostCommit) {
      connection.destroy()
      throw new UnknownOutcome(commit, done, error.cause)
    }
    await abandon(connection)
    throw ofStatement(error)
  }
  connection.release()
  // A transaction that was alone may have removed customers' rows.
  if (isAlone || writer.known.size > MOST_KNOWN) writer.known.clear()
  for (const customer of locked) writer.known.add(customer)
  return done
}

const LAST_GIVEN = `SELECT setval('${IDS}', $1)`

interface Start extends DatabaseStateRow {
  readonly ids: number[]
  readonly last: number
  readonly process: DatabaseState['process']
  readonly missed: ReadonlySet<number>
  readonly locked: ReadonlyMap<string, object>
  readonly firsts: ReadonlyMap<string, FirstOfLane | 'free'>
}

const WHO = pick(customers, 'number', 'customer')
const KNOW = grouped(WHO, (who) =>
  insert(customers, { ...blank(customers), ...who }, { unlessThere: true, keys: ['number', 'customer'] }),
)
const lockRows = (wait: string) => grouped(WHO, (who) => select(CUSTOMER_COLUMNS, customers, who, raw(wait)))
const LOCK_FREE = lockRows('FOR NO KEY UPDATE SKIP LOCKED')
const LOCK_WAITING = lockRows('FOR NO KEY UPDATE')

/** The lanes are passed as one value. For a joined table, the server would read the whole index for each lane. */
const FIRSTS = `
  SELECT lane, item, owner, run, place, followed, number, bundle, state FROM ${SCHEMA}.work
  WHERE lane = ANY($1::text[]) AND place < 2`

const MOST_KNOWN = 50_000

/**
 * Begins a transaction in one round trip. Locking and reading are two statements: a statement that waits for a lock
 * sees other tables as they were before the wait. Customers are locked in order, and a new customer gets a row first.
 */
async function begin(
  connection: Connection,
  writer: Writer,
  operations: readonly Operation[],
  { isAlone, lockMs, aloneMs, forCustomers }: Required<Waiting> & { readonly isAlone: boolean },
): Promise<Start> {
  const settings = { text: `${WRITES}, ${BOUNDED}, ${NUMBERED}`, values: [lockMs] }
  const ids = isAlone ? 0 : operations.reduce((sum, operation) => sum + (operation.ids ?? 0), 0)
  const wanted = isAlone ? [] : [...new Set(operations.flatMap(({ customers = [] }) => customers))].sort()
  const asked = wanted.map((customer) => [customer, ...customerOfLane(customer)] as const)
  const unknown = asked.filter(([customer]) => !writer.known.has(customer))
  const lanes = isAlone ? [] : [...new Set(operations.flatMap((operation) => operation.lanes ?? []).map(asText))]
  const lock = forCustomers ? LOCK_WAITING : LOCK_FREE
  const begunAt = writer.monotonic()
  try {
    const [, , , free, first, answer] = await connection.run(
      isAlone ? beginLocked(LOCK_WRITER, aloneMs) : BEGIN_ORDINARY,
      settings,
      unknown.map(([, number, customer]) => KNOW({ number, customer })),
      asked.map(([, number, customer]) => lock({ number, customer })),
      lanes.length > 0 ? { text: FIRSTS, values: [lanes] } : [],
      { text: START, values: [ids, writer.processName ?? null] },
    )
    const found = asked.map(([customer], nth) => [customer, free?.[nth]?.rows[0] as object | undefined] as const)
    const locked = new Map(found.filter((one): one is [string, object] => one[1] !== undefined))
    for (const [customer, row] of found) if (!row) writer.known.delete(customer)
    const firsts = new Map<string, FirstOfLane | 'free'>(lanes.map((lane) => [lane, 'free']))
    for (const one of (first?.[0]?.rows ?? []) as readonly FirstOfLane[]) firsts.set(one.lane, one)
    const missed = new Set<number>()
    const behind = new Set<string>()
    operations.forEach(({ keys = [], customers = [] }, index) => {
      const isMissed = customers.some((customer) => !locked.has(customer)) || keys.some((key) => behind.has(key))
      if (isAlone || !isMissed) return
      missed.add(index)
      for (const key of keys) behind.add(key)
    })
    const row = answer?.[0]?.rows[0] as DatabaseStateRow & { ids: string | null; last: number; process: string | null }
    const process = row.process === null ? undefined : (JSON.parse(row.process) as { id: number; dead: number })
    return {
      ...row,
      ids: JSON.parse(row.ids ?? '[]') as number[],
      process: process && { name: writer.processName as string, id: process.id, dead: process.dead === 1 },
      missed,
      locked,
      firsts,
    }
  } catch (error) {
    if (isAlone && isServers(error) && error.state === LOCK_NOT_AVAILABLE) throw new NotAlone('', { cause: error })
    // If the time is up, the lock of the table was not granted: another transaction holds it for long.
    throw writer.monotonic() - begunAt >= WRITER_MS ? error : ofStatement(error)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/** Stores a row for the commit. After a lost answer it proves that the commit succeeded, even on another server. */
function marksOf({ writer, nth }: Commit): readonly Given[] {
  const mark = {
    text: `INSERT INTO ${SCHEMA}.commits (writer, nth, landed) VALUES ($1, $2, true)`,
    values: [writer, nth],
  }
  return nth % MARKS_KEPT === 0 ? [mark, { text: REMOVE_MARKS, values: [writer, nth - MARKS_KEPT, nth] }] : [mark]
}

const MARKS_KEPT = 64

/**
 * Removes a range of rows. Without a lower end, the index entries of deleted rows would be read while an old
 * transaction is open.
 */
const REMOVE_MARKS = `DELETE FROM ${SCHEMA}.commits WHERE writer = $1 AND nth >= $2 AND nth < $3`

async function runIn(
  connection: Connection,
  start: Start,
  operations: readonly Operation[],
  { isAlone, writer, wake }: { readonly isAlone: boolean; readonly writer: Writer; readonly wake: Tx['wake'] },
) {
  const { monotonic, newInARow } = writer
  const databaseState: DatabaseState = { ...databaseStateOf(start), process: start.process }
  const { ids } = start
  let last = start.last
  const fullAt = monotonic() + FULL_MS
  const going = operations.flatMap((operation, index) => (start.missed.has(index) ? [] : [{ ...operation, index }]))
  const members = going.map(({ run, keys, isRepeated, waitedMs, index }) => ({
    keys: isAlone ? undefined : keys,
    isRepeated,
    begin(nothingBefore = false) {
      const begunAt = monotonic()
      const alone = () => {
        if (!isAlone) throw new NeedsAlone(index)
      }
      const nextId = () => (isAlone ? ++last : (ids.shift() ?? (alone() as never)))
      const { locked, firsts } = start
      // An operation that shares a key with an earlier one of the group reads the rows itself.
      const known = nothingBefore
        ? {
            customerRow: (lane: string) => locked.get(lane),
            firstItem: (lane: string) => firsts.get(asText(lane)),
          }
        : {}
      return run({
        databaseState,
        wake,
        nextId,
        isLong: () => monotonic() - begunAt >= LONG_MS,
        waitedMs: waitedMs(),
        alone,
        ...known,
      })
    },
  }))
  try {
    const { ended, rest } = await runGroup(connection, members, { isFull: () => monotonic() >= fullAt, newInARow })
    const all: Ended[] = operations.map(() => undefined)
    going.forEach(({ index }, nth) => (all[index] = ended[nth]))
    return { ended: all, rest, databaseState, last: last > start.last ? last : undefined }
  } catch (error) {
    throw ofStatement(error)
  }
}

/** Reads one state of the database. `long`: it may take minutes, and its connection is in this set meanwhile. */
export function readOver<T>(
  pool: PostgresPool,
  operation: (tx: Pick<Tx, 'databaseState'>) => Steps<T>,
  { long, begin = long ? BEGIN_LONG_READ : BEGIN_READ }: { long?: Set<Connection>; begin?: string } = {},
): Promise<T> {
  return within(pool, begin, async (connection, begun) => {
    const [databaseState] = begun as readonly [DatabaseStateRow]
    long?.add(connection)
    try {
      return await connection.drive(operation({ databaseState: databaseStateOf(databaseState) }), {
        long: long !== undefined,
      })
    } finally {
      long?.delete(connection)
    }
  })
}

/** Runs an operation that only reads. Undefined if it would change something, or the database does not answer. */
export async function runAsRead<T>(pool: PostgresPool, operation: (tx: Tx) => Steps<T>): Promise<T | undefined> {
  const alone = () => {
    throw new NeedsAlone(0)
  }
  const tx = { wake() {}, nextId: alone, isLong: () => false, waitedMs: 0, alone }
  return readOver(pool, ({ databaseState }) => operation({ ...tx, databaseState })).catch(() => undefined)
}

/** Runs an operation without the lock of the table. Returns undefined if it failed. */
export async function withoutLock<T>(pool: PostgresPool, operation: () => Steps<T>): Promise<T | undefined> {
  return within(pool, BEGIN_UNLOCKED, (connection) => connection.drive(operation())).catch(() => undefined)
}

export async function within<T>(
  pool: PostgresPool,
  begin: string,
  work: (connection: Connection, begun: readonly unknown[]) => Promise<T>,
): Promise<T> {
  const connection = await openConnection(pool)
  try {
    const result = await work(connection, await connection.script(begin))
    await connection.commit([])
    connection.release()
    return result
  } catch (error) {
    await abandon(connection)
    throw error
  }
}

export async function abandon(connection: Connection): Promise<void> {
  try {
    await connection.script('ROLLBACK')
    connection.release()
  } catch {
    connection.destroy()
  }
}

// ── lost commits ────────────────────────────────────────────────────────────────────────────────────

interface Commit {
  readonly writer: string
  readonly nth: number
}

/**
 * Stores that a commit failed, unless it succeeded. Waits while the server works on that transaction. Afterwards the
 * commit cannot succeed any more, even after a failover, and its operations may be repeated.
 */
export async function hasLanded(pool: PostgresPool, { writer, nth }: Commit): Promise<boolean> {
  const { landed } = await askServer<{ landed: boolean }>(
    pool,
    `SET LOCAL lock_timeout = ${IDLE_MS};
    INSERT INTO ${SCHEMA}.commits (writer, nth, landed) VALUES ('${writer}', ${nth}, false) ON CONFLICT DO NOTHING;
    SELECT landed FROM ${SCHEMA}.commits WHERE writer = '${writer}' AND nth = ${nth}`,
  )
  return landed
}
