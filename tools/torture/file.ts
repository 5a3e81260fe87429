/** One SQLite file, each process on its own disk: others lock it, the disk fails, its log is taken away. */
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { buildLibrary, createDisk } from '../powercut/disk.ts'
import { read } from '../../test/store/sqlite-backend.ts'
import type { FileFault, Team, Who } from './decks.ts'
import type { World } from './faults.ts'
import type { Ground } from './ground.ts'
import type { App, Harness } from './processes.ts'

const LOCK_RETRY_MS = 2
const LOG_LOOK_MS = 20
/** A log that is seen open so often is not only being rewritten. */
const LOOKS = 10
/** Some commits of a process that works. */
const DISK_FAILS_MS = 500

export function openFile({ folder, database }: Harness, team: Team): Ground<FileFault> {
  const library = buildLibrary()
  /** Over the same files; none where the library cannot be built. */
  const disks = library === undefined ? [] : team.map(() => createDisk(library))
  /** Resolves when the log is in its place. Reading the database without its log makes a new one, and the removed one is lost. */
  let logInPlace: Promise<unknown> = Promise.resolve()
  return {
    environment: (who) => ({ ...disks[who]?.env, DISK_FOLDER: folder, DISK_LOG: '/dev/null' }),
    nodeOf: () => undefined,
    async strike(fault, world) {
      switch (fault.kind) {
        case 'suspend': {
          const app = world.app(fault.who)
          app.order({ do: 'suspend' })
          await wait(fault.ms)
          app.wake()
          return [app.pid]
        }
        case 'lock':
          await lock(database, fault.ms)
          return []
        case 'disk':
          disks[fault.who]?.fail(fault.failures)
          await wait(DISK_FAILS_MS)
          disks[fault.who]?.fail({ fsyncs: 0, writes: 0 })
          await repaired(world.app(fault.who), database)
          return []
        case 'log': {
          const removed = removeLog(fault.who, fault.index, { world, database })
          logInPlace = removed
          return removed
        }
      }
    },
    async read(query) {
      await logInPlace
      return read(database, query)
    },
    errors: () => ({}),
    async damage() {
      const rows = read(database, 'PRAGMA integrity_check').filter((row) => row['integrity_check'] !== 'ok')
      return rows.map((row) => `the file is not whole: ${JSON.stringify(row)}`)
    },
    async [Symbol.asyncDispose]() {
      for (const disk of disks) disk.remove()
      library?.remove()
    },
  }
}

/** A log that two processes have open is left alone: once one of them is gone, the other saves it and begins a new one. */
async function removeLog(
  who: Who,
  index: boolean,
  { world, database }: { world: World; database: string },
): Promise<number[]> {
  const log = `${database}-wal`
  rmSync(log)
  if (index) rmSync(`${database}-shm`)
  const app = world.app(who)
  await app.end('SIGKILL')
  while (!existsSync(log)) await wait(LOG_LOOK_MS)
  await world.restart(who)
  return [app.pid]
}

/** A process whose commit has failed closes the log until it could rewrite it. No process can save a log that none has open. */
async function repaired(app: App, database: string): Promise<void> {
  for (let seen = 0; seen < LOOKS; await wait(LOG_LOOK_MS)) {
    // Until it opens the file again it only reads, so it could save no log.
    await app.fileIsOpen()
    seen = isOpenIn(app, `${database}-wal`) ? seen + 1 : 0
  }
}

/** Always where the system does not tell; there no disk fails either. */
function isOpenIn({ pid }: App, file: string): boolean {
  const handles = `/proc/${pid}/fd`
  if (!existsSync(handles)) return true
  return readdirSync(handles).some((handle) => {
    try {
      return readlinkSync(join(handles, handle)) === file
    } catch {
      return false // closed meanwhile
    }
  })
}

/** Holds the write lock of the database for so long. */
async function lock(database: string, ms: number): Promise<void> {
  const raw = new Database(database, { timeout: 0 })
  try {
    while (!locked(raw)) await wait(LOCK_RETRY_MS)
    await wait(ms)
    raw.exec('ROLLBACK')
  } finally {
    raw.close()
  }
}

function locked(raw: Database.Database): boolean {
  try {
    raw.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false
    throw error
  }
}
