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
import { sql } from '../statements/sql.ts'
import { one, execute, type Steps } from '../steps.ts'
import { moveBack } from '../work/processes.ts'
import { processes } from '../tables/inbox-tables.ts'

export interface OpenFileOptions {
  readonly connect: typeof openConnection
  readonly restored?: boolean | undefined
  readonly monotonic: () => number
  /** Receives a line when the database cannot be trusted any more, once until it is open again. */
  readonly onFailure?: ((line: string, alarm: StoreAlarm) => void) | undefined
  /** It is open again: a commit that had failed may be in it, or a settled one be missing. */
  readonly onRestart?: (() => void) | undefined
}

export type StoreAlarm = 'store_failed' | 'store_damaged' | 'log_grows'

export type OpenFile = ReturnType<typeof openFile>

const RESTART_MS = 5_000
/** The longest wait for another process during a restart, which blocks the event loop beside requests. */
const RESTART_BUSY_MS = 250
/** SQLite has its own code only for a full disk. At a quota or a limit of the file size a write fails like any other. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'])
const OPERATIONS_A_READ = 100
/** A check reads the whole file. So much takes half a second at a start; `backup` and `doctor` check larger ones. */
const CHECKED_AT_START = 268_435_456
/** Nothing but a reader lets a log of ordinary commits grow so long. */
const LARGE_LOG = 33_554_432
/** The files that this process has open, once for each store. */
const openHere = new Set<{ readonly file: string }>()

/**
 * If its disk or its files cannot be trusted, it is started again as by a new process, at most every five seconds. A damaged
 * file is not: each write could damage it more.
 */
export function openFile(file: string, o: OpenFileOptions) {
  const self = { file }
  const first = start(file, { ...o, isFirst: true, busyMs: OPENING_BUSY_MS })
  openHere.add(self)
  if (first.isCut) o.onFailure?.(`the database ${file} ${LOST_COMMITS}`, 'store_failed')
  let opened: ReturnType<typeof start> | undefined = first
  /** While the database is closed: a process that starts meanwhile sees that another one lives, and ends no leases. */
  let presence: ReturnType<typeof wal.openReader>
  let failure: SwitchhookError | undefined
  let why = ''
  let restartedAt = Number.NEGATIVE_INFINITY
  /** SQLite may count pages as safe that the failed sync of a checkpoint has dropped. */
  let checkpointFailed = false
  /** The inode of the damaged file. Another one in its place may be good. */
  let damaged: number | undefined
  let operationsSinceRead = 0
  let sayAtBytes = LARGE_LOG

  function connection(): Connection {
    if (opened) return opened.connection
    throw failure as SwitchhookError
  }

  function check(): void {
    const found = failure || !opened ? 'in place' : opened.look()
    if (found !== 'in place') distrust(FOUND[found])
    if (failure && !isDamaged() && o.monotonic() - restartedAt >= RESTART_MS) restart()
    if (failure) throw failure
  }

  function isDamaged(): boolean {
    return damaged !== undefined && inodeOf(file) === damaged
  }

  function fail(error: unknown): void {
    if (isDamage(error)) distrust(damageOf(error), 'store_damaged')
    else distrust(failureOf(error))
  }

  function distrust(reason: string, alarm: StoreAlarm = 'store_failed'): void {
    if (failure || file === ':memory:') return
    why = reason
    failure = trouble(file, why)
    if (alarm === 'store_damaged') {
      damaged = inodeOf(file)
      // A start may find less, such as a log without the frames behind a damaged one.
      holdSendsNextTime(file)
    }
    o.onFailure?.(failure.message, alarm)
    try {
      leave()
    } catch {
      // The restart tries again, and reports it.
    }
  }

  /** Closes the connection. @throws if what was acknowledged is only in its open files. */
  function leave(): void {
    if (wal.sizeOf(file) === 0) throw new Error('no database is in its place: put it back')
    if (!opened) return
    const found = opened.look()
    if (found === 'log removed') wal.saveRemovedLog(opened.connection, file)
    // The next start finds an older state than was known, so it begins as after a restore.
    if (found === 'cut' || found === 'log replaced') holdSendsNextTime(file)
    // A log that was cut or replaced has to be left by all.
    if (found === 'in place') presence = wal.closeBeside(opened.connection, file)
    else wal.closeWithoutCheckpoint(opened.connection, file)
    opened = undefined
    openHere.delete(self)
  }

  function restart(): void {
    restartedAt = o.monotonic()
    try {
      leave()
      presence?.close()
      const next = start(file, { connect: o.connect, busyMs: RESTART_BUSY_MS })
      if (checkpointFailed && wal.framesOf(next.connection).checkpointed > 0) {
        wal.closeWithoutCheckpoint(next.connection, file)
        throw new Error('another process has it open, and counts pages as safe that are not: end that process')
      }
      opened = next
      openHere.add(self)
      presence = undefined
      failure = undefined
      checkpointFailed = false
      if (next.restored && next.restored.why !== 'earlier')
        o.onFailure?.(`the database ${file} ${HOLDS_SENDS}`, 'store_failed')
      o.onRestart?.()
    } catch (error) {
      if (presence) presence = wal.openReader(file)
      const cause = causeOf(error)
      failure = isDamage(cause) ? undefined : trouble(file, `${why}. It cannot be opened again yet: ${reasonOf(error)}`)
      if (!failure) distrust(`${why}. It ${damageOf(cause)}`, 'store_damaged')
    }
  }

  function checkpointing<T>(copy: (from: Connection) => T): T {
    try {
      return copy(connection())
    } catch (error) {
      if (!NO_ROOM.has(codeOf(error)) && !isBusy(error)) {
        checkpointFailed = true
        fail(error)
      }
      throw error
    }
  }

  /** Over another log than its own, a checkpoint would destroy what that one holds. */
  function copyLog(isDue: (from: Connection) => boolean): void {
    try {
      if (!failure && isDue(connection()) && opened?.look() === 'in place') watchLog(checkpointing(wal.checkpoint))
    } catch {
      // The log still has everything.
    }
  }

  function watchLog(bytes: number): void {
    if (bytes < LARGE_LOG) sayAtBytes = LARGE_LOG
    if (bytes < sayAtBytes) return
    const megabytes = Math.floor(bytes / 1_048_576)
    o.onFailure?.(`the write-ahead log ${file}-wal has ${megabytes} MB and grows: ${READER}`, 'log_grows')
    while (sayAtBytes <= bytes) sayAtBytes *= 2
  }

  return {
    restored: first.restored,
    isNew: first.isNew,
    clockWentBack: first.clockWentBack,
    /** @throws SwitchhookError `store_unavailable` while the database is closed. */
    connection,
    /** @throws SwitchhookError `store_unavailable` while the database is closed; otherwise as SQLite does. */
    read<T>(use: (from: Connection) => T): T {
      try {
        return use(connection())
      } catch (error) {
        if (isDamage(error)) fail(error)
        throw error
      }
    },
    /** Before each commit. @throws SwitchhookError `store_unavailable` if nothing may be acknowledged. */
    check,
    /** After a failed commit. True if there was no room: then the same commit may succeed later. */
    failed(error: unknown): boolean {
      const hasNoRoom = NO_ROOM.has(codeOf(error))
      // A log may fill the disk before it is long. Once it is copied, the next commit needs no room.
      if (hasNoRoom) copyLog(() => true)
      else fail(error)
      return hasNoRoom
    },
    /** After a commit: copies a log that has grown long into the database. */
    tidy(operations: number): void {
      operationsSinceRead += operations
      if (operationsSinceRead < OPERATIONS_A_READ || file === ':memory:') return
      operationsSinceRead = 0
      copyLog(wal.isLong)
    },
    truncateLog() {
      check()
      return checkpointing((from) => wal.truncateLog(from, file))
    },
    close(): void {
      const found = opened?.look()
      // A removed log is only in the connection, which copies it if it is the last one.
      if (found === 'log removed' || (found === 'in place' && !failure)) opened?.connection.close()
      else if (opened) wal.closeWithoutCheckpoint(opened.connection, file)
      presence?.close()
      opened = undefined
      openHere.delete(self)
      failure = trouble(file, 'is closed')
      restartedAt = Number.POSITIVE_INFINITY
    },
  }
}

