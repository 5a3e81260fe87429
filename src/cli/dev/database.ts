import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
 * each other's customers. The claim is a file beside the database that holds the pid of its owner.
 */
function claimFile(): string {
  for (let nth = 1; ; nth++) {
    const file = nth === 1 ? 'dev.db' : `dev.${nth}.db`
    const claim = join(FOLDER, `${file}.owner`)
    removeOldClaim(claim)
    try {
      writeFileSync(claim, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    process.once('exit', () => rmSync(claim, { force: true }))
    return file
  }
}

/** Removes the claim of a process that has ended. */
function removeOldClaim(claim: string): void {
  const owner = existsSync(claim) ? Number(readFileSync(claim, 'utf8')) : 0
  // An empty claim is being written at this moment.
  if (owner !== 0 && (owner === process.pid || !isAlive(owner))) rmSync(claim, { force: true })
}

/** Removes a database with the files that SQLite keeps beside it. */
function removeOldFiles(file: string): void {
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(file) && name !== `${file}.owner`) rmSync(join(FOLDER, name))
}
