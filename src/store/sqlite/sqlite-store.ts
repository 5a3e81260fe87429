import { resolve } from 'node:path'
import { machineTime, monotonic, realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { makeIndexes } from '../database/schema.ts'
import { createListeners, createPortions, type Engine, type Commit } from '../database/engine.ts'
import { operationsOver, type Store } from '../store.ts'
import { openConnection } from './connection.ts'
import { writeGeneration, raiseGeneration } from './generation.ts'
import { GroupCommit } from './group-commit.ts'
import { OpenFile, type OpenFileOptions } from './open-file.ts'
import { readOver } from './sqlite-reader.ts'
import { filesOf } from './backup.ts'

/**
 * Opens the store. With `restored: true` all sends are held. They are also held if the generation shows that the file
 * is an older copy: see generation.ts. @throws SwitchhookError `store_unavailable`, or `store_newer` if a newer release
 * wrote the file.
 */
export function openSqlite(
  database: string,
  o: Partial<OpenFileOptions> & { timers?: Timers; onCommit?: (commit: Commit) => void } = {},
): Store {
  // The path is absolute, because the app may change its working directory and the file may be opened again.
  const path = database === ':memory:' ? database : resolve(database)
  const time = { timers: o.timers ?? realTimers, monotonic: o.monotonic ?? monotonic }
  const { onWork, onWake } = createListeners()
  const onRestart = () => onWake('recheck')
  const file = new OpenFile(path, { connect: openConnection, ...o, monotonic: time.monotonic, onRestart })

  const commit = new GroupCommit({
    file,
    ...time,
    gathers: path !== ':memory:',
    onWake,
    onCommit: o.onCommit,
  })

  const write: Engine['write'] = (operation) => commit.run((tx) => tx.drive(operation(tx)))
  const operations = operationsOver({
    write,
    portion: path === ':memory:' ? write : createPortions({ write, ...time }),
    persist: (operation, { mayWait = false } = {}) => commit.persist((tx) => tx.drive(operation(tx)), { mayWait }),
    accept: (operation, given) => commit.accept((tx) => tx.drive(operation(tx)), given),
    read: async (operation) => file.read((from) => readOver(from, operation)),
    makeIndexes: () => commit.run((tx) => tx.drive(makeIndexes())),
  })

  return {
    ...operations,
    clock: clockOver(machineTime, time.monotonic),
    timeOfDay: machineTime,
    restored: file.restored,
    isNew: file.isNew,
    clockWentBack: file.clockWentBack,
    onWork,
    async openSendIn() {
      throw new SwitchhookError(
        'options_invalid',
        "send(): tx: this bot runs on SQLite, and tx needs a bot on PostgreSQL: set database: 'postgres://…', or send after your commit (switchhook/docs/sending.md#with-your-own-transaction)",
      )
    },
    async compact() {
      writeGeneration(path, await commit.run((tx) => raiseGeneration(tx.sql)))
      return file.truncateLog()
    },
    onDisk: () => (path === ':memory:' ? undefined : filesOf(path)),
    async close() {
      commit.close()
      file.close()
    },
  }
}

/**
 * Returns the machine's wall time, but never goes back: if the machine's clock goes back, the time advances with the
 * monotonic clock.
 */
export function clockOver(machine: () => number, steady: () => number): () => number {
  let ahead = machine() - steady()
  return () => {
    ahead = Math.max(ahead, machine() - steady())
    return Math.floor(steady() + ahead)
  }
}
