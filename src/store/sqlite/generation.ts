import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { monotonic } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { heldSends, holdSends, isHolding } from '../outbox/restored.ts'
import type { Restored } from '../types/index.ts'
import { type Connection, type Sql, unavailable } from './connection.ts'
import { type Operation, transact } from './transaction.ts'

const OWNER_ONLY = 0o600

/**
 * The generation rises at each opening and every hour of work. It stands in the database and, a moment later, in
 * `<database>.generation` beside it; so the number inside is never behind, unless the database is an older copy that
 * was put in its place.
 *
 * Noticed: an older copy put in the place of the file, with the file beside it left alone; a backup of ours, whose number
 * is lowered; and, if sends are open, a database without a number beside it. Not noticed: another copy that is put back
 * within an hour and an opening, a copy moved with its number, and a snapshot of a whole disk. These need
 * `start({ restored: true })`. A first start is no restored backup; a new database beside an old number is refused.
 */
const GENERATION = "SELECT CAST(value AS INTEGER) AS value FROM meta WHERE name = 'generation'"
const RAISE = `
  INSERT INTO meta (name, value) VALUES ('generation', CAST(? + 1 AS INTEGER) || '')
  ON CONFLICT DO UPDATE SET value = max(CAST(value AS INTEGER) + 1, CAST(excluded.value AS INTEGER)) || ''
  RETURNING CAST(value AS INTEGER) AS value`

/**
 * Raises the number inside, above the one beside the file; the caller keeps it beside the file once it is committed.
 */
export function raiseGeneration(sql: Sql, beside = 0): number {
  return (sql(RAISE).get(beside) as { value: number }).value
}

/** Keeps a committed number beside the file, in one step: a reader finds the old number or the new one. */
export function keepBeside(file: string, generation: number): void {
  if (file === ':memory:') return
  const made = `${file}.generation-${randomBytes(4).toString('hex')}`
  try {
    const handle = openSync(made, 'wx', OWNER_ONLY)
    try {
      giveToOwnerOf(file, handle)
      writeSync(handle, `${generation}\n`)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(made, `${file}.generation`)
  } catch (error) {
    rmSync(made, { force: true })
    throw unavailable(`${file}.generation`, error)
  }
}

/** As SQLite does with the log: what root makes, the bot's own user must read. */
function giveToOwnerOf(file: string, handle: number): void {
  const owner = process.geteuid?.() === 0 ? statSync(file, { throwIfNoEntry: false }) : undefined
  if (owner) fchownSync(handle, owner.uid, owner.gid)
}

/**
 * A database that is gone or empty while its number is still there was removed, or stands where a disk was not mounted:
 * begun anew in silence, it would know no customer and no key.
 *
 * @throws SwitchhookError `store_unavailable`
 */
export function refuseToBeginAnew(file: string): void {
  const found = (path: string) => statSync(path, { throwIfNoEntry: false })
  if (!found(`${file}.generation`)?.isFile() || (found(file)?.size ?? 0) > 0) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${file} is gone or empty, but ${file}.generation is there: put the database back. ` +
      `If you removed it on purpose, start with a new one: rm '${resolve(file)}.generation'`,
  )
}

/** The log is incomplete, so that the next start finds an older state than was known: it begins as after a restore. */
export function holdSendsNextTime(file: string): void {
  try {
    keepBeside(file, (readBeside(file) ?? 0) + 1)
  } catch {
    // The fault is said all the same.
  }
}

/**
 * Looks whether the database was brought back from a backup, and holds its sends if it was. The number rises after that:
 * a crash before it forgets nothing.
 *
 * @throws SwitchhookError `store_unavailable` if the file beside it cannot be written.
 */
export function admit(
  connection: Connection,
  file: string,
  asked: boolean,
): { restored: Restored | undefined; isNew: boolean } {
  const { raw, sql, drive } = connection
  // Read first: other processes make the number inside higher meanwhile, never lower.
  const beside = readBeside(file)
  const inside = () => (sql(GENERATION).get() as { value: number } | undefined)?.value
  let found: Restored['why'] | undefined
  const isNoticed = () => {
    found = isBehind(inside(), beside) ? 'noticed' : wasBrought(connection, file) ? 'brought' : undefined
    return found !== undefined
  }
  holdAllSends(connection, { asked, isNoticed })
  const { generation, isNew } = raw
    .transaction(() => ({ isNew: inside() === undefined, generation: raiseGeneration(sql, beside) }))
    .immediate()
  keepBeside(file, generation)
  const held = drive(heldSends())
  const why: Restored['why'] = asked ? 'asked' : (found ?? 'earlier')
  return { restored: held === undefined ? undefined : { why, held }, isNew }
}

function isBehind(inside: number | undefined, beside: number | undefined): boolean {
  return inside !== undefined && beside !== undefined && inside < beside
}

const OPEN_SENDS =
  "SELECT 1 FROM sends WHERE place < 2 AND withheld = 0 UNION ALL SELECT 1 FROM sends WHERE state = 'scheduled' LIMIT 1"

/** The database has open sends and worked in another place before: they may have gone out from there. */
function wasBrought({ sql }: Connection, file: string): boolean {
  if (file === ':memory:' || !sql(GENERATION).get() || !sql(OPEN_SENDS).get()) return false
  return statSync(`${file}.generation`, { throwIfNoEntry: false }) === undefined
}

/** Undefined if there is no number that can be read. */
function readBeside(file: string): number | undefined {
  if (file === ':memory:') return undefined
  try {
    const number = Number(readFileSync(`${file}.generation`, 'utf8').trim())
    return Number.isSafeInteger(number) && number > 0 ? number : undefined
  } catch {
    return undefined
  }
}

/** The most sends in one portion, which ends earlier if it takes long. */
const AT_ONCE = 250

/**
 * Holds all sends of a database that was brought back from a backup, before any of this process can go out. It works in
 * portions, since another process may be serving; between two of them the file is free for as long as the first kept it.
 *
 * @param o.isNoticed asked while nobody else writes.
 * @returns the answer of `isNoticed`.
 */
function holdAllSends(
  connection: Connection,
  { asked, isNoticed }: { asked: boolean; isNoticed: () => boolean },
): boolean {
  let keptMs = 0
  const portion = <T>(operation: Operation<T>): T => {
    const begunAt = monotonic()
    const [result] = transact(connection, [operation], () => {})
    keptMs = monotonic() - begunAt
    return result as T
  }
  const first = portion((tx) => {
    const noticed = isNoticed()
    const holds = asked || noticed || tx.drive(isHolding())
    return { noticed, next: holds ? tx.drive(holdSends(tx, AT_ONCE)) : undefined }
  })
  for (let { next } = first; next; ) {
    const after = next
    pause(keptMs)
    next = portion((tx) => tx.drive(holdSends(tx, AT_ONCE, after)))
  }
  return first.noticed
}

/** Blocks, since nothing else is to be done before the opening has ended. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
