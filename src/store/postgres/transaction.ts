import { monotonic } from '../../base/clock.ts'
import { unreadIn } from '../inbox/unread.ts'
import { MIGRATIONS } from '../schema.ts'
import type { Steps, Tx, Situation } from '../steps.ts'
import type { Work } from '../types/types.ts'
import { DatabaseFault, ofStatement } from './server-faults.ts'
import { type Ended, inLockstep } from './lockstep.ts'
import type { PostgresPool } from './pool.ts'
import { askServer, openSession, type Session } from './session.ts'

export const SCHEMA = 'switchhook'

export interface Operation {
  run(tx: Tx): Steps<unknown>
  readonly keys: readonly string[] | undefined
  waitedMs(): number
}

export interface Done {
  readonly ended: readonly Ended[]
  readonly woken: ReadonlySet<Work>
}

export class UnknownOutcome extends Error {
  readonly transaction: BegunTransaction
  readonly done: Done

  constructor(transaction: BegunTransaction, done: Done, cause: unknown) {
    super('the connection broke during a commit', { cause })
    this.transaction = transaction
    this.done = done
  }
}

// ── how a transaction begins ────────────────────────────────────────────────────────────────────────

/**
 * All writers of a database, in whatever process, lock this empty table: one transaction writes at a time. It needs rights,
 * unlike an advisory lock, which every role of the database could hold for ever. A dump does not wait for it.
 */
export const LOCK_WRITER = `LOCK TABLE ${SCHEMA}.writing IN EXCLUSIVE MODE`

const STATEMENT_MS = 5_000
const LONG_READ_MS = 600_000
const WRITER_MS = 3_000
/** All others wait for a process that stands still or takes long: deliveries for 4 s. */
const IDLE_MS = 2_000
const TRANSACTION_MS = 3_500
export const LOCK_MS = 150

/** With the start before it and the COMMIT behind it, the others wait for twice as long at most. */
const LONG_MS = 25
/** After so many no further operation begins: where a round trip takes long, many would keep others waiting for seconds. */
const FULL_MS = 200

const local = (settings: Readonly<Record<string, string | number>>) =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ')

/** The session may be another app's behind a pooler: a temporary table there must not take our rows. */
const SETTINGS = local({
  search_path: `${SCHEMA}, pg_temp`,
  statement_timeout: STATEMENT_MS,
  lock_timeout: WRITER_MS,
  bytea_output: 'hex',
  idle_in_transaction_session_timeout: IDLE_MS,
})

/** Plans of hot statements are kept, and must be right when tables that were empty have grown. */
const BY_INDEX = local({
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
})

/** Acknowledged rows are on disk, whatever the database's default is. */
const ON_DISK = `
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, true)`

export const NO_TIMES = `SELECT ${local({ statement_timeout: 0, idle_in_transaction_session_timeout: 0 })}`

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

const WRITES = `SELECT ${SETTINGS}, ${BY_INDEX}, ${ON_DISK}`

/**
 * A separate statement takes the lock: so the ones behind it see all that the last writer has committed. It goes out with
 * BEGIN, in the same round trip.
 */
const BEGIN_LOCKED = `${BEGIN}; SET LOCAL lock_timeout = ${WRITER_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; ${LOCK_WRITER}`

/** Before there are tables. */
export const BEGIN_UNLOCKED = `${BEGIN}; ${WRITES}`

export const BEGIN_ALONE = `${BEGIN_LOCKED}; ${WRITES}`

/** The name of the schema's version in `meta`. Builds that lock otherwise read `schema_version`, and refuse to start without. */
export const VERSION_NAME = 'schema_number'

/** From then on the writer waits for others' locks no longer than is given; a server of version 17 can bound the whole. */
const BOUNDED = `
  set_config('lock_timeout', $1, true), CASE WHEN current_setting('server_version_num')::int >= 170000
    THEN ${local({ transaction_timeout: TRANSACTION_MS })} END`

const SITUATION = `
  (SELECT value::int FROM ${SCHEMA}.meta WHERE name = '${VERSION_NAME}') AS version,
  (SELECT value::bigint FROM ${SCHEMA}.meta WHERE name = 'restored_upto') AS restored,
  (SELECT json_agg(value)::text FROM (${unreadIn(`${SCHEMA}.work`).text}) AS u) AS unread`

const LAST_ID = `
  greatest((SELECT coalesce(max(id), 0) FROM ${SCHEMA}.inbox),
    (SELECT value::bigint FROM ${SCHEMA}.meta WHERE name = 'last_id')) AS id`

const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

export const BEGUN_AS = `pg_current_xact_id()::text AS transaction, extract(epoch FROM now())::numeric AS began,
  ${TIMELINE} AS timeline`

const START = { text: `SELECT ${SITUATION}, ${LAST_ID}, ${BEGUN_AS}`, values: [] }

const beginRead = (settings: string) =>
  `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT ${settings}; SELECT ${SITUATION}`

const BEGIN_READ = beginRead(SETTINGS)

/** Like a write it goes by the indexes, whatever the server knows of the rows. */
const BEGIN_LOOK = beginRead(`${SETTINGS}, ${BY_INDEX}`)

const BEGIN_LONG_READ = `${BEGIN_READ}; SET LOCAL statement_timeout = ${LONG_READ_MS}`

