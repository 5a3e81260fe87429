import PQueue from 'p-queue'
import { endsWithin, monotonic, realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError, optionsInvalid } from '../../base/errors.ts'
import { HISTORY_INDEXES, makeIndexes } from '../database/schema.ts'
import { sql } from '../database/sql.ts'
import { one, type Steps, type DatabaseState, type Tx } from '../database/steps.ts'
import { createListeners, createPortions, type Commit } from '../database/engine.ts'
import { operationsOver, type Store, type AppTransaction } from '../store.ts'
import { unavailable, DatabaseFault, isConflict } from './server-faults.ts'
import { GroupCommit } from './group-commit.ts'
import { patiently, whenItPasses } from './patience.ts'
import { Notifications, tellAll } from './notifications.ts'
import { HOME, prepare } from './open.ts'
import { type OpenPool, openPool, type PostgresPool } from './pool.ts'
import { type Connection, rowsOf, asked, askServer } from './connection.ts'
import { BEGIN_ALONE, BEGIN_SCAN, NO_TIMES, readOver, SCHEMA, within, withoutLock } from './transaction.ts'
import { openSendLater, type OpenedSend } from '../outbox/open.ts'
import type { NewSend } from '../outbox/rows.ts'

const LONG_READS = 2
const OTHERS = 2
const CLOSE_WAITS_MS = 1_000

interface PostgresOptions {
  readonly restored?: boolean
  readonly schemaOwner?: string | undefined
  readonly say?: (line: string) => void
  readonly timers?: Timers
  readonly monotonic?: () => number
  readonly onCommit?: (commit: Commit) => void
}

/**
 * Opens the store, which several processes may share. `restored` holds all sends. `schemaOwner`: another role that may
 * own the schema. `say` is called if a start has to wait. @throws SwitchhookError `store_unavailable`, `store_newer` if
 * a newer release wrote the database, `options_invalid` for a small pool.
 */
export async function openPostgres(database: string | PostgresPool, o: PostgresOptions = {}): Promise<Store> {
  const pool = await openPool(database)
  const time = { timers: o.timers ?? realTimers, monotonic: o.monotonic ?? monotonic }
  const { opened, clock } = await openDatabase(pool, { ...o, ...time })
  const longReads = new LongReads(pool)
  const { onWork, onWake } = createListeners()
  const onRecheck = () => onWake('recheck')
  const notifications = new Notifications({ pool, ...time, onWake })
  const writer = new GroupCommit({
    pool,
    ...time,
    onCommit: o.onCommit,
    onWake(work) {
      onWake(work)
      notifications.tell(work)
    },
    onRecheck,
  })
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    const longReadsEnd = longReads.end(time.timers)
    await writer.close()
    await notifications.close()
    await longReadsEnd
    await pool.close()
  }

  const patience = { ...time, isClosed: () => closing !== undefined }
  const operations = operationsOver({
    write: writer.write,
    persist: writer.persist,
    accept: writer.accept,
    recheck: onRecheck,
    scan: (operation) => patiently(() => readOver(pool, operation, { begin: BEGIN_SCAN }), patience),
    portion: createPortions({ write: writer.write, ...time }),
    withoutLock: async (operation) => (closing ? undefined : withoutLock(pool, operation)),
    read: (operation, o) =>
      o?.long ? longReads.run(operation, patience) : patiently(() => readOver(pool, operation), patience),
    makeIndexes: () => patiently(() => makeHistoryIndexes(pool), patience),
  })

  return {
    ...operations,
    clock: clock.now,
    async renew(...asked) {
      // The server's clock has its own statement: a renewal may wait, and a late answer tells little about the clock.
      void clock.readAgain()
      return operations.renew(...asked)
    },
    openSendIn: (tx, send) => openSendIn(tx, send, opened.home),
    restored: opened.restored,
    isNew: opened.isNew,
    onWork,
    // The server frees space automatically, and promises nothing about its pages, its log, or its copies.
    compact: async () => ({ whole: undefined, logBytes: 0 }),
    onDisk: () => undefined,
    close: () => (closing ??= close()),
  }
}

async function openDatabase(pool: OpenPool, o: Parameters<typeof prepare>[1] & Parameters<typeof whenItPasses>[1]) {
  const open = async () => {
    const opened = await prepare(pool, o)
    return { opened, clock: await openServerClock({ pool, monotonic: o.monotonic }) }
  }
  return await whenItPasses(open, o).catch(async (error: unknown) => {
    await pool.close()
    throw error instanceof SwitchhookError ? error : unavailable('the database cannot be opened', error)
  })
}

