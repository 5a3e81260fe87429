import { resolve } from 'node:path'
import { machineTime, monotonic, realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { followClock } from '../upkeep/clock.ts'
import { behindIndexes, makeIndexes } from '../reads/history.ts'
import { operationsOver, type Store } from '../store.ts'
import type { Commit, Work } from '../types/index.ts'
import { BUSY_MS, type Connection, openConnection, OPENING_BUSY_MS, unavailable } from './connection.ts'
import { freeAbandonedLanes } from './free-abandoned-lanes.ts'
import { admit, keepBeside, raiseGeneration, refuseToBeginAnew } from './generation.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { keepInMemory, keepOpen } from './open-file.ts'
import { readOver } from './reader.ts'
import { refuseBesideRemovedLog, writeLogAgain } from './write-ahead-log.ts'

/**
 * Opens the embedded store. Writes of one turn of the event loop share one commit; reads go straight to the connection.
 * `restored` holds all sends, as for a database that was brought back from a backup; if the generation shows that it
 * was, they are held unasked (see `admit`). `onCommit` is told of each commit.
 *
 * @throws SwitchhookError `store_unavailable` if the file cannot be opened, `store_newer` if a newer release wrote it.
 */
export function openSqlite(
  database: string,
  o: Preparing & {
    timers?: Timers
    monotonic?: () => number
    connect?: typeof openConnection
    onCommit?: (commit: Commit) => void
  } = {},
): Store {
  // An app may go to another folder after the start, and the file is opened anew after a failed commit.
  const file = database === ':memory:' ? database : resolve(database)
  const connect = o.connect ?? openConnection
  const first = prepared(file, connect, o)
  const listeners = new Set<(work: Work) => void>()

  const time = { timers: o.timers ?? realTimers, monotonic: o.monotonic ?? monotonic }
  const commit = createGroupCommit({
    file: first.open,
    ...time,
    gathers: file !== ':memory:',
    onWake(work) {
      for (const listener of listeners) listener(work)
    },
    onCommit: o.onCommit,
  })

  const portion = file === ':memory:' ? commit.run : createPortions({ commit, ...time })

  const operations = operationsOver({
    write: (operation) => commit.run((tx) => tx.drive(operation(tx))),
    portion: (operation) => portion((tx) => tx.drive(operation(tx))),
    keep: (operation, { mayWait = false } = {}) => commit.keep((tx) => tx.drive(operation(tx)), { mayWait }),
    accept: (operation, given) => commit.accept((tx) => tx.drive(operation(tx)), given),
    read: async (operation) => readOver(first.open.reading(), operation),
  })

  const { history, numbersOf, latestOf } = operations
  const ofHistory = { history, numbersOf, latestOf }
  return {
    ...operations,
    ...behindIndexes(ofHistory, () => commit.run((tx) => tx.drive(makeIndexes()))),
    clock: clockOver(machineTime, time.monotonic),
    restored: first.restored,
    isNew: first.isNew,
    onWork(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async openSendIn() {
      throw new SwitchhookError(
        'options_invalid',
        "send(): tx: this bot runs on SQLite, and tx needs a bot on PostgreSQL: set database: 'postgres://…', or send after your commit (switchhook/docs/sending.md#with-your-own-transaction)",
      )
    },
    async compact() {
      keepBeside(file, await commit.run((tx) => raiseGeneration(tx.sql)))
      return first.open.truncateLog()
    },
    async close() {
      commit.close()
      first.open.close()
    },
  }
}

/** The machine's wall time, which never goes back here: then it is carried on by a clock that nobody sets. */
function clockOver(machine: () => number, monotonic: () => number): () => number {
  let ahead = machine() - monotonic()
  return () => {
    ahead = Math.max(ahead, machine() - monotonic())
    return Math.floor(monotonic() + ahead)
  }
}

/** Opens a file that a crash may have left, brings it up to date, and frees what its last process held. */
interface Preparing {
  readonly restored?: boolean
}

function prepared(file: string, connect: typeof openConnection, o: Preparing) {
  if (file !== ':memory:') {
    refuseToBeginAnew(file)
    refuseBesideRemovedLog(file)
    saveLog(file)
  }
  const connection = connect(file)
  const admitted = upToDate(connection, file, o)
  if (file === ':memory:') return { open: keepInMemory(connection), ...admitted }
  // The probe needs to be alone, so our own connection steps aside for a moment.
  connection.close()
  freeAbandonedLanes(file)
  return { open: keepOpen(file, connect), ...admitted }
}

function saveLog(file: string): void {
  try {
    writeLogAgain(file)
  } catch (error) {
    throw unavailable(file, error)
  }
}

function upToDate(connection: Connection, file: string, { restored = false }: Preparing) {
  try {
    connection.raw.pragma(`busy_timeout = ${OPENING_BUSY_MS}`)
    migrate(connection, file)
    const admitted = admit(connection, file, restored)
    // A database in memory outlives no clock.
    if (file !== ':memory:') connection.raw.transaction(() => connection.drive(followClock(machineTime()))).immediate()
    connection.raw.pragma(`busy_timeout = ${BUSY_MS}`)
    return admitted
  } catch (error) {
    connection.close()
    throw error instanceof SwitchhookError ? error : unavailable(file, error)
  }
}

/**
 * Runs portions of long work one after the other. Between two of them the file is free for as long as the first kept it,
 * so that other processes get their turn, and the event loop is free too.
 */
export function createPortions(o: {
  commit: Pick<GroupCommit, 'run'>
  timers: Timers
  monotonic: () => number
}): GroupCommit['run'] {
  let free: Promise<unknown> = Promise.resolve()
  return (operation) => {
    let begunAt = 0
    const portion = free.then(() =>
      o.commit.run((tx) => {
        begunAt = o.monotonic()
        return operation(tx)
      }),
    )
    const rest = () => new Promise<void>((resolve) => void o.timers.after(o.monotonic() - begunAt, resolve))
    free = portion.then(rest, () => {})
    return portion
  }
}
