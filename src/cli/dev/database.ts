import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { FOLDER, makeFolder } from '../dev-file.ts'
import { environment } from '../environment.ts'

/**
 * Where the app keeps what it receives: a database of its own for development, unless one is named; that of the `live`
 * service is left alone.
 */
export function databaseForDev({ live = false }: { readonly live?: boolean } = {}): string {
  const named = live ? undefined : environment('SWITCHHOOK_DATABASE')
  if (named !== undefined) return named
  try {
    makeFolder()
    accessSync(FOLDER, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new SwitchhookError(
      'store_unavailable',
      `the folder for the app's database, ${resolve(FOLDER)}, cannot be made or written ` +
        `(${(error as NodeJS.ErrnoException).code ?? reasonOf(error)}); SWITCHHOOK_DATABASE names another place`,
      { cause: error },
    )
  }
  return `${FOLDER}/dev.db`
}
