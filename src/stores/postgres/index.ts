import { monotonic, realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { type Engine, operationsOver } from '../operations/store.ts'
import type { Store, Work } from '../port/index.ts'
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
  o: { restored?: boolean; say?: (line: string) => void; timers?: Timers; monotonic?: () => number } = {},
): Promise<Store> {
  const pool = await openPool(database)
  const opened = await prepare(pool, o).catch(async (error: unknown) => {
    await pool.close()
    throw error instanceof SwitchhookError ? error : unavailable('the database cannot be opened', error)
  })
  const listeners = new Set<(work: Work) => void>()
  const onWake = (work: Work) => {
    for (const listener of listeners) listener(work)
  }
  const time = { timers: o.timers ?? realTimers, monotonic: o.monotonic ?? monotonic }
  const notifications = createNotifications({ pool, ...time, onWake })
  const commit = createGroupCommit({ pool, ...time, tell: notifications.tell, onWake })
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await commit.close()
    notifications.close()
    await pool.close()
  }

  return {
    ...operationsOver({
      write: commit.run,
      // Whoever waits for the lock has it in between.
      portion: commit.run,
      keep: commit.keep,
      accept: commit.accept,
      read: (operation) =>
        patiently(() => readOver(pool, operation), { ...time, isClosed: () => closing !== undefined }),
    }),
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
