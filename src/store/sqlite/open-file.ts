import { type Stats, statSync } from 'node:fs'
import { SwitchhookError } from '../../base/errors.ts'
import type { Compacted } from '../types/index.ts'
import { type Connection, type openConnection, unavailable } from './connection.ts'
import { holdSendsNextTime } from './generation.ts'
import { codeOf } from './transaction.ts'
import {
  checkpointIfLong,
  closeWithoutCheckpoint,
  copyLog,
  framesOf,
  leastLength,
  logOf,
  mayHaveShrunk,
  syncFolder,
  truncateLog,
  writeLogAgain,
} from './write-ahead-log.ts'

/** A database that is open: its connection, and what is done when its files or its disk misbehave. */
export interface OpenFile {
  reading(): Connection
  /** For a commit; if one has failed before, the file is opened anew first. */
  writing(): Connection
  /** Throws if nothing may be acknowledged, since the next start would not find it. */
  check(): void
  /** The same after a commit: then what can be saved is saved without an error, which the next `check` throws. */
  confirm(): void
  /**
   * A commit has failed. If the disk is full, or the log may not grow (a limit of the file size, a quota), the log is copied
   * into the database, so that the next commit needs no room.
   */
  failed(error: unknown): void
  /** After each commit: copies a log that has grown long into the database; a failure is met before the next commit. */
  tidy(): void
  truncateLog(): Compacted
  close(): void
}

/** The longest wait of the event loop for another process while the file is opened anew, beside requests. */
const REOPENING_BUSY_MS = 250

/** SQLite has a code of its own for a full disk alone; at a limit or a quota the write fails like any other. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE'])

/** The length of the log is looked at once in so many commits: the look costs as much as a short statement. */
const COMMITS_A_LOOK = 8

/** After a failure: some of the log may not be on the disk, or some of the database either. */
type Doubt = 'log' | 'database'

/**
 * Keeps a database open that was prepared before.
 *
 * Content of the disk is certain after each successful sync, and in doubt after one that failed: the pages are dropped,
 * and look as if they were written. A commit that failed leaves such pages in the log. SQLite would take them for
 * committed as soon as it recovers the log, so that all that follows is lost with the next power cut. A checkpoint that
 * failed leaves them in the database; the log still has them, but SQLite counts what it copied earlier as safe without a
 * sync. So after either one the connection is closed without a checkpoint, the log is written and synced once more, and
 * the file is opened anew: by itself SQLite copies then from the beginning of the log.
 */
export function keepOpen(file: string, connect: typeof openConnection): OpenFile {
  let connection: Connection | undefined
  let watched: WatchedFiles
  let doubt: Doubt | undefined
  /** Nothing is trusted any more until the next start. */
  let lost: SwitchhookError | undefined
  let news: SwitchhookError | undefined
  let commits = 0

  open()

  function open(busyMs?: number): void {
    connection = connect(file, busyMs)
    try {
      watched = watchFiles(file, connection)
      syncFolder(file)
    } catch (error) {
      connection.close()
      connection = undefined
      throw unavailable(file, error)
    }
  }

  function reading(): Connection {
    if (lost) throw lost
    if (!connection) throw trouble(file, 'is closed')
    return connection
  }

  function examine(): void {
    if (lost) throw lost
    if (!connection) return
    const found = watched.look()
    if (found === 'in place') return
    if (found === 'logGone' && saved(connection)) return
    if (found !== 'cut') throw trouble(file, FOUND[found])
    holdSendsNextTime(file)
    throw (lost = trouble(file, FOUND.cut))
  }

  /** Brings what a removed log holds into the database, if nobody else can have begun another log. */
  function saved(current: Connection): boolean {
    if (doubt === 'database' && framesOf(current).checkpointed > 0) return false
    try {
      if (!truncateLog(current, file).whole) return false
      // Taken only by a connection that is alone.
      if (current.raw.pragma('journal_mode = DELETE', { simple: true }) !== 'delete') return false
    } catch {
      return false
    }
    current.close()
    connection = undefined
    // If the opening fails, it is repeated like that after a failed commit.
    doubt = 'log'
    open(REOPENING_BUSY_MS)
    doubt = undefined
    news = trouble(file, SAVED)
    return true
  }

  /**
   * The log must not be copied into the database. Over one that another process has filled from a log of its own, all of
   * that would be lost.
   */
  function isDistrusted(): boolean {
    return doubt !== undefined || lost !== undefined || watched.isLogReplaced()
  }

  function repair(kind: Doubt): void {
    // Opening would make a new file in the place of one that is gone.
    if (watched.isMoved()) throw trouble(file, FOUND.moved)
    examine()
    if (!doubt) return
    if (connection) closeWithoutCheckpoint(connection, file)
    connection = undefined
    writeLogAgain(file, REOPENING_BUSY_MS)
    open(REOPENING_BUSY_MS)
    if (kind === 'database' && framesOf(reading()).checkpointed > 0) throw trouble(file, HALF_COPIED)
    doubt = undefined
  }

  function distrust(kind: Doubt): void {
    if (doubt === kind || lost) return
    doubt = kind
    try {
      repair(kind)
    } catch {
      // Tried again before the next commit: nothing is claimed as stored meanwhile.
    }
  }

  function checkpointing<T>(copy: (from: Connection) => T): T {
    try {
      return copy(reading())
    } catch (error) {
      // A full disk has dropped nothing.
      if (codeOf(error)?.startsWith('SQLITE_IOERR')) distrust('database')
      throw error
    }
  }

  /** A log may fill the disk before it is long, and then no commit lands after which it would be copied. */
  function emptyLog(): void {
    if (!connection || isDistrusted()) return
    try {
      checkpointing(copyLog)
    } catch {
      // The database has to grow for it; the log still has all of it.
    }
  }

  return {
    reading,
    writing() {
      if (doubt) repair(doubt)
      return reading()
    },
    check() {
      examine()
      const told = news
      news = undefined
      if (told) throw told
    },
    confirm: examine,
    failed(error) {
      distrust('log')
      if (NO_ROOM.has(codeOf(error))) emptyLog()
    },
    tidy() {
      if (!connection || ++commits % COMMITS_A_LOOK !== 0 || isDistrusted()) return
      try {
        checkpointing(checkpointIfLong)
      } catch {
        // The log still has all of it.
      }
    },
    truncateLog() {
      examine()
      return checkpointing((from) => truncateLog(from, file))
    },
    close() {
      if (connection && isDistrusted()) closeWithoutCheckpoint(connection, file)
      else connection?.close()
      connection = undefined
    },
  }
}

