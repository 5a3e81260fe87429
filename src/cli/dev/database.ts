import { accessSync, constants, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { FOLDER, makeFolder, readNote } from '../dev-file.ts'
import { environment } from '../environment.ts'

/** With the files that the database keeps beside it, and of others that ran beside the first. */
const OURS = /^dev\.(?:\d+\.)?db/

/**
 * Where the app keeps what it receives: a database of its own for development, unless one is named; that of the `live`
 * service is left alone. It begins anew as the emulator does: what a bot remembers of yesterday's customers (one who
 * typed `BOT`, an open order) would make no sense to today's.
 */
export function databaseForDev({ live = false }: { readonly live?: boolean } = {}): string {
  const named = live ? undefined : environment('SWITCHHOOK_DATABASE')
  if (named !== undefined) return named
  try {
    makeFolder()
    accessSync(FOLDER, constants.W_OK | constants.X_OK)
    // Another one that runs in this folder keeps its own: on one database each app would answer the other's customers.
    if (readNote().note !== undefined) return `${FOLDER}/dev.${process.pid}.db`
    forgetYesterday()
    return `${FOLDER}/dev.db`
  } catch (error) {
    throw new SwitchhookError(
      'store_unavailable',
      `the folder for the app's database, ${resolve(FOLDER)}, cannot be made or written ` +
        `(${(error as NodeJS.ErrnoException).code ?? reasonOf(error)}); SWITCHHOOK_DATABASE names another place`,
      { cause: error },
    )
  }
}

function forgetYesterday(): void {
  for (const file of readdirSync(FOLDER)) if (OURS.test(file)) rmSync(join(FOLDER, file))
}
