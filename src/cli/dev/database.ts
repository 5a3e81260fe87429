import { accessSync, constants, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { FOLDER, isAlive, makeFolder } from '../support/dev-file.ts'
import { environment, type Io } from '../support/io.ts'

/**
 * Where the app keeps what it receives: a database of its own for development, unless one is named; that of the `live`
 * service is left alone. It begins anew as the emulator does: what a bot remembers of yesterday's customers (one who
 * typed `BOT`, an open order) would make no sense to today's.
 */
export function databaseForDev(io: Io, { live = false }: { readonly live?: boolean } = {}): string {
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
 * The first name that no other one which runs in this folder has: on one database each app would answer the other's
 * customers.
 */
function claimFile(): string {
  for (let nth = 1; ; nth++) {
    const file = nth === 1 ? 'dev.db' : `dev.${nth}.db`
    if (claim(join(FOLDER, `${file}.owner`))) return file
  }
}

function claim(claim: string): boolean {
  const owner = ownerOf(claim)
  if (owner > 0 && owner !== process.pid && isAlive(owner)) return false
  // What a process left that was killed.
  rmSync(claim, { force: true })
  try {
    writeFileSync(claim, String(process.pid), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  process.once('exit', () => rmSync(claim, { force: true }))
  return true
}

/** 0 where it is nobody's. */
function ownerOf(claim: string): number {
  try {
    return Math.trunc(Number(readFileSync(claim, 'utf8'))) || 0
  } catch {
    return 0
  }
}

/** With the files that the database keeps beside it. */
function removeOldFiles(file: string): void {
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(file) && name !== `${file}.owner`) rmSync(join(FOLDER, name))
}
