import * as wal from './write-ahead-log.ts'
import { statSync } from 'node:fs'
import { machineTime } from '../../base/clock.ts'
import { SwitchhookError, causeOf, reasonOf } from '../../base/errors.ts'
import {
  BUSY_MS,
  type Connection,
  isBusy,
  isDamage,
  migrate,
  type openConnection,
  OPENING_BUSY_MS,
  refuseDamage,
  REPAIR,
  unavailable,
} from './connection.ts'
import { admit, holdSendsNextTime, refuseToBeginAnew } from './generation.ts'
import { codeOf } from './transaction.ts'
import { sql } from '../database/sql.ts'
import { one, execute, type Steps } from '../database/steps.ts'
import { LEASE_MS } from '../work/lanes.ts'
import { moveBack } from '../work/processes.ts'
import { processes } from '../database/inbox-tables.ts'

export interface OpenFileOptions {
  readonly connect: typeof openConnection
  readonly restored?: boolean | undefined
  readonly monotonic: () => number
  /** Receives a line when the database cannot be trusted any more: once until it is open again. */
  readonly onFailure?: ((line: string, alarm: StoreAlarm) => void) | undefined
  /**
   * Called when the database is open again. The result of a failed commit may be stored, and the one of an earlier
   * commit may be missing.
   */
  readonly onRestart?: (() => void) | undefined
}

export type StoreAlarm = 'store_failed' | 'store_damaged' | 'log_grows'

const RESTART_MS = 5_000
/** The longest wait for another process during a restart. It blocks the event loop while requests arrive. */
const RESTART_BUSY_MS = 250
/**
 * Codes of a disk without room. `SQLITE_FULL` is only for a full disk: at a quota, or a limit of the file size, a write
 * fails with the other codes.
 */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'])
const OPERATIONS_A_READ = 100
/**
 * The largest file that is checked at a start. The check reads the whole file, which takes half a second at this size.
 * `backup` and `doctor` check larger files.
 */
const CHECKED_AT_START = 268_435_456
/** A log grows to this size only if a reader keeps it from being truncated. */
const LARGE_LOG = 33_554_432
/** The stores of this process whose file is open. */
const openHere = new Set<{ readonly file: string }>()

interface Fault {
  readonly why: string
  readonly error: SwitchhookError
  /** The inode of a damaged file. If another file is in its place, that file may be good. */
  readonly damaged: number | undefined
  /** A checkpoint failed. SQLite may treat pages as stored although a failed sync has lost them. */
  readonly ofCheckpoint: boolean
}

/**
 * Opens a file. If its disk or its files cannot be trusted, the file is opened again as a new process would, at most
 * every five seconds. A damaged file stays closed, because each write could damage it more.
 */
export class OpenFile {
  readonly file: string
  readonly restored: Started['restored']
  readonly isNew: boolean
  readonly clockWentBack: boolean
  readonly #o: OpenFileOptions
  #opened: Started | undefined
  /**
   * A connection that stays open while the database is closed. A process that starts meanwhile does not get the file
   * alone. So it does not end the leases in it.
   */
  #presence: ReturnType<typeof wal.openReader>
  #fault: Fault | undefined
  #restartedAt = Number.NEGATIVE_INFINITY
  #operationsSinceRead = 0
  /** A log of this length causes an alarm. The next alarm is at twice the length. */
  #alarmAtBytes = LARGE_LOG

  constructor(file: string, o: OpenFileOptions) {
    const first = start(file, { ...o, isFirst: true, busyMs: OPENING_BUSY_MS })
    openHere.add(this)
    if (first.isCut) o.onFailure?.(`the database ${file} ${LOST_COMMITS}`, 'store_failed')
    this.file = file
    this.restored = first.restored
    this.isNew = first.isNew
    this.clockWentBack = first.clockWentBack
    this.#o = o
    this.#opened = first
  }

