import type { Store } from '../../stores/port/index.ts'
import { openSqlite } from '../../stores/sqlite/index.ts'
import { openReader, type Reader } from '../../stores/sqlite/reader.ts'
import { openToRead } from '../../stores/sqlite/open-to-read.ts'
import { environment, type Io } from './io.ts'

/** The option that names the database, for every command that opens it. */
export const DATABASE_OPTION = [
  '--database <file>',
  "the app's database (env: SWITCHHOOK_DATABASE; default: ./switchhook.db)",
] as const

export interface DatabaseFlag {
  readonly database?: string
}

/** The app's database: by flag, by environment, or in its default place in this folder. */
export function databaseFile(io: Io, { database }: DatabaseFlag): string {
  return database ?? environment(io, 'SWITCHHOOK_DATABASE') ?? './switchhook.db'
}

/** Opens the app's database for reading only. */
export async function withReader<T>(io: Io, flags: DatabaseFlag, look: (reader: Reader) => Promise<T>): Promise<T> {
  return useAndClose(openReader(databaseFile(io, flags)), look)
}

/**
 * Opens the app's database for writing, beside a running app. Neither creates nor migrates a database: an app of an
 * older release could not work on a migrated one.
 */
export async function withStore<T>(
  io: Io,
  flags: DatabaseFlag,
  work: (store: Store) => Promise<T>,
  o: { readonly restored?: boolean } = {},
): Promise<T> {
  const file = databaseFile(io, flags)
  openToRead(file).close()
  return useAndClose(openSqlite(file, o), work)
}

interface Closable {
  close(): Promise<void>
}

async function useAndClose<T, S extends Closable>(opened: S, use: (opened: S) => Promise<T>): Promise<T> {
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}