interface SituationRow {
  readonly version: number
  readonly restored: number | null
  /** A JSON list; null if there are none. */
  readonly unread: string | null
}

function situationOf({ version, restored, unread }: SituationRow): Situation {
  const newerSchema = version > MIGRATIONS.length ? version : undefined
  return { unread: new Set(JSON.parse(unread ?? '[]') as string[]), newerSchema, restoredUpto: restored ?? undefined }
}

// ── transactions ────────────────────────────────────────────────────────────────────────────────────

/** @throws as its statements and operations do, and then nothing was changed; `Locked`; `UnknownOutcome`. */
export async function transact(
  pool: PostgresPool,
  operations: readonly Operation[],
  lockMs: number = LOCK_MS,
): Promise<Done> {
  const session = await openSession(pool)
  const woken = new Set<Work>()
  let start: TransactionStart
  let done: Done
  try {
    const settings = { text: `${WRITES}, ${BOUNDED}`, values: [lockMs] }
    start = (await session.run(BEGIN_LOCKED, settings, START))[0] as TransactionStart
  } catch (error) {
    await abandon(session)
    throw error
  }
  try {
    done = { ended: await runIn(session, start, operations, (work) => woken.add(work)), woken }
  } catch (error) {
    await abandon(session)
    throw ofStatement(error)
  }
  try {
    await session.script('COMMIT')
  } catch (error) {
    session.destroy()
    throw new UnknownOutcome(start, done, error)
  }
  session.release()
  return done
}

interface TransactionStart extends BegunTransaction, SituationRow {
  readonly id: number
}

function runIn(
  session: Session,
  start: TransactionStart,
  operations: readonly Operation[],
  wake: Tx['wake'],
): Promise<readonly Ended[]> {
  // Nobody else writes meanwhile, so the last id is read once.
  let { id } = start
  const situation = situationOf(start)
  const fullAt = monotonic() + FULL_MS
  const nextId = () => ++id
  const members = operations.map(({ run, keys, waitedMs }) => ({
    keys,
    begin() {
      const begunAt = monotonic()
      return run({ situation, wake, nextId, isLong: () => monotonic() - begunAt >= LONG_MS, waitedMs: waitedMs() })
    },
  }))
  return inLockstep(session, members, () => monotonic() >= fullAt)
}

export function lookOver<T>(pool: PostgresPool, operation: (tx: Pick<Tx, 'situation'>) => Steps<T>): Promise<T> {
  return within(pool, BEGIN_LOOK, (session, begun) => {
    const [situation] = begun as readonly [SituationRow]
    return session.drive(operation({ situation: situationOf(situation) }))
  })
}

/** Over one state of the database. `long`: it may take minutes, and its session is in this set meanwhile. */
export function readOver<T>(
  pool: PostgresPool,
  operation: (tx: Pick<Tx, 'situation'>) => Steps<T>,
  { long }: { readonly long?: Set<Session> } = {},
): Promise<T> {
  return within(pool, long ? BEGIN_LONG_READ : BEGIN_READ, async (session, begun) => {
    const [situation] = begun as readonly [SituationRow]
    long?.add(session)
    try {
      return await session.drive(operation({ situation: situationOf(situation) }), { long: long !== undefined })
    } finally {
      long?.delete(session)
    }
  })
}

export async function within<T>(
  pool: PostgresPool,
  begin: string,
  work: (session: Session, begun: readonly unknown[]) => Promise<T>,
): Promise<T> {
  const session = await openSession(pool)
  try {
    const result = await work(session, await session.script(begin))
    await session.script('COMMIT')
    session.release()
    return result
  } catch (error) {
    await abandon(session)
    throw error
  }
}

export async function abandon(session: Session): Promise<void> {
  try {
    await session.script('ROLLBACK')
    session.release()
  } catch {
    session.destroy()
  }
}

// ── lost commits ────────────────────────────────────────────────────────────────────────────────────

export interface BegunTransaction {
  readonly transaction: string
  /** When it began, in seconds since the epoch, by the server. */
  readonly began: number
  /** The server's timeline, by its number in hexadecimal: a standby that takes over begins another one. */
  readonly timeline: string
}

/**
 * Undefined while the server still works on it. A server that crashed gives the id of a lost transaction away again: it is
 * ours no longer if the recovery, which begins new statistics and ends with a checkpoint, did not know it. A standby that
 * took over may not have it either. Then it counts as not committed: a repeat finds its own keys and fences.
 */
export async function wasCommitted(
  pool: PostgresPool,
  { transaction, began, timeline }: BegunTransaction,
): Promise<boolean | undefined> {
  try {
    const { status, another } = await askServer<{ status: string; another: boolean }>(
      pool,
      `SELECT pg_xact_status('${transaction}'::xid8) AS status,
        ${TIMELINE} <> '${timeline}' OR extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) > ${began}
          AND split_part(next_xid, ':', 1)::numeric * 4294967296 + split_part(next_xid, ':', 2)::numeric <= ${transaction} AS another
      FROM pg_control_checkpoint()`,
    )
    if (another) return false
    return status === 'in progress' ? undefined : status === 'committed'
  } catch (error) {
    if (error instanceof DatabaseFault && error.state === NEVER_GIVEN) return false
    throw error
  }
}

const NEVER_GIVEN = '22023'
