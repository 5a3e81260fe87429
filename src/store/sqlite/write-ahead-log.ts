import Database from 'better-sqlite3'
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { SwitchhookError, readError } from '../../base/errors.ts'
import { END_ALL_LEASES } from '../database/inbox-tables.ts'
import { BUSY_MS, type Connection, foreignDatabase, isBusy } from './connection.ts'
import type { Compacted } from '../store.ts'

/**
 * Handling of the write-ahead log. After a failed sync, Linux returns bytes that are not on disk, and the next sync
 * succeeds without them. So after a crash or a failed commit the log is written again before anything builds on it. No
 * checkpoint is automatic.
 */
export const logOf = (file: string) => `${file}-wal`

/** How many bytes of the log are written again under one lock. Other processes may write in between. */
const PART = 1 << 20
/**
 * The length of log at which it is copied: twice SQLite's own. A checkpoint writes each page once, so a longer log
 * means less writing, and blocks the event loop longer.
 */
const LONG = 2_000
/** The most frames that a truncating checkpoint copies, while others cannot write: a few milliseconds. */
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
 * Returns true if the log has lost acknowledged commits. SQLite ends a log at the first damaged frame, and drops the
 * commits behind it. A power cut leaves at most one unfinished commit there, because each one is synced before the next
 * begins. If there are more, they were acknowledged.
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
    // Frames with other salts are from an earlier use of the log.
    const salts = read(HEADER, 0)?.subarray(16, 24)
    let commits = 0
    for (let at = HEADER + end * size; commits < 2; at += size) {
      const frame = read(FRAME_HEADER, at)
      if (!frame || !salts?.equals(frame.subarray(8, 16))) break
      // The last frame of a commit contains the size of the database.
      if (frame.readUInt32BE(4) > 0) commits++
    }
    // Another process may have written these commits meanwhile.
    return commits > 1 && framesOf(connection).log === end
  } finally {
    closeSync(log)
  }
}

/**
 * Returns the smallest sizes that the files must have, as SQLite knows them. An operator's `VACUUM` makes a database
 * shorter.
 */
export function leastSizes(connection: Connection, databaseBefore: number): { database: number; log: number } {
  const page = connection.raw.pragma('page_size', { simple: true }) as number
  const pages = connection.raw.pragma('page_count', { simple: true }) as number
  const { log, checkpointed } = framesOf(connection)
  return {
    // The log may contain pages that are not in the database yet.
    database: pages * page < databaseBefore ? (pages - (log - checkpointed)) * page : databaseBefore,
    log: log === 0 ? 0 : HEADER + log * (FRAME_HEADER + page),
  }
}

/**
 * Copies the log into the database while others read and write. If all is copied, the next commit needs no space.
 * Returns the size of the log if a reader needs a part of it, and 0 if all is copied. @throws SQLite's errors.
 */
export function checkpoint({ raw }: Connection): number {
  const [{ log, checkpointed } = { log: 0, checkpointed: 0 }] = raw.pragma('wal_checkpoint(PASSIVE)') as Checkpointed[]
  return checkpointed < log ? log * (FRAME_HEADER + (raw.pragma('page_size', { simple: true }) as number)) : 0
}

/**
 * Truncates the log. It does not wait for other processes, which would block the event loop. The truncating checkpoint
 * keeps others from writing, so an ordinary one runs before it.
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

/**
 * Copies a removed log that is still open into the database. @throws if it cannot, or if another process has the log
 * open too.
 */
export function saveRemovedLog(connection: Connection, file: string): void {
  try {
    // SQLite leaves WAL mode only if no other connection is open. It would not report a failed copy.
    const isCopied = truncateLog(connection, file).whole
    if (isCopied && connection.raw.pragma('journal_mode = DELETE', { simple: true }) === 'delete') return
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  throw new Error('another process uses it too: end that process')
}

/** Offset of the byte in a database's header that is 2 if the database has a log. */
const READ_VERSION = 19

/**
 * Refuses a backup that was put beside the log of the replaced database: SQLite would apply the log to it and damage
 * it. The header of a backup states that it has no log. Never read the header while this process has the file open,
 * because closing the handle drops SQLite's locks. @throws SwitchhookError `store_unavailable`
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

/**
 * Writes the whole log again, as SQLite reads it, and syncs it. Then everything that SQLite recovers from it is on
 * disk.
 */
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
    // The guard closes last, and copies nothing into the database: see `closeWithoutCheckpoint`.
    writer?.close()
    guard?.close()
    closeSync(log)
  }
}

/** Opens the log. Undefined if it is missing or empty: the last process to close the database removes its log. */
function openLog(file: string): number | undefined {
  if (sizeOf(logOf(file)) === 0) return undefined
  try {
    return openSync(logOf(file), 'r+')
  } catch (error) {
    if (readError(error).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes one part of the log over itself while no process changes it. Returns false at the end of the log. */
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

/**
 * Closes a connection whose log must not be copied. The last connection to close copies the log, unless it can only
 * read.
 */
export function closeWithoutCheckpoint(connection: Connection, file: string): void {
  closeBeside(connection, file)?.close()
}

/**
 * Like `closeWithoutCheckpoint`, but a connection that can only read stays open. So another process that opens the file
 * meanwhile does not get it alone.
 */
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
    // Even if the log cannot be read, this connection has a lock, so that no other connection is the last one.
  }
  return reader
}

/** Syncs the folder, so that the names of the files are on disk. SQLite ignores failures of that. */
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
    // In WAL mode SQLite grants an exclusive lock only if no other connection is open.
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
 * Ends the leases of killed processes, so that their lanes are free at once. If other processes use the file, leases
 * end by time.
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
 * Refuses to open a database whose log was removed while another process uses it. This process would begin a second log,
 * and the commits of one of the two would be lost. If exactly one other process has the file open, it copies its removed
 * log into the database within seconds. Until then this call blocks. @throws SwitchhookError `store_unavailable`
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
    // Other problems are reported by the opening.
    return true
  }
}
