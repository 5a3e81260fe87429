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
import { EFFECTS } from '../database/effects-of-features.ts'
import { countHeldSends, holdSends, isHolding, type Restored } from '../outbox/restored.ts'
import type { Steps } from '../database/steps.ts'
import { type Connection, type Sql, unavailable } from './connection.ts'
import { transact, type Tx } from './transaction.ts'

/**
 * The generation is a number that detects a restored backup. It rises at each opening and every hour of work. It is
 * written to the database and, a moment later, to `<database>.generation` beside it. So the number inside is never
 * lower, unless the database is an older copy that replaced the file.
 *
 * Detected: an older copy in place of the file, if the file beside it was left alone; a backup made by Switchhook,
 * whose number is lowered; and, if sends are open, a database without a number beside it. Not detected: a copy that is
 * restored within an hour and without an opening in between, a copy moved together with its number, and a snapshot of a
 * whole disk. These need `start({ restored: true })`. A first start is not a restore. A new database beside an old
 * number is refused.
 */
const pathOf = (file: string) => `${file}.generation`
const INSIDE = "SELECT CAST(value AS INTEGER) AS value FROM meta WHERE name = 'generation'"
const RAISE = `
  INSERT INTO meta (name, value) VALUES ('generation', CAST(? + 1 AS INTEGER) || '')
  ON CONFLICT DO UPDATE SET value = max(CAST(value AS INTEGER) + 1, CAST(excluded.value AS INTEGER)) || ''
  RETURNING CAST(value AS INTEGER) AS value`

const OWNER_ONLY = 0o600
const AT_ONCE = 250

/**
 * Refuses to create a new database beside an old generation: it would silently forget all customers and keys. @throws
 * SwitchhookError `store_unavailable`
 */
export function refuseToBeginAnew(file: string): void {
  const found = (path: string) => statSync(path, { throwIfNoEntry: false })
  if (!found(pathOf(file))?.isFile() || (found(file)?.size ?? 0) > 0) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${file} is gone or empty, but ${pathOf(file)} is there: put the database back. ` +
      `If you removed it on purpose, start with a new one: rm '${resolve(pathOf(file))}'`,
  )
}

/**
 * Holds the sends of a restored database, and then raises the generation. If the process ends in between, the next
 * start holds them. @throws SwitchhookError `store_unavailable` if `<database>.generation` cannot be written.
 */
export function admit(connection: Connection, file: string, asked = false) {
  const { sql, drive } = connection
  // The number in the file is read first. Other processes may raise the one in the database meanwhile, never lower it.
  const known = readGeneration(file)
  let why: Restored['why'] | undefined
  holdInPortions(connection, (tx) => {
    why = asked ? 'asked' : isBehind(sql, known) ? 'noticed' : wasBrought(sql, file) ? 'brought' : undefined
    return why !== undefined || tx.drive(isHolding())
  })
  const raise = () => ({ isNew: inside(sql) === undefined, generation: raiseGeneration(sql, known) })
  const { isNew, generation } = connection.raw.transaction(raise).immediate()
  writeGeneration(file, generation)
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
  ${EFFECTS.flatMap(({ openWork }) => openWork ?? [])
    .map((open) => `UNION ALL ${open}`)
    .join(' ')} LIMIT 1`

function wasBrought(sql: Sql, file: string): boolean {
  if (file === ':memory:' || inside(sql) === undefined || !sql(ANYTHING_OPEN).get()) return false
  return statSync(pathOf(file), { throwIfNoEntry: false }) === undefined
}

/**
 * Holds sends in portions. Another process may be at work: after each portion the file is free for as long as the
 * portion took.
 */
function holdInPortions(connection: Connection, areToBeHeld: (tx: Tx) => boolean): void {
  let after: ReturnType<typeof holdSends> extends Steps<infer After> ? After : never
  do {
    const begunAt = monotonic()
    const portion = (tx: Tx) => (after || areToBeHeld(tx) ? tx.drive(holdSends(tx, AT_ONCE, after)) : undefined)
    after = transact(connection, [portion], () => {})[0] as typeof after
    if (after) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, monotonic() - begunAt)
  } while (after)
}

/** Makes the next start act as after a restore, because content was lost. */
export function holdSendsNextTime(file: string): void {
  try {
    writeGeneration(file, (readGeneration(file) ?? 0) + 1)
  } catch {
    // A failed write is ignored, because the loss itself is reported.
  }
}

export function writeGeneration(file: string, generation: number): void {
  if (file === ':memory:') return
  const made = `${pathOf(file)}-${randomBytes(4).toString('hex')}`
  try {
    const handle = openSync(made, 'wx', OWNER_ONLY)
    try {
      giveToOwnerOf(file, handle)
      writeSync(handle, `${generation}\n`)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(made, pathOf(file))
  } catch (error) {
    rmSync(made, { force: true })
    throw unavailable(pathOf(file), error)
  }
}

/**
 * Gives the file to the owner of the database, as SQLite does with the log. The bot's user must be able to read a file
 * that root has made.
 */
function giveToOwnerOf(file: string, handle: number): void {
  const owner = process.geteuid?.() === 0 ? statSync(file, { throwIfNoEntry: false }) : undefined
  if (owner) fchownSync(handle, owner.uid, owner.gid)
}

function readGeneration(file: string): number | undefined {
  try {
    const number = Number(readFileSync(pathOf(file), 'utf8').trim())
    return Number.isSafeInteger(number) && number > 0 ? number : undefined
  } catch {
    return undefined
  }
}
