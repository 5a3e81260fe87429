import { machineTime, monotonic, realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { operationsOver } from '../operations/store.ts'
import type { Commit, Store, Work } from '../port/index.ts'
import { openSendIn, openUnlessTaken } from './app-transaction.ts'
import { openServerClock } from './clock.ts'
import { tellOfWrong, unavailable } from './faults.ts'
import { createHistoryIndexes } from './history-indexes.ts'
import { hotOperations } from './hot/index.ts'
import { createNotifications } from './notifications.ts'
import { createOneWriter } from './one-writer.ts'
import { prepare } from './open.ts'
import { createOrder } from './order.ts'
import { onceFree, patiently, whenItPasses } from './patience.ts'
import { openPool, type PostgresPool } from './pool.ts'
import { readOver } from './transaction.ts'

export type { PostgresPool } from './pool.ts'
export { openPostgresReader } from './reader.ts'

/**
 * Opens the store in a PostgreSQL database, in a schema of its own that several processes may share: by an address, or
 * over a pool of the app's own. `restored` holds all sends, as for a database that was brought back from a backup. `say` is
 * told, in one line, of a migration that takes long, before it begins, of a start that has to wait, of a clock that is wrong,
 * and of tables that somebody has altered; `onCommit` of each commit.
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
    onCommit?: (commit: Commit) => void
  } = {},
): Promise<Store> {
  const pool = await openPool(database)
  const time = { timers: o.timers ?? realTimers, monotonic: o.monotonic ?? monotonic }
  const machine = o.machine ?? machineTime
  const { opened, clock } = await whenItPasses(open, { ...time, say: o.say }).catch(async (error: unknown) => {
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
  const onFailure = tellOfWrong(o.say)
  const grouping = { pool, ...time, onWake: made, onCommit: o.onCommit, onFailure, order: createOrder() }
  const { close: closeWriter, ...writer } = createOneWriter(grouping)
  let closing: Promise<void> | undefined

  async function open() {
    const opened = await prepare(pool, o)
    return { opened, clock: await openServerClock({ pool, machine, monotonic: time.monotonic, say: o.say }) }
  }

  async function close(): Promise<void> {
    await hot.close()
    await closeWriter()
    await notifications.close()
    await pool.close()
  }

  const patience = { ...time, isClosed: () => closing !== undefined }
  const operations = operationsOver({
    ...writer,
    read: (operation, o) => patiently(() => readOver(pool, operation, o), patience),
  })
  const openAlone: Store['openSend'] = (send, o) =>
    o?.fence
      ? operations.openSend(send, o)
      : onceFree(() => writer.write((tx) => openUnlessTaken(tx, send, o)), patience)
  const hot = hotOperations({ ...operations, openSend: openAlone }, grouping)
  const historyIndexes = createHistoryIndexes({ pool, timers: time.timers })
  const withHistory = () => patiently(historyIndexes, patience)

  return {
    ...hot.operations,
    clock: clock.now,
    async renew(...asked) {
      // Beside the renewal, which waits for others: an answer that comes late tells little about a clock.
      void clock.look()
      return hot.operations.renew(...asked)
    },
    async history(...asked) {
      await withHistory()
      return operations.history(...asked)
    },
    async numbersOf(customer) {
      await withHistory()
      return operations.numbersOf(customer)
    },
    async latestOf(...asked) {
      await withHistory()
      return operations.latestOf(...asked)
    },
    openSendIn: (tx, send) => openSendIn(tx, send, opened.home),
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
