import { machineTime, monotonic, realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { type Engine, operationsOver } from '../operations/store.ts'
import type { Store, Work } from '../port/index.ts'
import { openServerClock } from './clock.ts'
import { kindOf, unavailable } from './faults.ts'
import { createGroupCommit, storeClosed, WAIT_MS } from './group-commit.ts'
import { createNotifications } from './notifications.ts'
import { prepare } from './open.ts'
import { openPool, type PostgresPool } from './pool.ts'
import { readOver } from './transaction.ts'

export type { PostgresPool } from './pool.ts'
export { openPostgresReader } from './reader.ts'

/**
 * Opens the store in a PostgreSQL database, in a schema of its own that several processes may share: by an address, or
 * over a pool of the app's own. `restored` holds all sends, as for a database that was brought back from a backup. `say` is
 * told, in one line, of a migration that takes long, before it begins.
 *
 * @throws SwitchhookError `store_unavailable` if the database cannot be used, `store_newer` if a newer release wrote it.
 */
export async function openPostgres(
  database: string | PostgresPool,
  o: {
    restored?: boolean
    say?: (line: string) => void
    timers?: Timers
    monotonic?: () => number
    machine?: () => number
  } = {},
): Promise<Store> {
  const pool = await openPool(database)
  const time = { timers: o.timers ?? realTimers, monotonic: o.monotonic ?? monotonic }
  const machine = o.machine ?? machineTime
  const { opened, clock } = await open().catch(async (error: unknown) => {
    await pool.close()
    throw error instanceof SwitchhookError ? error : unavailable('the database cannot be opened', error)
  })
  const listeners = new Set<(work: Work) => void>()
  const onWake = (work: Work) => {
    for (const listener of listeners) listener(work)
  }
  const notifications = createNotifications({ pool, ...time, onWake })
  const made = (work: Work) => {
    onWake(work)
    notifications.tell(work)
  }
  const commit = createGroupCommit({ pool, ...time, onWake: made })
  let closing: Promise<void> | undefined

  async function open() {
    const opened = await prepare(pool, o)
    return { opened, clock: await openServerClock({ pool, machine, monotonic: time.monotonic, say: o.say }) }
  }

  async function close(): Promise<void> {
    await commit.close()
    await notifications.close()
    await pool.close()
  }

  const operations = operationsOver({
    write: commit.run,
    // Whoever waits for the lock has it in between.
    portion: commit.run,
    keep: commit.keep,
    accept: commit.accept,
    read: (operation) => patiently(() => readOver(pool, operation), { ...time, isClosed: () => closing !== undefined }),
  })
  return {
    ...operations,
    clock: clock.now,
    async renew(...asked) {
      // Beside the renewal, which waits for others: an answer that comes late tells little about a clock.
      void clock.look()
      await operations.renew(...asked)
    },
    restored: opened.restored,
    isNew: opened.isNew,
    onWork(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    // The server gives room back by itself, and promises nothing about its pages, its log, or its copies.
    compact: async () => ({ whole: undefined, logBytes: 0 }),
    close: () => (closing ??= close()),
  }
}

const READ_AGAIN_MS = 100

/** Repeats a read while the database does not answer, as long as a write waits for it. */
async function patiently<T>(
  read: () => ReturnType<Engine['read']>,
  { timers, monotonic, isClosed }: { timers: Timers; monotonic: () => number; isClosed: () => boolean },
): Promise<T> {
  const until = monotonic() + WAIT_MS
  for (;;) {
    if (isClosed()) throw storeClosed()
    try {
      return (await read()) as T
    } catch (error) {
      const kind = kindOf(error)
      if (kind === 'row') throw error
      if (kind === 'lasting' || monotonic() >= until) throw unavailable('the database could not be read', error)
      await new Promise<void>((resolve) => void timers.after(READ_AGAIN_MS, resolve))
    }
  }
}