/** Runs long reads on some connections. A person can request many, and deliveries need the other connections. */
class LongReads {
  readonly #pool: PostgresPool
  readonly #queue: PQueue
  readonly #connections = new Set<Connection>()

  constructor(pool: OpenPool) {
    this.#pool = pool
    this.#queue = new PQueue({ concurrency: Math.min(LONG_READS, (pool.size ?? LONG_READS + OTHERS) - OTHERS) })
  }

  run<T>(
    operation: (tx: Pick<Tx, 'databaseState'>) => Steps<T>,
    patience: Parameters<typeof patiently>[1],
  ): Promise<T> {
    return this.#queue.add(() =>
      patiently(() => readOver(this.#pool, operation, { long: this.#connections }), patience),
    )
  }

  /** Waits a short time for running reads, and then closes the connections of reads that are still running. */
  async end(timers: Timers): Promise<void> {
    if (await endsWithin(CLOSE_WAITS_MS, timers, this.#queue.onIdle())) return
    for (const connection of this.#connections) connection.destroy()
  }
}

async function makeHistoryIndexes(pool: PostgresPool): Promise<void> {
  const names = Object.keys(HISTORY_INDEXES).map((name) => `${SCHEMA}.${name}`)
  const made = await readOver(pool, function* () {
    const found = yield* one<{ n: number }>(sql`
      SELECT count(*) AS n FROM pg_index
      WHERE indisvalid AND indexrelid IN (SELECT to_regclass(name) FROM json_array_elements_text(${JSON.stringify(names)}::json) AS name)`)
    return found?.n === names.length
  })
  if (made) return
  await within(pool, BEGIN_ALONE, async (connection) => {
    await connection.script(NO_TIMES)
    await connection.drive(makeIndexes(), { long: true })
  })
}

/**
 * Records a send in the app's session without changing the session: tables are named with their schema, and no setting
 * is changed.
 */
async function openSendIn(client: AppTransaction, send: NewSend, home: string): Promise<OpenedSend> {
  if (typeof client.query !== 'function')
    throw optionsInvalid('send(): tx: expected a client of the package pg, on which your transaction is open')
  const steps = recordIn(send, home)
  try {
    let step = steps.next()
    while (!step.done) {
      const answer = await client.query(asked(step.value, { qualified: true })).catch((error: unknown) => {
        throw new DatabaseFault(error)
      })
      step = steps.next(rowsOf(answer))
    }
    return step.value
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error
    if (isConflict(error)) throw error.cause
    throw unavailable('send(): tx: the message was not recorded in your transaction', error)
  }
}

/** The database state that a send in the app's own transaction assumes. It is checked again when the send goes out. */
const ORDINARY: DatabaseState = { unread: new Set(), newerSchema: undefined, restoredUpto: undefined }

function* recordIn(send: NewSend, home: string): Steps<OpenedSend> {
  const begun = yield* one<{ transaction: string; home: string }>(sql`
    SELECT pg_current_xact_id()::text AS transaction, ${HOME} AS home`)
  if (begun?.home !== home) throw refused('this client is connected to another database than the bot')
  // Other processes are notified when the transaction is committed, and not at all if it is rolled back.
  const still = yield* one<{ transaction: string | null }>(sql`
    SELECT pg_current_xact_id_if_assigned()::text AS transaction, ${tellAll('sends')}`)
  if (still?.transaction !== begun.transaction)
    throw refused('no transaction is open on this client: take one out of the pool, and BEGIN on it first')
  return yield* openSendLater({ databaseState: ORDINARY }, send)
}

function refused(why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `send(): tx: ${why}`)
}

// ── the server's clock ──────────────────────────────────────────────────────────────────────────────

/**
 * Opens the clock for leases and waits: the server's, advanced by the monotonic clock. All processes agree on it. A
 * machine with a wrong clock neither takes lanes from others nor loses its own. @throws DatabaseFault
 */
export async function openServerClock(o: { pool: PostgresPool; monotonic: () => number }) {
  let ahead: number | undefined
  let looking: Promise<void> | undefined

  async function read(): Promise<void> {
    const sent = o.monotonic()
    const { time } = await askServer<{ time: number }>(o.pool, TIME)
    // The server read its clock between these two moments. If the known time fits between them, nothing changes.
    const [least, most] = [time - o.monotonic(), time - sent]
    ahead = Math.min(Math.max(ahead ?? (least + most) / 2, least), most)
  }

  await read()
  return {
    now: () => Math.floor(o.monotonic() + (ahead ?? 0)),
    /** Reads the server's clock again. Never throws: if the server does not answer, nothing changes. */
    readAgain: () =>
      (looking ??= read()
        .catch(() => {})
        .finally(() => {
          looking = undefined
        })),
  }
}

const TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time'
