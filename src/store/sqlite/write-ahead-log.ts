import Database from 'better-sqlite3'
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { SwitchhookError } from '../../base/errors.ts'
import type { Compacted } from '../types/index.ts'
import { BUSY_MS, type Connection, foreignDatabase, isBusy, OPENING_BUSY_MS } from './connection.ts'

/**
 * SQLite's write-ahead log beside the database. After a sync that failed, Linux shows bytes that are not on the disk,
 * and the next sync succeeds without them. So the log of a crash or of a failed commit is written once more before
 * anything is built upon it, and nothing leaves it for the database unnoticed.
 */
export const logOf = (file: string) => `${file}-wal`

/** The bytes that are written again under one lock: other processes may write in between. */
const PART = 1 << 20
/**
 * The frames of a long log, four times SQLite's own bound: random places of an index change in nearly each commit, and
 * a checkpoint writes each once.
 */
const LONG = 4_000
/** Frames that are left to a checkpoint which keeps others from writing: a few milliseconds. */
const FEW_FRAMES = 256
const HEADER = 32
const FRAME_HEADER = 24

const STATE = 'PRAGMA wal_checkpoint(NOOP)'

/** The frames of the log that count, and how many of them were copied into the database. */
export function framesOf({ sql }: Connection): Omit<Checkpointed, 'busy'> {
  return sql(STATE).get() as Checkpointed
}

/** How long the log must be, in bytes. */
export function leastLength(connection: Connection): number {
  const { log } = framesOf(connection)
  return log === 0 ? 0 : HEADER + log * (FRAME_HEADER + pageSizeOf(connection))
}

/**
 * False if bytes of the database are missing. `VACUUM`, which an operator may run, makes it shorter: then it has at least
 * the pages that no frame of the log can have added since.
 *
 * @param before bytes that it had.
 */
export function mayHaveShrunk(connection: Connection, size: number, before: number): boolean {
  try {
    const page = pageSizeOf(connection)
    const pages = connection.raw.pragma('page_count', { simple: true }) as number
    const { log, checkpointed } = framesOf(connection)
    return pages * page < before && (pages - (log - checkpointed)) * page <= size
  } catch {
    return false
  }
}

function pageSizeOf({ raw }: Connection): number {
  return raw.pragma('page_size', { simple: true }) as number
}

/** Writes the whole log once more, as it is read, and syncs it: then what a recovery takes from it stays. */
export function writeLogAgain(file: string, timeout = OPENING_BUSY_MS): void {
  const log = openLog(file)
  if (log === undefined) return
  try {
    const guard = new Database(file, { readonly: true, timeout })
    try {
      if (foreignDatabase(guard) !== undefined) return
      copyWhole(log, file, timeout)
    } finally {
      guard.close()
    }
  } finally {
    closeSync(log)
  }
}

/** Undefined if there is none with anything in it: the last process that closes the database removes its log. */
function openLog(file: string): number | undefined {
  if (sizeOf(logOf(file)) === 0) return undefined
  try {
    return openSync(logOf(file), 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function copyWhole(log: number, file: string, timeout: number): void {
  const writer = new Database(file, { timeout })
  try {
    for (let at = 0; copyOver(writer, log, at); at += PART);
    fsyncSync(log)
  } finally {
    writer.close()
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

/**
 * Closes a connection whose log is not to be trusted. SQLite copies the log into the database as its last connection
 * closes, unless that one can only read.
 */
export function closeWithoutCheckpoint(connection: Connection, file: string): void {
  let guard: Database.Database | undefined
  try {
    guard = new Database(file, { readonly: true, timeout: BUSY_MS })
    guard.pragma('user_version')
  } catch {
    // The lock that counts is taken even if the log cannot be read; into a file that is gone SQLite copies nothing.
  }
  connection.close()
  guard?.close()
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

/**
 * Copies a log that has grown long into the database, as SQLite does by itself; but then nobody hears of a failure.
 *
 * @throws as SQLite does, for instance if the database cannot be synced.
 */
export function checkpointIfLong(connection: Connection): void {
  const { log, checkpointed } = framesOf(connection)
  if (log >= LONG && checkpointed < log) copyLog(connection)
}

/** Copies as much as can be copied while others read and write; if that is all, the next commit begins the log anew. */
export function copyLog({ raw }: Connection): void {
  raw.pragma('wal_checkpoint(PASSIVE)')
}

/**
 * Checkpoints the log and truncates it. It waits for no other process, since that would block the event loop: while
 * another one reads or writes, SQLite checkpoints what it can, and the log keeps its length. The checkpoint that
 * truncates keeps others from writing to its end, so one that does not goes before it.
 */
export function truncateLog({ raw }: Connection, file: string): Compacted {
  const [first] = raw.pragma('wal_checkpoint(PASSIVE)') as Checkpointed[]
  const isNear = first !== undefined && first.busy === 0 && first.log - first.checkpointed <= FEW_FRAMES
  const [result] = isNear ? (raw.pragma('wal_checkpoint(TRUNCATE)') as Checkpointed[]) : []
  return { whole: result?.busy === 0, logBytes: sizeOf(logOf(file)) }
}

interface Checkpointed {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

const LOOK_AGAIN_MS = 20

/**
 * Refuses a database whose log was removed while another process has it open: opened now, the two would write logs of
 * their own, and one of them would be lost. That process saves its log within seconds, if it may.
 *
 * @throws SwitchhookError `store_unavailable`
 */
export function refuseBesideRemovedLog(file: string): void {
  for (let waited = 0; existsSync(file) && !existsSync(logOf(file)) && !isAlone(file); waited += LOOK_AGAIN_MS) {
    if (waited >= OPENING_BUSY_MS)
      throw new SwitchhookError(
        'store_unavailable',
        `the database ${file} has lost its log, which was removed while another process has it open: end that process, ` +
          'and start again; find out who removes files beside it',
      )
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS)
  }
}

/** SQLite takes the exclusive lock before it makes a log, so that a refused look leaves none. */
function isAlone(file: string): boolean {
  let raw: Database.Database | undefined
  try {
    raw = new Database(file, { timeout: 0 })
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('user_version')
    return true
  } catch (error) {
    // Whatever else is wrong is said by the opening.
    return !isBusy(error)
  } finally {
    raw?.close()
  }
}
