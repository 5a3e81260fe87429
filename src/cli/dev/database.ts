import {
  accessSync,
  constants,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { FOLDER, isAlive, makeFolder } from '../support/emulator.ts'
import { environment, type Io } from '../support/io.ts'

/**
 * The app's database: the one that the environment names, but never that of the `live` service, or else a fresh one for
 * development. It starts empty as the emulator does: what the bot remembers of yesterday's customers (one who typed
 * `BOT`, an open order) would not fit today's.
 */
export function databaseForDev(io: Io, { live = false }: { readonly live?: boolean }): string {
  const named = live ? undefined : environment(io, 'SWITCHHOOK_DATABASE')
  if (named !== undefined) return named
  try {
    makeFolder()
    accessSync(FOLDER, constants.W_OK | constants.X_OK)
    const file = claimFile()
    removeOldFiles(file)
    return `${FOLDER}/${file}`
  } catch (error) {
    throw new SwitchhookError(
      'store_unavailable',
      `the folder for the app's database, ${resolve(FOLDER)}, cannot be made or written ` +
        `(${(error as NodeJS.ErrnoException).code ?? reasonOf(error)}); SWITCHHOOK_DATABASE names another place`,
      { cause: error },
    )
  }
}

/**
 * The first file name that no other running `dev` in this folder has claimed: two apps on one database would answer
 * each other's customers.
 */
function claimFile(): string {
  for (let nth = 1; ; nth++) {
    const file = nth === 1 ? 'dev.db' : `dev.${nth}.db`
    if (claim(join(FOLDER, `${file}.owner`))) return file
  }
}

/** Claims a database by a file beside it that holds this process's pid; false if another process has the claim. */
function claim(ownerFile: string): boolean {
  const owner = ownerOf(ownerFile)
  if (owner !== undefined && owner !== process.pid && isAlive(owner)) return false
  if (owner !== undefined) removeClaim(ownerFile, owner)
  const own = join(FOLDER, `claims.${process.pid}`)
  writeFileSync(own, String(process.pid))
  if (!moveTo(ownerFile, own)) return false
  process.once('exit', () => rmSync(ownerFile, { force: true }))
  return true
}

/**
 * Removes the claim of a process that was killed. Several processes may do so at once: what one of them takes away may be
 * another one's new claim, which is put back.
 */
function removeClaim(ownerFile: string, owner: number): void {
  const removed = join(FOLDER, `removes.${process.pid}`)
  try {
    renameSync(ownerFile, removed)
  } catch (error) {
    if (isError(error, 'ENOENT')) return
    throw error
  }
  if (Object.is(ownerOf(removed), owner)) rmSync(removed)
  else moveTo(ownerFile, removed)
}

/** Moves a file that is written to a name that must be free, so that nobody finds a claim without its owner. */
function moveTo(name: string, file: string): boolean {
  try {
    linkOrCopy(file, name)
    return true
  } catch (error) {
    if (isError(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(file)
  }
}

/** Some file systems have no links, as exFAT. A copy is there for a moment before its content. */
function linkOrCopy(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch (error) {
    if (isError(error, 'EEXIST')) throw error
    copyFileSync(file, name, constants.COPYFILE_EXCL)
  }
}

/** The pid of the claim's owner; NaN if the claim names none, undefined if there is no claim. */
function ownerOf(ownerFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(ownerFile, 'utf8'))
    return pid > 0 ? Math.trunc(pid) : NaN
  } catch (error) {
    if (isError(error, 'ENOENT')) return undefined
    throw error
  }
}

function isError(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}

/** Removes a database with the files that SQLite keeps beside it. */
function removeOldFiles(file: string): void {
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(file) && name !== `${file}.owner`) rmSync(join(FOLDER, name))
}