  /** @throws SwitchhookError `store_unavailable` while the database is closed. */
  connection(): Connection {
    if (this.#opened) return this.#opened.connection
    throw this.#fault?.error as SwitchhookError
  }

  /** @throws SwitchhookError `store_unavailable` while the database is closed; otherwise SQLite's error. */
  read<T>(use: (from: Connection) => T): T {
    try {
      return use(this.connection())
    } catch (error) {
      if (isDamage(error)) this.#fail(error)
      throw error
    }
  }

  /** Called before each commit. @throws SwitchhookError `store_unavailable` if nothing may be acknowledged. */
  check(): void {
    const found = this.#fault || !this.#opened ? 'in place' : this.#opened.state()
    if (found !== 'in place') this.#distrust(FOUND[found], 'store_failed')
    if (this.#fault && !this.#isDamaged() && this.#o.monotonic() - this.#restartedAt >= RESTART_MS) this.#restart()
    if (this.#fault) throw this.#fault.error
  }

  /** Called after a failed commit. Returns true if the disk was full: then the same commit may succeed later. */
  failed(error: unknown): boolean {
    const hasNoRoom = NO_ROOM.has(codeOf(error))
    // A log may fill the disk before it is long. Once it is copied, the next commit overwrites it and needs no space.
    if (hasNoRoom) this.#copyLog(() => true)
    else this.#fail(error)
    return hasNoRoom
  }

  /** Called after a commit. Copies the log into the database if it has grown long. */
  tidy(operations: number): void {
    this.#operationsSinceRead += operations
    if (this.#operationsSinceRead < OPERATIONS_A_READ || this.file === ':memory:') return
    this.#operationsSinceRead = 0
    this.#copyLog(wal.isLong)
  }

  truncateLog(): ReturnType<typeof wal.truncateLog> {
    this.check()
    return this.#checkpointing((from) => wal.truncateLog(from, this.file))
  }

  close(): void {
    const opened = this.#opened
    const found = opened?.state()
    // A removed log exists only in the connection. The last connection copies it when it closes.
    if (found === 'log removed' || (found === 'in place' && !this.#fault)) opened?.connection.close()
    else if (opened) wal.closeWithoutCheckpoint(opened.connection, this.file)
    this.#presence?.close()
    this.#opened = undefined
    openHere.delete(this)
    this.#fault = { why: '', error: trouble(this.file, 'is closed'), damaged: undefined, ofCheckpoint: false }
    this.#restartedAt = Number.POSITIVE_INFINITY
  }

  #isDamaged(): boolean {
    return this.#fault?.damaged !== undefined && inodeOf(this.file) === this.#fault.damaged
  }

  #fail(error: unknown, ofCheckpoint = false): void {
    if (isDamage(error)) this.#distrust(damageOf(error), 'store_damaged', ofCheckpoint)
    else this.#distrust(`could not be written: ${codeOf(error) ?? reasonOf(error)}`, 'store_failed', ofCheckpoint)
  }

  #distrust(why: string, alarm: StoreAlarm, ofCheckpoint = false): void {
    const { file } = this
    if (this.#fault || file === ':memory:') return
    const error = trouble(file, why)
    this.#fault = { why, error, damaged: alarm === 'store_damaged' ? inodeOf(file) : undefined, ofCheckpoint }
    // A start may find less content, for example if the log ends before a damaged frame.
    if (alarm === 'store_damaged') holdSendsNextTime(file)
    this.#o.onFailure?.(error.message, alarm)
    try {
      this.#leave()
    } catch {
      // The restart tries again and reports the failure.
    }
  }

  /** Closes the connection. @throws if acknowledged deliveries exist only in its open files. */
  #leave(): void {
    const { file } = this
    const opened = this.#opened
    if (wal.sizeOf(file) === 0) throw new Error('no database is in its place: put it back')
    if (!opened) return
    const found = opened.state()
    if (found === 'log removed') wal.saveRemovedLog(opened.connection, file)
    // The next start finds older content than was acknowledged. It begins as after a restore.
    if (found === 'cut' || found === 'log replaced') holdSendsNextTime(file)
    // If the log was cut or replaced, all processes have to close it, so no connection stays open.
    if (found === 'in place') this.#presence = wal.closeBeside(opened.connection, file)
    else wal.closeWithoutCheckpoint(opened.connection, file)
    this.#opened = undefined
    openHere.delete(this)
  }

  #restart(): void {
    const { file } = this
    const fault = this.#fault as Fault
    this.#restartedAt = this.#o.monotonic()
    try {
      this.#leave()
      this.#presence?.close()
      const next = start(file, { connect: this.#o.connect, busyMs: RESTART_BUSY_MS })
      if (fault.ofCheckpoint && wal.framesOf(next.connection).checkpointed > 0) {
        wal.closeWithoutCheckpoint(next.connection, file)
        throw new Error('another process has it open, and counts pages as safe that are not: end that process')
      }
      this.#opened = next
      openHere.add(this)
      this.#presence = undefined
      this.#fault = undefined
      if (next.restored && next.restored.why !== 'earlier')
        this.#o.onFailure?.(`the database ${file} ${HOLDS_SENDS}`, 'store_failed')
      this.#o.onRestart?.()
    } catch (error) {
      if (this.#presence) this.#presence = wal.openReader(file)
      const cause = causeOf(error)
      const notYet = trouble(file, `${fault.why}. It cannot be opened again yet: ${reasonOf(error)}`)
      this.#fault = isDamage(cause) ? undefined : { ...fault, error: notYet }
      this.#distrust(`${fault.why}. It ${damageOf(cause)}`, 'store_damaged', fault.ofCheckpoint)
    }
  }

  #checkpointing<T>(copy: (from: Connection) => T): T {
    try {
      return copy(this.connection())
    } catch (error) {
      if (!NO_ROOM.has(codeOf(error)) && !isBusy(error)) this.#fail(error, true)
      throw error
    }
  }

  /** Copies the log into the database, unless the log was replaced: that would destroy the new log's content. */
  #copyLog(isDue: (from: Connection) => boolean): void {
    try {
      if (this.#fault || !isDue(this.connection()) || this.#opened?.state() !== 'in place') return
      this.#watchLog(this.#checkpointing(wal.checkpoint))
    } catch {
      // Nothing is lost: the log still contains everything.
    }
  }

  #watchLog(bytes: number): void {
    if (bytes < LARGE_LOG) this.#alarmAtBytes = LARGE_LOG
    if (bytes < this.#alarmAtBytes) return
    const megabytes = Math.floor(bytes / 1_048_576)
    const line = `the write-ahead log ${this.file}-wal has ${megabytes} MB and grows: ${READER}`
    this.#o.onFailure?.(line, 'log_grows')
    while (this.#alarmAtBytes <= bytes) this.#alarmAtBytes *= 2
  }
}

type Started = ReturnType<typeof start>

/** Opens a file as a new process does. First it makes sure that everything a crash has left is on disk. */
function start(file: string, o: Pick<OpenFileOptions, 'connect' | 'restored'> & { isFirst?: boolean; busyMs: number }) {
  const isOnDisk = file !== ':memory:'
  let connection: Connection | undefined
  try {
    if (isOnDisk) {
      refuseToBeginAnew(file)
      wal.refuseBesideRemovedLog(file, o.busyMs)
      if (![...openHere].some((other) => other.file === file)) wal.refuseBackupBesideLog(file)
      wal.writeLogAgain(file, o.busyMs)
    }
    connection = o.connect(file, o.busyMs)
    connection.raw.pragma(`busy_timeout = ${o.busyMs}`)
    // If the log was cut while another process had the file open, SQLite's index still describes the longer log.
    const found = watch(file, connection)()
    if (found !== 'in place') throw trouble(file, FOUND[found])
    if (isOnDisk && wal.sizeOf(file) < CHECKED_AT_START) refuseDamage(connection.raw)
    const isCut = isOnDisk && wal.hasLostCommits(connection, file)
    if (isCut) holdSendsNextTime(file)
    migrate(connection, file)
    const admitted = admit(connection, file, o.restored)
    // A database in memory starts with its process, so its clock cannot go back.
    const { raw, drive } = connection
    const clockWentBack = isOnDisk && raw.transaction(() => drive(followClock(machineTime()))).immediate()
    if (isCut) wal.truncateLog(connection, file)
    if (isOnDisk && o.isFirst) {
      // Ending leases requires that no other connection is open, so ours is closed for a moment. A restart of the store
      // keeps the lanes of this process.
      connection.close()
      wal.endOldLeases(file)
      connection = o.connect(file, o.busyMs)
    }
    const state = watch(file, connection)
    if (isOnDisk) wal.syncFolder(file)
    connection.raw.pragma(`busy_timeout = ${BUSY_MS}`)
    return { ...admitted, connection, state, clockWentBack, isCut }
  } catch (error) {
    connection?.close()
    throw error instanceof SwitchhookError ? error : unavailable(file, error)
  }
}

const FOUND = {
  moved: 'was removed or replaced while it was open',
  cut: 'or its log was cut short while it was open, so what was stored last is missing',
  'log removed': 'lost its log, which was removed while it was open: find out who removes files beside it',
  'log replaced': 'has another log than the one that was opened, so what was stored last may be missing',
} as const
type Found = 'in place' | keyof typeof FOUND
const LOST_COMMITS =
  'has a damaged log: acknowledged deliveries are missing, and open sends are held. Find out what wrote into the file -wal beside it, ' +
  'compare both with the dashboard, then run `switchhook outbox resume`'
const HOLDS_SENDS =
  'is open again in an older state, so open sends are held: compare them with the dashboard, then run `switchhook outbox resume`'

const READER =
  'a program reads an older state of the database, such as an open transaction in the sqlite3 shell or a long backup. End it: `fuser -v` ' +
  'on the file shows it (switchhook/docs/alerts.md#switchhookloggrows)'

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

function damageOf(error: unknown): string {
  return `is damaged (${codeOf(error)}: ${reasonOf(error)}), so nothing is stored any more: ${REPAIR}`
}

function trouble(file: string, what: string): SwitchhookError {
  return new SwitchhookError('store_unavailable', `the database ${file} ${what}`)
}

/**
 * Returns a function that checks whether the files are in place. SQLite keeps writing to files that were removed,
 * replaced or cut, and whatever is acknowledged then is lost when the process ends.
 */
function watch(file: string, connection: Connection): () => Found {
  if (file === ':memory:') return () => 'in place'
  const lookUp = () => [file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path, { throwIfNoEntry: false }))
  // SQLite creates the log and its index when it first reads.
  connection.raw.pragma('user_version')
  const opened = lookUp()
  let size = opened[0]?.size ?? 0
  // At the first check every log is shorter than this, so its size is compared with what SQLite's index says.
  let logSize = Number.POSITIVE_INFINITY

  function state(): Found {
    const found = lookUp()
    const [database, log, index] = found
    const same = found.map((one, at) => one?.ino === opened[at]?.ino && one?.dev === opened[at]?.dev)
    if (!database || !same[0]) return 'moved'
    if (!log || !index) return 'log removed'
    if (!same[1] || !same[2]) return 'log replaced'
    if ((database.size < size || log.size < logSize) && isCut()) return 'cut'
    size = database.size
    logSize = log.size
    return 'in place'
  }

  function isCut(): boolean {
    try {
      const least = wal.leastSizes(connection, size)
      // The sizes are read again, because another process may have written meanwhile.
      const [database, log] = lookUp()
      return !database || !log || database.size < least.database || log.size < least.log
    } catch {
      return true
    }
  }

  return () => {
    try {
      // The state is read twice: the log seems cut if another process truncates it between two readings.
      return state() === 'in place' ? 'in place' : state()
    } catch {
      // The path may not be readable, so nothing is known.
      return 'in place'
    }
  }
}

/** A smaller difference does not mean that the clock was set. */
const NO_STEP_MS = 1_000
const MUCH_MS = 60_000

/**
 * Runs at an opening. If the clock was set back, moves all waiting times back by as much. In a running process no clock
 * goes back. Returns true if the difference was large.
 */
function* followClock(now: number): Steps<boolean> {
  const lease = yield* one<{ until: number | null }>(sql`SELECT max(until) AS until FROM ${processes}`)
  const back = (lease?.until ?? 0) - LEASE_MS - now
  if (back <= NO_STEP_MS) return false
  yield* execute(sql`
    UPDATE ${processes} SET until = until - ${back}, ahead = CASE WHEN until > ${now + LEASE_MS + NO_STEP_MS} THEN ${back} ELSE 0 END
    WHERE until > 0`)
  yield* moveBack(back, { now, after: now })
  return back > MUCH_MS
}