/** Opens a file as a new process does: what a crash has left is made certain first. */
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
    // Another process may keep the index of a log that was cut.
    const found = watch(file, connection)()
    if (found !== 'in place') throw trouble(file, FOUND[found])
    if (isOnDisk && wal.sizeOf(file) < CHECKED_AT_START) refuseDamage(connection.raw)
    const isCut = isOnDisk && wal.hasLostCommits(connection, file)
    if (isCut) holdSendsNextTime(file)
    migrate(connection, file)
    const admitted = admit(connection, file, o.restored)
    // A database in memory outlives no clock.
    const clockWentBack = isOnDisk && followMachine(connection)
    if (isCut) wal.truncateLog(connection, file)
    if (isOnDisk && o.isFirst) {
      // This needs to be alone, so our own connection steps aside. A restart keeps the lanes of this process.
      connection.close()
      wal.endOldLeases(file)
      connection = o.connect(file, o.busyMs)
    }
    const look = watch(file, connection)
    if (isOnDisk) wal.syncFolder(file)
    connection.raw.pragma(`busy_timeout = ${BUSY_MS}`)
    return { ...admitted, connection, look, clockWentBack, isCut }
  } catch (error) {
    connection?.close()
    throw error instanceof SwitchhookError ? error : unavailable(file, error)
  }
}

function followMachine({ raw, drive }: Connection): boolean {
  return raw.transaction(() => drive(followClock(machineTime()))).immediate()
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

function failureOf(error: unknown): string {
  return `could not be written: ${codeOf(error) ?? reasonOf(error)}`
}

function trouble(file: string, what: string): SwitchhookError {
  return new SwitchhookError('store_unavailable', `the database ${file} ${what}`)
}

/** SQLite keeps writing to files that were removed, replaced or cut; what is acknowledged then is gone with the process. */
function watch(file: string, connection: Connection): () => Found {
  if (file === ':memory:') return () => 'in place'
  const lookUp = () => [file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path, { throwIfNoEntry: false }))
  // SQLite creates the log and its index when it first reads.
  connection.raw.pragma('user_version')
  const opened = lookUp()
  let size = opened[0]?.size ?? 0
  // So the first look compares it with what SQLite knows.
  let logSize = Number.POSITIVE_INFINITY

  function look(): Found {
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
      // Read again, since another process may have written meanwhile.
      const [database, log] = lookUp()
      return !database || !log || database.size < least.database || log.size < least.log
    } catch {
      return true
    }
  }

  return () => {
    try {
      // A log that another process truncates between the looks at its index and at its length seems cut.
      return look() === 'in place' ? 'in place' : look()
    } catch {
      // Nothing is known of a path that may not be looked at.
      return 'in place'
    }
  }
}

/** The longest lease that a process is given. */
const LEASE_MS = 10_000

/** A smaller difference is no sign of a clock that was set. */
const NO_STEP_MS = 1_000
const MUCH_MS = 60_000

/**
 * At an opening behind a clock that was set back: all that waits moves by as much. In a running process no clock goes back.
 * True if that was much.
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
