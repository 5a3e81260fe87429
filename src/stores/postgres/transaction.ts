import { monotonic } from '../../base/clock.ts'
import { MIGRATIONS } from '../operations/tables/schema.ts'
import type { Steps, Tx } from '../operations/steps.ts'
import type { Work } from '../port/index.ts'
import { BEGUN_AS, type BegunTransaction } from './lost-commit.ts'
import type { PostgresPool } from './pool.ts'
import { NEXT_PLACE, PLACES, SCHEMA, takenUpTo } from './schema.ts'
import { openSession, type Session } from './session.ts'

export type Operation<T> = (tx: Tx) => Steps<T>

export interface Done {
  readonly results: readonly unknown[]
  readonly woken: ReadonlySet<Work>
}

/** The connection broke while the transaction was committed: nobody knows yet whether it was. */
export class UnknownOutcome extends Error {
  readonly transaction: BegunTransaction
  readonly done: Done

  constructor(transaction: BegunTransaction, done: Done, cause: unknown) {
    super('the connection broke during a commit', { cause })
    this.transaction = transaction
    this.done = done
  }
}

/**
 * All writers of a database, in whatever process, take this advisory lock: its two numbers are 'SwHk' and 1. Statements
 * that are safe beside each other share it; everything else has it alone.
 */
const WRITERS = '(1400326251, 1)'

const STATEMENT_MS = 5_000
/** The longest that a statement of a long read may take: a person waits for it, and nobody else. */
const LONG_READ_MS = 600_000
/** A transaction waits so long for a lock: longer than a process can stand still with one. */
const LOCK_MS = 3_000
/**
 * The server ends the transaction of a process that stands still for so long: others wait for the lock, deliveries for
 * 4 s.
 */
const IDLE_MS = 2_000

/** After so many milliseconds a portion ends: others wait for the lock meanwhile. */
const LONG_MS = 50
/** Rows of a list that one statement changes: each statement is a round trip. */
const TOGETHER = 250
/**
 * After so many milliseconds no further operation begins in a transaction: where a round trip takes long, many
 * operations would keep the lock from others for seconds.
 */
const FULL_MS = 200

/**
 * Settings of one transaction, since a session may be another app's behind a pooler: a temporary table there, which would
 * come first if it were not named, must not take our rows.
 */
const SETTINGS = `
  SET LOCAL search_path = ${SCHEMA}, pg_temp; SET LOCAL statement_timeout = ${STATEMENT_MS};
  SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL bytea_output = hex;
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`

/**
 * Each row is looked up by an index, whatever the tables hold when a plan is made: a connection keeps the plans of hot
 * statements, and they must be right when tables that were empty have grown.
 */
const BY_INDEX = `
  SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off; SET LOCAL jit = off`

/** Acknowledged rows are on disk, whatever the database's default is. */
const ON_DISK = `
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, true)`

/** For what takes minutes, and may keep others waiting for as long. */
export const NO_TIMES = 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'

const VERSION = `(SELECT value FROM ${SCHEMA}.meta WHERE name = 'schema_version')`

const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${SETTINGS}; ${BY_INDEX}; SELECT ${ON_DISK}`

/** Begins a transaction in which nobody else writes; reads behind it see all that others have committed. */
export const BEGIN_ALONE = `${BEGIN}, pg_advisory_xact_lock${WRITERS}`

/** A statement of its own takes the lock: so the ones behind it see all that whoever had it alone has committed. */
const BEGIN_BESIDE = `${BEGIN}, pg_advisory_xact_lock_shared${WRITERS}`

const BEGUN = `${VERSION} AS version, ${BEGUN_AS}`

const BEGIN_WRITE = `${BEGIN_ALONE}; SELECT ${BEGUN}, ${NEXT_PLACE} AS place FROM ${PLACES}`

const ASK_BEGUN = `SELECT ${BEGUN}`

export const BEGIN_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SETTINGS}; SELECT ${VERSION} AS version`

const BEGIN_LONG_READ = `${BEGIN_READ}; SET LOCAL statement_timeout = ${LONG_READ_MS}`

