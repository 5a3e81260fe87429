import Database from 'better-sqlite3'
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { SwitchhookError, readError } from '../../base/errors.ts'
import { END_ALL_LEASES } from '../work/processes.ts'
import { BUSY_MS, type Connection, foreignDatabase, isBusy } from './connection.ts'
import type { Compacted } from '../store.ts'

/**
 * After a failed sync, Linux shows bytes that are not on the disk, and the next sync succeeds without them. So the log of a
 * crash or of a failed commit is written again before anything builds on it, and no checkpoint is implicit.
 */
export const logOf = (file: string) => `${file}-wal`

/** The bytes that are written again under one lock: other processes may write in between. */
const PART = 1 << 20
/** Twice SQLite's own bound: a checkpoint writes each page once. With a longer log it holds the event loop longer. */
const LONG = 2_000
/** Frames that are left to a checkpoint which keeps others from writing: a few milliseconds. */
const FEW_FRAMES = 256
const HEADER = 32
const FRAME_HEADER = 24

const STATE = 'PRAGMA wal_checkpoint(NOOP)'

interface Frames {
  readonly log: number
  /** Frames that were copied into the database. */
  readonly checkpointed: number
}

export function framesOf({ sql }: Connection): Frames {
  return sql(STATE).get() as Frames
}

export function isLong(connection: Connection): boolean {
  const { log, checkpointed } = framesOf(connection)
  return log >= LONG && checkpointed < log
}

/**
 * SQLite ends a log at the first frame that is not what was written, and drops the commits behind it. A power cut leaves one
 * unfinished commit there at most, since each is synced before the next begins. More are acknowledged ones.
 */
export function hasLostCommits(connection: Connection, file: string): boolean {
  const size = FRAME_HEADER + (connection.raw.pragma('page_size', { simple: true }) as number)
  const end = framesOf(connection).log
  const log = openSync(logOf(file), 'r')
  try {
    const read = (length: number, at: number) => {
      const bytes = Buffer.alloc(length)
      return readSync(log, bytes, 0, length, at) === length ? bytes : undefined
    }
    // Frames of an earlier use of the log have other salts.
    const salts = read(HEADER, 0)?.subarray(16, 24)
    let commits = 0
    for (let at = HEADER + end * size; commits < 2; at += size) {
      const frame = read(FRAME_HEADER, at)
      if (!frame || !salts?.equals(frame.subarray(8, 16))) break
      // The size of the database is in the last frame of a commit.
      if (frame.readUInt32BE(4) > 0) commits++
    }
    // Another process may have written them meanwhile.
    return commits > 1 && framesOf(connection).log === end
  } finally {
    closeSync(log)
  }
}

/** The fewest bytes that the files must have by what SQLite knows. An operator's `VACUUM` makes a database shorter. */
export function leastSizes(connection: Connection, databaseBefore: number): { database: number; log: number } {
  const page = connection.raw.pragma('page_size', { simple: true }) as number
  const pages = connection.raw.pragma('page_count', { simple: true }) as number
  const { log, checkpointed } = framesOf(connection)
  return {
    // Pages of the log's frames may not be in the database yet.
    database: pages * page < databaseBefore ? (pages - (log - checkpointed)) * page : databaseBefore,
    log: log === 0 ? 0 : HEADER + log * (FRAME_HEADER + page),
  }
}

/**
 * While others read and write. If all is copied, the next commit needs no room. Answers with the bytes of a log of which a
 * reader needs a part, and 0 if all is copied. @throws as SQLite does.
 */
export function checkpoint({ raw }: Connection): number {
  const [{ log, checkpointed } = { log: 0, checkpointed: 0 }] = raw.pragma('wal_checkpoint(PASSIVE)') as Checkpointed[]
  return checkpointed < log ? log * (FRAME_HEADER + (raw.pragma('page_size', { simple: true }) as number)) : 0
}

/**
 * Waits for no other process, which would block the event loop. The checkpoint that truncates keeps others from writing, so
 * one that does not goes before it.
 */
export function truncateLog({ raw }: Connection, file: string): Compacted {
  const [first] = raw.pragma('wal_checkpoint(PASSIVE)') as Checkpointed[]
  const isNear = first !== undefined && first.busy === 0 && first.log - first.checkpointed <= FEW_FRAMES
  const [result] = isNear ? (raw.pragma('wal_checkpoint(TRUNCATE)') as Checkpointed[]) : []
  return { whole: result?.busy === 0, logBytes: sizeOf(logOf(file)) }
}

interface Checkpointed extends Frames {
  readonly busy: number
}

