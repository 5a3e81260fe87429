import { accessSync, constants, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { FOLDER, isAlive, makeFolder } from '../support/dev-file.ts'
import { environment, type Io } from '../support/io.ts'

/**
 * The app's database: the one that the environment names, but never that of the `live` service, or else a fresh one for
 * development. It starts empty as the emulator does: what the bot remembers of yesterday's customers (one who typed
 * `BOT`, an open order) would not fit today's. If the emulator keeps its `data`, the database is kept beside them.
 */
export function databaseForDev(
  io: Io,
  { live = false, data }: { readonly live?: boolean; readonly data?: string },
): string {
  const named = live ? undefined : environment(io, 'SWITCHHOOK_DATABASE')
  if (named !== undefined) return named
  if (data !== undefined) return `${data}.bot.db`
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

/** Claims a database by writing this process's pid into the file beside it; false if another process has the claim. */
function claim(ownerFile: string): boolean {
  const owner = ownerOf(ownerFile)
  if (owner > 0 && owner !== process.pid && isAlive(owner)) return false
  // The claim of a process that was killed.
  rmSync(ownerFile, { force: true })
  try {
    writeFileSync(ownerFile, String(process.pid), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  process.once('exit', () => rmSync(ownerFile, { force: true }))
  return true
}

/** The pid of the claim's owner; 0 if there is none. */
function ownerOf(ownerFile: string): number {
  try {
    return Math.trunc(Number(readFileSync(ownerFile, 'utf8'))) || 0
  } catch {
    return 0
  }
}

/** Removes a database with the files that SQLite keeps beside it. */
function removeOldFiles(file: string): void {
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(file) && name !== `${file}.owner`) rmSync(join(FOLDER, name))
}