/**
 * Runs operations in one transaction, in which nobody else writes and whose results are on disk when it resolves. There are
 * fewer results than operations if time is up: the last ones have not begun. `waited`: see `createGroupCommit`.
 *
 * @throws as its statements and operations do, and then nothing was changed; `UnknownOutcome`.
 */
export function transact(
  pool: PostgresPool,
  operations: readonly Operation<unknown>[],
  waited: (index: number) => number = () => 0,
): Promise<Done> {
  const begin = (session: Session) => session.script(BEGIN_WRITE)
  return committed(pool, begin, async (session, begun, wake) => {
    const { place: first } = begun as BegunAlone
    const tx = txOver(begun as BegunAlone, wake)
    const results: unknown[] = []
    const fullAt = monotonic() + FULL_MS
    for (const [index, operation] of operations.entries()) {
      results.push(await session.drive(operation({ ...tx, waitedMs: waited(index) })))
      if (monotonic() >= fullAt) break
    }
    const place = tx.nextPlace()
    return { results, last: place === first ? '' : takenUpTo(place - 1) }
  })
}

export interface HotTx extends Pick<Session, 'rows' | 'drive'>, Pick<Tx, 'wake'> {
  /** The schema of a newer release that took the store over; undefined as long as it is ours. */
  readonly newerSchema: number | undefined
  /** Time is up: whoever waits for a row, or to write alone, has waited for long. */
  isFull(): boolean
}

/**
 * The same for a hot statement, which runs beside others in this and in other processes. What it changes it locks, rows
 * of each table in the order of their keys, and it takes nothing for granted that another hot statement may change.
 */
export function transactBeside(pool: PostgresPool, work: (tx: HotTx) => Promise<readonly unknown[]>): Promise<Done> {
  const begin = (session: Session) => session.scriptAndRows(BEGIN_BESIDE, ASK_BEGUN)
  return committed(pool, begin, async ({ rows, drive }, { version }, wake) => {
    const fullAt = monotonic() + FULL_MS
    const isFull = () => monotonic() >= fullAt
    return { results: await work({ rows, drive, wake, newerSchema: newer(version), isFull }), last: '' }
  })
}

/** `last`: what is to be done with the commit. */
async function committed(
  pool: PostgresPool,
  begin: (session: Session) => Promise<readonly unknown[]>,
  work: (session: Session, begun: Begun, wake: Tx['wake']) => Promise<{ results: readonly unknown[]; last: string }>,
): Promise<Done> {
  const session = await openSession(pool)
  const woken = new Set<Work>()
  let transaction: BegunTransaction
  let done: Awaited<ReturnType<typeof work>>
  try {
    const [begun] = (await begin(session)) as readonly [Begun]
    transaction = begun
    done = await work(session, begun, (each) => woken.add(each))
  } catch (error) {
    await abandon(session)
    throw error
  }
  const { results, last } = done
  try {
    await session.script(`${last}COMMIT`)
  } catch (error) {
    session.destroy()
    throw new UnknownOutcome(transaction, { results, woken }, error)
  }
  session.release()
  return { results, woken }
}

/** Runs an operation that only reads, over one state of the database. `long`: it may take minutes. */
export async function readOver<T>(
  pool: PostgresPool,
  operation: (tx: Pick<Tx, 'newerSchema'>) => Steps<T>,
  { long = false } = {},
): Promise<T> {
  return within(pool, long ? BEGIN_LONG_READ : BEGIN_READ, (session, begun) => {
    const [{ version }] = begun as readonly [Pick<Begun, 'version'>]
    return session.drive(operation({ newerSchema: () => newer(version) }), { long })
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

interface Begun extends BegunTransaction {
  readonly version: number
}

interface BegunAlone extends Begun {
  readonly place: number
}

function txOver(begun: BegunAlone, wake: Tx['wake']): Omit<Tx, 'waitedMs'> {
  // Nobody else writes meanwhile, so the sequence is read once.
  let { place } = begun
  const begunAt = monotonic()
  return {
    wake,
    nextPlace: () => place,
    takePlace: () => void place++,
    newerSchema: () => newer(begun.version),
    isLong: () => monotonic() - begunAt >= LONG_MS,
    together: TOGETHER,
  }
}

function newer(version: number): number | undefined {
  return version > MIGRATIONS.length ? version : undefined
}
