import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { HISTORY_INDEXES, makeIndexes } from '../operations/reads/history.ts'
import { isServers, kindOf, unavailable } from './faults.ts'
import { storeClosed } from './group-commit.ts'
import type { PostgresPool } from './pool.ts'
import { SCHEMA } from './schema.ts'
import { openSession, type Session } from './session.ts'
import { BEGIN_ALONE, BEGIN_READ, within } from './transaction.ts'

/** An index of a larger table takes longer than a write may. */
const LARGE_BYTES = 134_217_728
const LOOK_EVERY_MS = 1_000
/** An index that the server refused is not begun again before: each time may take minutes of its work. */
const REFUSED_MS = 600_000

export interface HistoryIndexes {
  /**
   * Makes those that are missing, which may take minutes.
   *
   * @throws SwitchhookError `store_unavailable` if the server refuses one, or the store is closed; DatabaseFault.
   */
  make(): Promise<void>
  /** Nobody waits for them any more. */
  close(): void
}

interface Options {
  /** Its connections are ended at a close. */
  readonly pool: PostgresPool
  readonly timers: Timers
  readonly monotonic: () => number
  /** Is told once of an index that the server refuses, and what to do. */
  readonly say?: ((line: string) => void) | undefined
  readonly largeBytes?: number
}

/**
 * Sees to the indexes of a history. Those of larger tables are made while others write: an operation would keep all of them
 * waiting until its time is over. One process at a time makes them. If it ends meanwhile, its server's process still makes
 * what it has begun, and the next one waits for that; what was left half made is made anew.
 */
export function createHistoryIndexes(o: Options): HistoryIndexes {
  const { pool, timers, largeBytes = LARGE_BYTES } = o
  let refused: { readonly error: SwitchhookError; readonly until: number } | undefined
  let told = false
  let closed = false
  let wake = () => {}

  async function make(): Promise<void> {
    for (;;) {
      if (closed) throw storeClosed()
      const missing = await within(pool, BEGIN_READ, missingIndexes)
      const [first] = missing
      if (!first) return
      if (refused && o.monotonic() < refused.until) throw refused.error
      if (missing.every(({ found, bytes }) => !found && bytes < largeBytes)) await makeAtOnce(first)
      else if (!(await within(pool, BEGIN_TURN, makeInTurn))) await pause()
    }
  }

  /** As an operation, for which all writes wait. */
  function makeAtOnce(first: Index): Promise<void> {
    return within(pool, BEGIN_ALONE, (session) => session.drive(makeIndexes())).catch((error: unknown) => {
      throw kindOf(error) === 'lasting' ? refusal(first, error) : error
    })
  }

  /** False if it is another's turn. */
  async function makeInTurn(turn: Session, begun: readonly unknown[]): Promise<boolean> {
    const [{ mine }] = begun as readonly [{ readonly mine: boolean }]
    while (mine && !closed) {
      const [index] = await missingIndexes(turn)
      if (!index) break
      const { name, on, found, busy } = index
      if (found && busy) await pause()
      else if (found) await concurrently(index, `DROP INDEX CONCURRENTLY IF EXISTS ${SCHEMA}.${name}`)
      else await concurrently(index, `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${SCHEMA}.${on}`)
    }
    return mine
  }

  /** By a connection of its own, whose settings end with it. */
  async function concurrently(index: Index, statement: string): Promise<void> {
    const session = await openSession(pool)
    try {
      await session.script(withoutTimes(session.process))
      await session.script(statement, { long: true })
    } catch (error) {
      throw isRefusal(error) ? refusal(index, error) : error
    } finally {
      session.destroy()
    }
  }

  function refusal({ name, on }: Index, cause: unknown): SwitchhookError {
    const { message } = unavailable(`a history needs the index ${name}, which could not be made`, cause)
    const byHand =
      `over a connection to the server itself the owner of its table makes it: DROP INDEX CONCURRENTLY IF EXISTS ${SCHEMA}.${name}; ` +
      `CREATE INDEX CONCURRENTLY ${name} ON ${SCHEMA}.${on}`
    const error = new SwitchhookError('store_unavailable', `${message}; ${byHand}`, { cause })
    refused = { error, until: o.monotonic() + REFUSED_MS }
    if (!told) o.say?.(`${error.message}. Until then questions for a history are refused, and all else goes on`)
    told = true
    return error
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timers.after(LOOK_EVERY_MS, resolve)
      wake = () => {
        cancel()
        resolve()
      }
      if (closed) wake()
    })
  }

  return {
    make,
    close() {
      closed = true
      wake()
    },
  }
}

interface Index {
  readonly name: string
  /** Its table and columns. */
  readonly on: string
  /** It is there, and not all of its table's rows are in it. */
  readonly found: boolean
  /** Some process makes an index of its table, or vacuums that. */
  readonly busy: boolean
  /** Those of its table. */
  readonly bytes: number
}

/** An index that another process makes is seen by its lock: of the activity of other users only some may read more. */
async function missingIndexes(session: Session): Promise<readonly Index[]> {
  const all = Object.entries(HISTORY_INDEXES).map(([name, on]) => `('${name}', '${on.replaceAll("'", "''")}')`)
  return (await session.script(`
    SELECT name, "on", i.indexrelid IS NOT NULL AS found, pg_relation_size(t) AS bytes, EXISTS (
      SELECT 1 FROM pg_locks WHERE relation = t AND mode = 'ShareUpdateExclusiveLock' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS busy
    FROM (VALUES ${all.join(', ')}) AS all_of_them(name, "on")
      CROSS JOIN LATERAL to_regclass('${SCHEMA}.' || split_part("on", ' ', 1)) AS t
      LEFT JOIN pg_index i ON i.indexrelid = to_regclass('${SCHEMA}.' || name)
    WHERE i.indisvalid IS NOT TRUE ORDER BY name`)) as readonly Index[]
}

/**
 * A transaction that stays open while indexes are made, and reads nothing that they would wait for. Whoever waited for its
 * lock would keep them waiting, so nobody does. The lock's numbers are 'SwHk' and 2.
 */
const BEGIN_TURN = `
  BEGIN ISOLATION LEVEL READ COMMITTED; ${timesOff(true)};
  SELECT pg_try_advisory_xact_lock(1400326251, 2) AS mine`

/**
 * Takes the time-outs of a role or a database off a connection that nobody else has. Behind a pooler, which tells of another
 * process, they would be taken off somebody else's.
 */
function withoutTimes(process: number | undefined): string {
  return `${timesOff(false)} AND pg_backend_pid() = ${process ?? 0}`
}

function timesOff(local: boolean): string {
  return `
    SELECT set_config(name, '0', ${local}) FROM pg_settings WHERE setting <> '0' AND name IN
      ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`
}

/** Repeated, it would be refused again: a right that is missing, too little time or a full disk. */
function isRefusal(error: unknown): boolean {
  return isServers(error) && (kindOf(error) === 'lasting' || /^(57014|55P03|53[12])/.test(error.state ?? ''))
}