/** Copies a removed log that is still open into the database. @throws if it cannot, or another process has it open too. */
export function saveRemovedLog(connection: Connection, file: string): void {
  try {
    // SQLite leaves the log only for a connection that is alone. It would not report that its own copying failed.
    const isCopied = truncateLog(connection, file).whole
    if (isCopied && connection.raw.pragma('journal_mode = DELETE', { simple: true }) === 'delete') return
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  throw new Error('another process uses it too: end that process')
}

/** The byte of a database's header that is 2 if it has a log. */
const READ_VERSION = 19

/**
 * SQLite would apply the log of the replaced database to the backup, and damage it. A backup says in its header that it has
 * no log. Never read that while this process has the file open: closing the handle drops SQLite's locks. @throws
 * SwitchhookError `store_unavailable`
 */
export function refuseBackupBesideLog(file: string): void {
  if (sizeOf(file) === 0 || sizeOf(logOf(file)) === 0) return
  const header = Buffer.alloc(READ_VERSION + 1)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, header, 0, header.length, 0)
  } finally {
    closeSync(handle)
  }
  if (header[READ_VERSION] !== 1) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${file} is a backup, and ${logOf(file)} is the log of the database that it replaced: move that log and ${file}-shm away`,
  )
}

/** Writes the whole log again, as SQLite reads it, and syncs it: then everything that SQLite recovers from it is on disk. */
export function writeLogAgain(file: string, timeout: number): void {
  const log = openLog(file)
  if (log === undefined) return
  let guard: Database.Database | undefined
  let writer: Database.Database | undefined
  try {
    guard = new Database(file, { readonly: true, timeout })
    if (foreignDatabase(guard) !== undefined) return
    writer = new Database(file, { timeout })
    for (let at = 0; copyOver(writer, log, at); at += PART);
    fsyncSync(log)
  } finally {
    // The guard is the last to close, and copies nothing into the database: see `closeWithoutCheckpoint`.
    writer?.close()
    guard?.close()
    closeSync(log)
  }
}

/** Undefined if there is no log with content: the last process that closes the database removes its log. */
function openLog(file: string): number | undefined {
  if (sizeOf(logOf(file)) === 0) return undefined
  try {
    return openSync(logOf(file), 'r+')
  } catch (error) {
    if (readError(error).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes one part of the log over itself while no process changes it; false at its end. */
function copyOver(writer: Database.Database, log: number, at: number): boolean {
  const part = Buffer.allocUnsafe(PART)
  writer.exec('BEGIN IMMEDIATE')
  try {
    const length = readSync(log, part, 0, PART, at)
    for (let done = 0; done < length; ) done += writeSync(log, part, done, length - done, at + done)
    return length === PART
  } finally {
    writer.exec('ROLLBACK')
  }
}

/** Closes a connection whose log nobody may copy. The last connection to close copies it, unless it can only read. */
export function closeWithoutCheckpoint(connection: Connection, file: string): void {
  closeBeside(connection, file)?.close()
}

/** The same, and a connection that can only read stays: another process that opens the file meanwhile is not alone. */
export function closeBeside(connection: Connection, file: string): Database.Database | undefined {
  const reader = openReader(file)
  connection.close()
  return reader
}

export function openReader(file: string): Database.Database | undefined {
  let reader: Database.Database | undefined
  try {
    reader = new Database(file, { readonly: true, timeout: BUSY_MS })
    reader.pragma('user_version')
  } catch {
    // The lock that counts is taken even if the log cannot be read; into a file that is gone SQLite copies nothing.
  }
  return reader
}

/** Syncs the names of the files; SQLite ignores if that fails. */
export function syncFolder(file: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

// ── who else has the file open ──────────────────────────────────────────────────────────────────────

export function openAlone(file: string): Database.Database | undefined {
  const raw = new Database(file, { timeout: 0 })
  try {
    // In WAL mode SQLite gives an exclusive lock only if no other connection is open.
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('synchronous = FULL')
    // SQLite takes the lock before it creates a log, so a refused attempt leaves none.
    raw.pragma('user_version')
    return raw
  } catch (error) {
    raw.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/**
 * Ends the leases of killed processes, so that their lanes are free at once. If other processes use the file, leases end
 * by time.
 */
export function endOldLeases(file: string): void {
  const raw = openAlone(file)
  try {
    raw?.exec(END_ALL_LEASES)
  } finally {
    raw?.close()
  }
}

const RETRY_MS = 20

/**
 * Each of the two would write its own log, and one would be lost. The other process saves its log within seconds, if it is
 * the only one; this blocks so long. @throws SwitchhookError `store_unavailable`
 */
export function refuseBesideRemovedLog(file: string, patienceMs: number): void {
  for (let waited = 0; existsSync(file) && !existsSync(logOf(file)) && !isAlone(file); waited += RETRY_MS) {
    if (waited >= patienceMs)
      throw new SwitchhookError(
        'store_unavailable',
        `the database ${file} has lost its log, which was removed while another process has it open: end that process, ` +
          'and start again; find out who removes files beside it',
      )
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
  }
}

function isAlone(file: string): boolean {
  try {
    const raw = openAlone(file)
    raw?.close()
    return raw !== undefined
  } catch {
    // Whatever else is wrong, the opening reports.
    return true
  }
}
