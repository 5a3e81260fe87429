import { type Stats, statSync } from 'node:fs'
import type { Connection } from './connection.ts'
import { leastLength, logOf, mayHaveShrunk } from './write-ahead-log.ts'

/**
 * The place of a database's files while open. `moved`: the database is not at its path any more. `cut`: it or its log
 * is shorter than what was written to it. `logGone`: the log or its index was removed; what is in it is still there for
 * whoever has it open. `logReplaced`: there is another in its place.
 */
export type Whereabouts = 'in place' | 'moved' | 'cut' | 'logGone' | 'logReplaced'

export interface WatchedFiles {
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