/** A database in memory has no files, and no disk that fails. */
export function keepInMemory(connection: Connection): OpenFile {
  let open: Connection | undefined = connection
  function reading(): Connection {
    if (!open) throw trouble(':memory:', 'is closed')
    return open
  }
  return {
    reading,
    writing: reading,
    check() {},
    confirm() {},
    failed() {},
    tidy() {},
    truncateLog: () => truncateLog(reading(), ':memory:'),
    close() {
      open?.close()
      open = undefined
    },
  }
}

const FOUND = {
  moved:
    'was removed or replaced while it was open, so nothing more is stored in it: put it back, or start the bot again',
  logGone:
    'has lost its log, which was removed while it was open, and another process uses it too, so nothing more is stored in it: end all of them, this one last, and start again',
  logReplaced:
    'has another log than the one that was opened, so nothing more is stored in it, and what was stored last is missing in the other: end all processes that use it, and start the bot again',
  cut: 'or its log was cut short while it was open, so nothing more is stored in it: what was stored last is missing; start the bot again, and it begins with its sends held',
} as const
const SAVED =
  'lost its log, which was removed while it was open: what was in it is saved, and a new one is begun; find out who removes files beside it'
const HALF_COPIED =
  'could not be synced, and another process uses it too, so nothing more is stored in it: end that process, and it is tried again'

function trouble(file: string, what: string): SwitchhookError {
  return new SwitchhookError('store_unavailable', `the database ${file} ${what}`)
}

/**
 * The place of a database's files while open. `moved`: the database is not at its path any more. `cut`: it or its log
 * is shorter than what was written to it. `logGone`: the log or its index was removed; what is in it is still there for
 * whoever has it open. `logReplaced`: there is another in its place.
 */
type Whereabouts = 'in place' | 'moved' | 'cut' | 'logGone' | 'logReplaced'

interface WatchedFiles {
  /** Outside of a transaction. A path that may not be looked at counts as in place. */
  look(): Whereabouts
  /** The same of the database alone, also when it is closed. */
  isMoved(): boolean
  /** There is another log, or another index of it, than the one that is open. */
  isLogReplaced(): boolean
}

/**
 * Watches a database's files. SQLite goes on writing to files that were removed, replaced or cut, by a deploy that
 * cleans its folder for instance; what is acknowledged then is gone with the process.
 *
 * @param connection the one that has them open.
 */
export function watchFiles(file: string, connection: Connection): WatchedFiles {
  // SQLite makes the log and its index as it first reads.
  connection.raw.pragma('user_version')
  const paths = [file, logOf(file), `${file}-shm`] as const
  const opened = paths.map(look)
  let [size, logSize] = opened.map((found) => (found ? found.size : 0)) as [number, number]

  function whereabouts(): Whereabouts {
    const found = lookOnce()
    // A log that another process truncates and writes between the look at its length and the one at its index seems cut.
    return found === 'cut' ? lookOnce() : found
  }

  function lookOnce(): Whereabouts {
    const database = look(paths[0])
    if (!isSame(database, opened[0])) return 'moved'
    if (database && database.size < size && !mayHaveShrunk(connection, database.size, size)) return 'cut'
    const log = look(paths[1])
    const index = look(paths[2])
    if (log === null || index === null) return 'logGone'
    if (!areOpened(log, index)) return 'logReplaced'
    // Another process may truncate the log when all of it is in the database.
    if (log && log.size < logSize && log.size < leastLength(connection)) return 'cut'
    if (database) size = database.size
    if (log) logSize = log.size
    return 'in place'
  }

  const areOpened = (log: Found, index: Found) => isSame(log, opened[1]) && isSame(index, opened[2])

  function isLogReplaced(): boolean {
    const log = look(paths[1])
    const index = look(paths[2])
    return log !== null && index !== null && !areOpened(log, index)
  }

  return { look: whereabouts, isMoved: () => !isSame(look(file), opened[0]), isLogReplaced }
}

/** Null if there is nothing; undefined if nothing can be said. */
type Found = Stats | null | undefined

function look(path: string): Found {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return undefined
  }
}

function isSame(found: Found, opened: Found): boolean {
  if (found === undefined || opened === undefined) return true
  return found?.ino === opened?.ino && found?.dev === opened?.dev
}
