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
import { countHeldSends, holdSends, isHolding, type Restored } from '../outbox/restored.ts'
import type { Steps } from '../steps.ts'
import { type Connection, type Sql, unavailable } from './connection.ts'
import { transact, type Tx } from './transaction.ts'

/**
 * The generation rises at each opening and every hour of work. It stands in the database and, a moment later, in
 * `<database>.generation` beside it. So the number inside is never behind, unless the database is an older copy that
 * was put in its place.
 *
 * Noticed: an older copy put in the place of the file, with the file beside it left alone; a backup made by Switchhook, whose number
 * is lowered; and, if sends are open, a database without a number beside it. Not noticed: another copy that is restored
 * within an hour and an opening, a copy moved with its number, and a snapshot of a whole disk. These need
 * `start({ restored: true })`. A first start is no restored backup; a new database beside an old number is refused.
 */
const beside = (file: string) => `${file}.generation`
const INSIDE = "SELECT CAST(value AS INTEGER) AS value FROM meta WHERE name = 'generation'"
const RAISE = `
  INSERT INTO meta (name, value) VALUES ('generation', CAST(? + 1 AS INTEGER) || '')
  ON CONFLICT DO UPDATE SET value = max(CAST(value AS INTEGER) + 1, CAST(excluded.value AS INTEGER)) || ''
  RETURNING CAST(value AS INTEGER) AS value`

const OWNER_ONLY = 0o600
const AT_ONCE = 250

/** Begun again in silence, it would know no customer and no key. @throws SwitchhookError `store_unavailable` */
export function refuseToBeginAnew(file: string): void {
  const found = (path: string) => statSync(path, { throwIfNoEntry: false })
  if (!found(beside(file))?.isFile() || (found(file)?.size ?? 0) > 0) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${file} is gone or empty, but ${beside(file)} is there: put the database back. ` +
      `If you removed it on purpose, start with a new one: rm '${resolve(beside(file))}'`,
  )
}

/**
 * Holds the sends of a restored database. The number rises after that: a crash before it forgets nothing. @throws
 * SwitchhookError `store_unavailable` if the file beside it cannot be written.
 */
export function admit(connection: Connection, file: string, asked = false) {
  const { sql, drive } = connection
  // Read first: meanwhile other processes raise the number inside, and never lower it.
  const known = readBeside(file)
  let why: Restored['why'] | undefined
  holdInPortions(connection, (tx) => {
    why = asked ? 'asked' : isBehind(sql, known) ? 'noticed' : wasBrought(sql, file) ? 'brought' : undefined
    return why !== undefined || tx.drive(isHolding())
  })
  const raise = () => ({ isNew: inside(sql) === undefined, generation: raiseGeneration(sql, known) })
  const { isNew, generation } = connection.raw.transaction(raise).immediate()
  keepBeside(file, generation)
  const held = drive(countHeldSends())
  return { isNew, restored: held === undefined ? undefined : ({ why: why ?? 'earlier', held } satisfies Restored) }
}

export function raiseGeneration(sql: Sql, known = 0): number {
  return (sql(RAISE).get(known) as { value: number }).value
}

function inside(sql: Sql): number | undefined {
  return (sql(INSIDE).get() as { value: number } | undefined)?.value
}

function isBehind(sql: Sql, known: number | undefined): boolean {
  return known !== undefined && (inside(sql) ?? known) < known
}

const ANYTHING_OPEN = `
  SELECT 1 FROM sends WHERE place < 2 AND withheld = 0 UNION ALL SELECT 1 FROM sends WHERE state = 'scheduled'
  UNION ALL SELECT 1 FROM announcements WHERE state = 'running' LIMIT 1`

function wasBrought(sql: Sql, file: string): boolean {
  if (file === ':memory:' || inside(sql) === undefined || !sql(ANYTHING_OPEN).get()) return false
  return statSync(beside(file), { throwIfNoEntry: false }) === undefined
}

/** Another process may be serving: after each portion the file is free for as long as that portion kept it. */
function holdInPortions(connection: Connection, areToBeHeld: (tx: Tx) => boolean): void {
  let after: ReturnType<typeof holdSends> extends Steps<infer After> ? After : never
  do {
    const begunAt = monotonic()
    const portion = (tx: Tx) => (after || areToBeHeld(tx) ? tx.drive(holdSends(tx, AT_ONCE, after)) : undefined)
    after = transact(connection, [portion], () => {})[0] as typeof after
    if (after) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, monotonic() - begunAt)
  } while (after)
}

/** After content was lost: the next start finds an older state than was known, and begins as after a restore. */
export function holdSendsNextTime(file: string): void {
  try {
    keepBeside(file, (readBeside(file) ?? 0) + 1)
  } catch {
    // The loss is reported all the same.
  }
}

export function keepBeside(file: string, generation: number): void {
  if (file === ':memory:') return
  const made = `${beside(file)}-${randomBytes(4).toString('hex')}`
  try {
    const handle = openSync(made, 'wx', OWNER_ONLY)
    try {
      giveToOwnerOf(file, handle)
      writeSync(handle, `${generation}\n`)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(made, beside(file))
  } catch (error) {
    rmSync(made, { force: true })
    throw unavailable(beside(file), error)
  }
}

/** As SQLite does with the log: the bot's own user must read what root makes. */
function giveToOwnerOf(file: string, handle: number): void {
  const owner = process.geteuid?.() === 0 ? statSync(file, { throwIfNoEntry: false }) : undefined
  if (owner) fchownSync(handle, owner.uid, owner.gid)
}

function readBeside(file: string): number | undefined {
  try {
    const number = Number(readFileSync(beside(file), 'utf8').trim())
    return Number.isSafeInteger(number) && number > 0 ? number : undefined
  } catch {
    return undefined
  }
}
